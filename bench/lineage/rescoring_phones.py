"""Cho et al. 2014 and Sutskever et al. 2014 again, on words that a CPU learns in a minute: n-best lists ranked again.

    python -m bench.lineage.rescoring_phones [--seeds 3] [--steps 600] [--device cuda] [--parallel 1] [--folder F]

Spellings to phones. LSTMs in sequence write ten pronunciations of each test word; an RNN encoder-decoder of another
seed scores them, and the even average of both scores ranks them again. The phoneme error rate, in percent, must fall.
Beside it: ranked by LSTMs of another seed, which tells how much any second opinion is worth. A difference of half a
percent counts; otherwise the rule is that of arms.py. What rescoring.py asks of translations is asked here of words,
which says nothing about translations. SACCADE_DATA must name the folder of corpora.
"""

from pathlib import Path
from typing import Any

from bench.lineage import recipe_runs
from bench.lineage.arms import Figures
from bench.lineage.rescoring import CANDIDATES, OTHER
from bench.lineage.rnn_encoder_decoder import GATED, TEST, Words, error_rate, pronounced, read, runs_on_words
from saccade.serving.loading import load
from saccade.serving.reranking import Reranker

LEAST = 0.5
SYSTEMS: dict[str, dict[str, Any]] = {
    "seq2seq": {"architecture": "seq2seq", "width": 96, "layers": 2, "dropout": 0.1, "maximum_length": 128},
    "encoder-decoder": GATED,
}


def wrong(model: Path, other: Path | None, test: Words, device: str) -> float:
    """The phoneme error rate of the best of ten, ranked again by another model or not."""
    reranker = None if other is None else Reranker([load(other, device=device)])
    return error_rate(pronounced(load(model, device=device), test, beam=CANDIDATES, rerank=reranker))


def main() -> None:
    """Trains both systems with every seed, and ranks."""
    asked = recipe_runs.asked(__doc__)
    runs = runs_on_words(asked)
    seeds = range(1, asked.seeds + 1)
    wanted = [("seq2seq", SYSTEMS["seq2seq"], seed) for seed in seeds]
    wanted += [(name, model, OTHER + seed) for name, model in SYSTEMS.items() for seed in seeds]
    runs.run_all(wanted, asked.parallel)
    models = {(name, seed): runs.run(name, model, seed).model for name, model, seed in wanted}
    test = read("test", TEST)
    rates = {"its own order": [wrong(models["seq2seq", seed], None, test, asked.device) for seed in seeds]}
    for name in reversed(SYSTEMS):
        rates[f"with {name}"] = [
            wrong(models["seq2seq", seed], models[name, OTHER + seed], test, asked.device) for seed in seeds
        ]
        rates[f"{name} alone"] = [wrong(models[name, OTHER + seed], None, test, asked.device) for seed in seeds]
    found = Figures("phoneme error rate, %", rates)
    print(found.table())
    for name in reversed(SYSTEMS):
        print(found.lower(f"with {name}", "its own order", LEAST))


if __name__ == "__main__":
    main()
