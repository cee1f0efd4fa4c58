"""What is engineering and what is an idea: counted from the runs of a report."""

from copy import deepcopy

import pytest

from saccade.comparison.engineering import fewest_tokens, kind, last_score, score_after, share
from saccade.comparison.learning_sections import engineering, settings


def run(speed: float, tokens: int, scores: list[float], **changes) -> dict:
    curve = [{"tokens": tokens * (n + 1) // len(scores), "score": score} for n, score in enumerate(scores)]
    facts = {"layout": "packed", "captured": True, "bfloat16": True, "floor_tokens_per_second": 1000.0}
    return {**facts, "tokens": tokens, "tokens_per_second": speed, "curve": curve, **changes}


def report(*systems: tuple[str, list[dict]]) -> dict:
    return {
        "metric": {"label": "BLEU"},
        "equal_terms": True,
        "differences": {"training.learning_rate": {"quick": 0.001, "slow": 0.004}},
        "systems": [{"label": label, "runs": deepcopy(runs), "own_settings": {"width": 16}} for label, runs in systems],
    }


QUICK = ("quick", [run(500.0, 400, [10.0, 20.0, 30.0, 40.0]), run(700.0, 400, [12.0, 22.0, 32.0, 42.0])])
SLOW = ("slow", [run(100.0, 100, [5.0, 15.0], layout="padded", captured=False)])


def test_scores_are_read_where_all_had_read_as_many_tokens():
    data = report(QUICK, SLOW)
    quick, slow = data["systems"]
    assert fewest_tokens(data) == 100
    assert score_after(quick, 100) == 11.0
    assert score_after(slow, 100) == last_score(slow) == 15.0
    assert last_score(quick) == 41.0
    assert score_after(quick, 99) is None


def test_speed_is_a_share_of_what_a_system_s_own_products_allow():
    quick, slow = report(QUICK, SLOW)["systems"]
    assert share(quick) == pytest.approx(0.6)
    assert share(slow) == pytest.approx(0.1)
    slow["runs"][0]["floor_tokens_per_second"] = None
    assert share(slow) is None


def test_the_page_says_that_engineering_differs_and_what_it_is_worth():
    data = report(QUICK, SLOW)
    assert kind(data["systems"][1]) == "padded batches, eager steps, bfloat16"
    text = "\n".join(engineering(data))
    assert "different engineering" in text
    for cell in ("<td>0.60</td><td>1.0</td>", "<td>0.10</td><td>6.0</td>", "<td>+30.0</td>", "<td>+0.0</td>"):
        assert cell in text


def test_the_page_says_that_all_were_run_alike():
    text = "\n".join(engineering(report(QUICK, ("other", QUICK[1]))))
    assert "by the same engineering: packed batches, captured steps, bfloat16" in text
    assert list(engineering(report(QUICK))) == []


def test_the_page_says_what_was_set_for_whom():
    text = "\n".join(settings(report(QUICK, SLOW)))
    assert "training.learning_rate 0.001" in text
    assert "training.learning_rate 0.004" in text
    assert "width 16" in text
