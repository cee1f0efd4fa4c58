"""Figures of a comparison: a name of any length leaves room for what it names."""

import pytest

from saccade.comparison.figures import draw

LONG = "rnn-language-model:cell=lstm,layers=2,tie=target,training.learning_rate=3e-3"


def system(label: str, score: float) -> dict:
    growth = {"lengths": [4, 8], "counts": [4, 8]}
    return {
        "label": label,
        "year": 2010,
        "interval": {"low": score - 1, "high": score + 1},
        "score": {"values": [score], "mean": score},
        "by_length": [{"length": "1 to 9", "score": score}],
        "runs": [{"curve": [{"step": n, "seconds": n, "operations": n, "score": score / n} for n in (1, 2)]}],
        "operations_per_token": 5,
        "training_tokens_per_second": {"mean": 100 * score},
        "decoding": None,
        "structure": dict.fromkeys(("sequential_steps", "source_path", "target_path"), growth),
        "alignments": None,
    }


@pytest.mark.parametrize("count", [1, 6])
def test_axes_keep_their_room_beside_long_names(count):
    data = {
        "systems": [system(f"{LONG}{number}", 20.0 + number) for number in range(count)],
        "metric": {"label": "BLEU", "higher_is_better": True},
        "length_unit": "words",
        "sentences": [],
    }
    for name, figure in draw(data):
        figure.draw_without_rendering()  # warns, which is an error here, if a part is left without room
        bounds = figure.axes[0].get_position()
        assert bounds.width > 0.4, name
        assert bounds.height > 0.3, name
