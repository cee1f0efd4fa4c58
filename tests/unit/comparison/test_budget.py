import pytest

from saccade.comparison.budget import read_budget
from saccade.comparison.sweep import SWEPT
from saccade.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "kind", "amount"),
    [
        ("10m", "seconds", 600),
        ("1.5 min", "seconds", 90),
        ("90s", "seconds", 90),
        ("2h", "seconds", 7200),
        ("2000 steps", "steps", 2000),
        ("2,000steps", "steps", 2000),
        ("5Mtok", "tokens", 5e6),
        ("300k tokens", "tokens", 300_000),
        ("1e15flop", "operations", 1e15),
        ("2.5 Pflop", "operations", 2.5e15),
    ],
)
def test_budgets_are_read(text, kind, amount):
    budget = read_budget(text)
    assert (budget.kind, budget.amount) == (kind, pytest.approx(amount))


@pytest.mark.parametrize("text", ["", "10", "ten minutes", "-3s", "0s", "5 parsecs", "m10", "10 m 3", "1e400s"])
def test_what_is_no_budget_is_refused_with_examples(text):
    with pytest.raises(ConfigError, match="Write 10m or 90s"):
        read_budget(text)


def test_examples_are_of_what_the_option_takes():
    with pytest.raises(ConfigError, match=r"`--sweep` must be .*but is 'x'\. Write 2000steps, 5Mtok .* or 1e15flop\."):
        read_budget("x", "--sweep", SWEPT)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("10m", "10 minutes of training"),
        ("45s", "45 seconds of training"),
        ("2000steps", "2,000 steps"),
        ("1step", "1 step"),
        ("5Mtok", "5,000,000 target tokens"),
        ("1e15flop", "1e+15 floating point operations"),
    ],
)
def test_a_budget_in_words(text, words):
    assert read_budget(text).words == words
