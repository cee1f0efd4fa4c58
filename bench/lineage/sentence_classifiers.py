"""Lin et al. 2017: thirty hops are at least as good as one; and the Transformer's encoder beside them.

    python -m bench.lineage.sentence_classifiers [--seeds 5] [--steps N] [--device cuda] [--parallel 1] [--folder F]

Which corpus an English sentence is from. The figure is the share of test sentences that are put to the wrong one. The
Transformer has the parameters of the network with thirty hops. The rule is in arms.py; what counts is a difference of
half a percent of the sentences. SACCADE_DATA must name the folder of corpora.
"""

from typing import Any

from bench.lineage import recipe_runs
from bench.lineage.arms import Figures
from bench.lineage.self_attentive import DATA, MODEL, TRAINING

LEAST = 0.005
VOCABULARIES = (int(DATA["vocabulary"]), 8)  # near enough to choose a width by
MANY = {**MODEL, "hops": 30, "penalty": 0.3}
TRANSFORMER: dict[str, Any] = {"architecture": "transformer-classifier", "layers": 2, "heads": 4, "dropout": 0.3}


def transformer() -> dict[str, Any]:
    """As wide as brings it nearest to the parameters of thirty hops."""
    wanted = recipe_runs.parameters(MANY, VOCABULARIES)
    return min(
        ({**TRANSFORMER, "width": width, "inner_width": 2 * width} for width in range(16, 257, 4)),
        key=lambda sized: abs(recipe_runs.parameters(sized, VOCABULARIES) - wanted),
    )


def main() -> None:
    """Trains each with every seed."""
    asked = recipe_runs.asked(__doc__)
    training = TRAINING | ({"steps": asked.steps} if asked.steps else {})
    pauses = {"validate_every": training["steps"], "checkpoint_every": training["steps"]}
    runs = recipe_runs.Runs(asked.folder, DATA, training | pauses, asked.device)
    models = {"one hop": {**MODEL, "hops": 1, "penalty": 0.0}, "thirty hops": MANY, "Transformer": transformer()}
    seeds = range(1, max(asked.seeds, 5) + 1)
    runs.run_all([(name, model, seed) for name, model in models.items() for seed in seeds], asked.parallel)
    errors = {
        name: [1 - runs.run(name, model, seed).scores["test"]["accuracy"] / 100 for seed in seeds]
        for name, model in models.items()
    }
    found = Figures("share of sentences put wrongly", errors)
    print(found.table())
    print(found.lower("thirty hops", "one hop", LEAST))
    print(found.lower("Transformer", "thirty hops", LEAST))


if __name__ == "__main__":
    main()
