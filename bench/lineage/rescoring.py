"""Cho et al. 2014 and Sutskever et al. 2014: another network's score of an n-best list raises BLEU.

    python -m bench.lineage.rescoring [--seeds 3] [--steps N] [--device cuda] [--parallel 1] [--folder F]

Multi30k, German to English. A sequence-to-sequence model writes ten translations of each test sentence; an RNN
encoder-decoder of another seed scores them, and the even average of both scores ranks them again (Sutskever, section
3.2). BLEU must rise. Beside it: ranked by a second sequence-to-sequence model, which tells how much any second opinion
is worth. The figure is 100 less BLEU, and a difference of 0.3 counts; otherwise the rule is that of arms.py.
SACCADE_DATA must name the folder of corpora.
"""

from pathlib import Path
from typing import Any

from bench.lineage import recipe_runs
from bench.lineage.arms import Figures
from saccade.data.catalogue import find
from saccade.evaluation.bleu import bleu
from saccade.evaluation.examples import Example
from saccade.evaluation.metric_score import MetricOptions
from saccade.serving.loading import load
from saccade.serving.reranking import Reranker

LEAST, CANDIDATES = 0.3, 10
DATA = {"corpus": "multi30k", "source_language": "de", "target_language": "en", "vocabulary": 8000}
TRAINING = {
    "steps": 2500,
    "batch_tokens": 4096,
    "learning_rate": 3e-3,
    "warmup": 250,
    "schedule": "linear",
    "clip": 5.0,
    "average": 1,
}
SYSTEMS: dict[str, dict[str, Any]] = {
    "seq2seq": {"architecture": "seq2seq", "width": 256, "layers": 2, "dropout": 0.2},
    "encoder-decoder": {"architecture": "rnn-encoder-decoder", "width": 384, "rank": 128, "maxout_width": 192},
}
OTHER = 100
"""What is added to a seed to get that of the model with the second opinion."""


def lost(model: Path, other: Path | None, device: str) -> float:
    """100 less BLEU on the test set, ranked again by another model or not."""
    files = find("multi30k", "de", "en").splits["test"]
    assert files.target is not None
    sources, references = (path.read_text(encoding="utf-8").splitlines() for path in (files.source, files.target))
    reranker = None if other is None else Reranker([load(other, device=device)])
    found = load(model, device=device).translate(
        sources, beam=CANDIDATES, rerank=reranker, split_sentences=False, protect=False, repair=False
    )
    examples = [Example("", text, (reference,)) for text, reference in zip(found, references, strict=True)]
    return 100 - bleu(examples, MetricOptions()).value


def main() -> None:
    """Trains both systems with every seed, and ranks."""
    asked = recipe_runs.asked(__doc__)
    training = TRAINING | ({"steps": asked.steps} if asked.steps else {})
    pauses = {"validate_every": training["steps"], "checkpoint_every": training["steps"]}
    runs = recipe_runs.Runs(asked.folder, DATA, training | pauses, asked.device)
    seeds = range(1, asked.seeds + 1)
    wanted = [("seq2seq", SYSTEMS["seq2seq"], seed) for seed in seeds]
    wanted += [(name, model, OTHER + seed) for name, model in SYSTEMS.items() for seed in seeds]
    runs.run_all(wanted, asked.parallel)
    models = {(name, seed): runs.run(name, model, seed).model for name, model, seed in wanted}
    rest = {
        "its own order": [lost(models["seq2seq", seed], None, asked.device) for seed in seeds],
        **{
            f"with {name}": [lost(models["seq2seq", seed], models[name, OTHER + seed], asked.device) for seed in seeds]
            for name in reversed(SYSTEMS)
        },
    }
    found = Figures("100 - BLEU", rest)
    print(found.table())
    for name in reversed(SYSTEMS):
        print(found.lower(f"with {name}", "its own order", LEAST))


if __name__ == "__main__":
    main()
