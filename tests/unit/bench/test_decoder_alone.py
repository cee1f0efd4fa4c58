import math

import pytest
from bench.lineage.decoder_alone import SYSTEMS, judge, verdict

from saccade.comparison.system_spec import read_system_specs


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ([4.00, 4.01, 4.02], [4.10, 4.11, 4.12], "holds"),
        ([4.10, 4.11, 4.12], [4.00, 4.01, 4.02], "does not hold"),
        ([4.00, 4.05, 4.10], [4.06, 4.11, 4.16], "undecided"),  # within three standard errors
        ([4.000, 4.001, 4.002], [4.008, 4.009, 4.010], "undecided"),  # clear, but less than one per cent
    ],
)
def test_the_rule_on_both_sides_of_its_margins(ours, theirs, said):
    assert verdict(ours, theirs)[2] == said


def test_the_systems_can_be_compared():
    assert len(read_system_specs(",".join(SYSTEMS), "language-modelling")) == len(SYSTEMS)


def test_the_better_rate_by_validation_counts():
    def system(architecture, label, valid, tests):
        curve = [{"perplexity": 1.0}, {"perplexity": valid}]
        runs = [{"score": score, "curve": curve, "tokens": 10, "seconds": 2.0} for score in tests]
        return {"architecture": architecture, "label": label, "parameters": 7, "runs": runs}

    report = {
        "metric": {"split": "test"},
        "systems": [
            system("transformer-language-model", "slow", 60.0, [50.0, 50.1]),
            system("transformer-language-model", "fast", 59.0, [51.0, 51.1]),
            system("rnn-language-model", "lstm", 70.0, [80.0, 80.1]),
        ],
    }
    shown = judge(report)
    assert "compared: fast with lstm" in shown
    assert f"lower by {math.log(80.05 / 51.05):.4f}" in shown
    assert shown.endswith(": holds")
