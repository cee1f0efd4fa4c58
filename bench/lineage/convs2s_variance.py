"""Gehring et al. 2017, section 3.4: deep stacks need their variances kept.

    python -m bench.lineage.convs2s_variance [--seeds 5] [--steps 1500] [--device cuda] [--parallel 1]

Spelling to phones, twelve layers of encoder and decoder. The sums of section 3.4 are multiplied with the root of one
half and the weights normalised, or only one of the two, or neither. Without both a deep network must end with a higher
loss; a run that diverges counts as guessing. Beside it the same with three layers, where it should matter less. The
rule is in arms.py. SACCADE_DATA must name the folder of corpora.
"""

import tempfile
from pathlib import Path

from bench.lineage.arms import Arm, Figures, arguments_of, train_arms
from saccade.data.config import DataConfig
from saccade.data.prepare import prepare

DEPTHS = (3, 12)
SETTINGS = {"width": 64, "dropout": 0.1, "maximum_length": 64}
TRAINING = {"learning_rate": 2e-3}
WAYS = {
    "both": {},
    "not scaled": {"wiring": "unscaled"},
    "not normalised": {"weight_normalisation": False},
    "neither": {"wiring": "unscaled", "weight_normalisation": False},
}


def main() -> None:
    """Trains every depth in every way."""
    asked = arguments_of(__doc__, steps=1500).parse_args()
    arms = {
        f"{depth} layers, {way}": Arm(
            "convs2s", SETTINGS | changes | {"encoder_layers": depth, "decoder_layers": depth}, TRAINING
        )
        for depth in DEPTHS
        for way, changes in WAYS.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        asked_for = DataConfig(corpus="cmudict-g014b2b", task="pronunciation", maximum_length=48)
        found = Figures("nats a phone", train_arms(arms, prepare(asked_for, Path(folder) / "data"), asked))
    print(found.table())
    for depth in DEPTHS:
        for way in list(WAYS)[1:]:
            print(found.lower(f"{depth} layers, both", f"{depth} layers, {way}"))


if __name__ == "__main__":
    main()
