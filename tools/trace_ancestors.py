"""Makes the traces that the view Ancestors shows beside one model alone, from a folder of an older system.

    python tools/trace_ancestors.py runs/rnnsearch

The RNNsearch of the package was trained like this, on one core of a CPU, and stopped once to shorten the schedule:

    saccade train bahdanau2015 --out runs/rnnsearch --set data.corpus=tatoeba-en-es --set data.target_language=es
        --set data.vocabulary=4000 --set data.joint=true --set model.width=224 --set model.embedding_width=192
        --set model.maxout_width=128 --set model.attention_width=192 --set model.deviation=0.05
        --set training.optimizer=adam --set training.learning_rate=0.003 --set training.schedule=linear
        --set training.warmup=150 --set training.batch_tokens=3072 --set training.steps=820
"""

import gzip
import json
import sys

import saccade
from saccade.explorer.ancestor_traces import FILE
from saccade.explorer.session import Session
from saccade.explorer.side_by_side import DETAIL
from saccade.tracing.options import TraceOptions

NAME = "RNNsearch"
SENTENCES = (
    "The cat drank the milk because it was hungry.",
    "The dog chased the ball",
    "You should wear shoes",
    "A boy is eating the banana",
)


def main() -> int:
    """Writes the file of the package; the same model gives the same bytes but for the time that it took."""
    session = Session({NAME: saccade.load(sys.argv[1])})
    options = TraceOptions(detail=("weights", *DETAIL))
    traces = [session.trace(NAME, sentence, options) | {"seconds": None} for sentence in SENTENCES]
    FILE.write_bytes(gzip.compress(json.dumps(traces, ensure_ascii=False).encode(), mtime=0))
    for trace in traces:
        print(f"{trace['source_text']} -> {trace['output']['text']}")
    print(f"{FILE.name}: {FILE.stat().st_size / 1e3:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
