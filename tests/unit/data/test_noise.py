import random
import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.data.config import DataConfig
from saccade.data.noise import CASES, SHARES, TextNoise
from saccade.errors import ConfigError

PAIRS = (
    ("Anna, who is 34, saw Bert here.", "Anna, que tiene 34 años, vio aquí a Bert."),
    ("Where's the train station?", "¿Dónde está la estación de tren?"),
    ("Nobody remembers that night, sadly.", "Nadie recuerda esa noche, por desgracia."),
    ("你好。", "Hola."),
)
TEXT = st.text(st.characters(codec="utf-8"), max_size=40)


@cache
def one_kind(kind: str, pairs=PAIRS, seeds: int = 250) -> set[tuple[str, str]]:
    """All that a kind makes of these pairs."""
    noise = TextNoise({kind: 1.0})
    changed = [noise.changed(pairs, random.Random(seed)) for seed in range(seeds)]
    return {result[place] for result, noisy in changed for place in noisy}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("upper-case", ("WHERE'S THE TRAIN STATION?", "¿DÓNDE ESTÁ LA ESTACIÓN DE TREN?")),
        ("title-case", ("Where's The Train Station?", "¿Dónde Está La Estación De Tren?")),
        ("lower-case", ("where's the train station?", "¿Dónde está la estación de tren?")),
        ("typos", ("Where's the train sttaion?", "¿Dónde está la estación de tren?")),
        ("missing-punctuation", ("Nobody remembers that night, sadly", "Nadie recuerda esa noche, por desgracia")),
        ("missing-punctuation", ("Wheres the train station?", "¿Dónde está la estación de tren?")),
        ("doubled-punctuation", ("Where's the train station??", "¿Dónde está la estación de tren?")),
        ("tags", ("<b>你好。</b>", "<b>Hola.</b>")),
        ("tags", ("Anna, who is <i>34</i>, saw Bert here.", "Anna, que tiene <i>34</i> años, vio aquí a Bert.")),
        ("placeholders", ("%s, who is 34, saw Bert here.", "%s, que tiene 34 años, vio aquí a Bert.")),
        ("joined", ("你好。Where's the train station?", "Hola. ¿Dónde está la estación de tren?")),
    ],
)
def test_each_kind_does_to_each_side_what_is_right_for_it(kind, expected):
    assert expected in one_kind(kind)


def test_what_is_to_be_copied_is_the_same_on_both_sides():
    for kind in ("insertions", "tags", "placeholders", "copies"):
        for source, target in one_kind(kind):
            added = re.findall(r"<[^>]*>|https?://\S+|\S+@\S+|[{%$]\S+|[\U0001f300-\U0001faff]|\d[\d.,:-]*\d", source)
            assert all(thing.rstrip(".,):") in target for thing in added), (source, target)


def test_a_full_stop_is_missing_on_both_sides_but_a_question_stays_a_question():
    for source, target in one_kind("missing-punctuation"):
        assert source.endswith((".", "。")) == target.endswith(".")
        assert ("?" in source) == ("?" in target)


def test_names_get_no_typing_errors():
    assert all("Anna" in source and "Bert" in source for source, _ in one_kind("typos", PAIRS[:1]))


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5), st.integers(0, 99))
def test_any_text_can_be_given_and_the_same_seed_gives_the_same_noise(pairs, seed):
    noise = TextNoise.of(3.3, ())
    assert noise is not None
    first, again = (noise.changed(pairs, random.Random(seed)) for _ in range(2))
    assert first == again
    changed, kinds = first
    assert [pair for place, pair in enumerate(changed) if place not in kinds] == [
        pair for place, pair in enumerate(pairs) if place not in kinds
    ]


def test_as_many_pairs_get_each_kind_as_its_share_says():
    noise = TextNoise.of(2.0, ("upper-case", "joined"))
    assert noise is not None
    _, kinds = noise.changed(PAIRS[:2] * 5_000, random.Random(3))
    for kind in ("upper-case", "joined"):
        share = sum(found == kind for found in kinds.values()) / 10_000
        # Five standard errors of a share of 0.1 in 10,000 draws.
        assert abs(share - 2 * SHARES[kind]) < 5 * (0.1 * 0.9 / 10_000) ** 0.5


@pytest.mark.parametrize("turkish", ["tr", "tr-TR", "tur_Latn", "aze"])
def test_the_case_of_turkish_is_left_alone(turkish):
    noise = TextNoise.of(1.0, (), (turkish, "en"))
    assert noise is not None
    assert not set(noise.shares) & set(CASES)
    assert set(CASES) <= set(TextNoise.of(1.0, (), ("trv", "en")).shares)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"noise": 4.0}, "`noise` must be between 0 and 3.39"),
        ({"noise": 1.0, "noise_kinds": ("typo",)}, "Did you mean 'typos'?"),
        ({"noise_kinds": ("typos",)}, "Set `noise`"),
        ({"noise": 1.0, "task": "pronunciation"}, "it is for translation"),
        ({"sampled_copies": 2}, "without sampling or noise"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_refused(values, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        DataConfig(**values)


def test_a_source_with_a_tag_for_the_model_stays_as_it_is():
    noise = TextNoise.of(3.3, (), symbols=("<BT>",))
    assert noise is not None
    pairs = [(f"<BT> {source}", target) for source, target in PAIRS] + [*PAIRS]
    for seed in range(20):
        changed, _ = noise.changed(pairs, random.Random(seed))
        assert changed[: len(PAIRS)] == pairs[: len(PAIRS)]
        assert not any("<BT>" in source for source, _ in changed[len(PAIRS) :])


def test_a_number_of_thousands_of_digits_is_no_amount_to_change():
    number = "9" * 5000
    pair = f"There are {number} dogs.", f"Hay {number} perros."
    for source, target in one_kind("insertions", pairs=(pair,), seeds=40):
        assert number in source
        assert number in target
