import pytest

from saccade.errors import NEAR, did_you_mean

MODELS = ("de-en", "en-es")


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("en-se", MODELS, "en-es"),
        ("enes", MODELS, "en-es"),
        ("tinz", ("tiny", "base"), "tiny"),  # one wrong letter in four
        ("fra", ("spa_Latn", "fra_Latn"), "fra_Latn"),
        ("en", MODELS, "en-es"),
        ("toy", ("toy-reverse", "toy-copy"), "toy-copy"),
    ],
)
def test_the_name_that_is_near_or_begun_is_suggested(name, known, meant):
    assert did_you_mean(name, known) == f" Did you mean {meant!r}?"


@pytest.mark.parametrize("name", ["no-such", "english", "en-fr", "model", "e", ""])
def test_no_name_is_suggested_that_is_not_near(name):
    assert did_you_mean(name, MODELS) == ""


def test_nearness_is_one_wrong_letter_in_four():
    assert NEAR == 0.75
    assert did_you_mean("abx", ["abc"]) == ""  # one in three
    assert did_you_mean("abcx", ["abcd"]) != ""
