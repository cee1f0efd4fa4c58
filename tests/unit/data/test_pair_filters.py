import pytest

from saccade.data import pair_filters as reasons
from saccade.data.pair_filters import CleaningConfig
from saccade.errors import ConfigError

CONFIG = CleaningConfig("en", "es", maximum_length=200, numbers=True)


def why(source: str, target: str, config: CleaningConfig = CONFIG) -> str | None:
    rules = [*config.rules(), *config.language_rules()]
    return next((reason for reason, breaks in rules if breaks(source, target)), None)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("The train leaves at nine.", "El tren sale a las nueve.", None),
        ("", "El tren sale a las nueve.", reasons.EMPTY),
        ("word " * 41, "palabra " * 30, reasons.TOO_LONG),
        ("The \ufffdrain leaves.", "El tren sale.", reasons.DAMAGED),
        ("10 + 20 = 30 km", "10 + 20 = 30 km.", reasons.FEW_LETTERS),
        ("12 dogs", "12 perros", None),
        ("Yes, he does so all the time", "Sí", reasons.OUT_OF_PROPORTION),
        ("Thank you very much indeed, sir", "非常感谢您，先生。", None),
        ("Yes, of course he does", "Sí", None),
        (f"See {'x' * 61} now", "Véase esto de aquí ahora, por favor, y no luego", reasons.LONG_WORD),
        (f"See https://a.b/{'x' * 61} now", f"Véase https://a.b/{'x' * 61} ahora", None),
        ("中" * 61, "China, " * 25, None),
        ("Tom Jackson!", "«TOM JACKSON»", reasons.COPY),
        ("It has 1,234.5 and 2 parts", "Tiene 1.234,5 y 2 partes", None),
        ("It has 12 parts", "Tiene 13 partes", reasons.NUMBERS),
        ("Dieser Zug fährt heute nicht nach Berlin.", "Este tren no va hoy a Berlín.", reasons.SOURCE_LANGUAGE),
        ("This train does not go to Berlin today.", "This train doesn't go to Berlin today.", reasons.TARGET_LANGUAGE),
        ("Dieser Zug", "Este tren", None),  # too short to tell
    ],
)
def test_each_rule_on_either_side_of_its_line(source, target, expected):
    languages = (None, None) if any("\u4e00" <= letter <= "\u9fff" for letter in source + target) else ("en", "es")
    assert why(source, target, CleaningConfig(*languages, maximum_length=200, numbers=True)) == expected


def test_numbers_and_languages_are_looked_at_only_if_asked_for():
    config = CleaningConfig()
    assert why("It has 12 parts", "Tiene 13 partes", config) is None
    assert why("Dieser Zug fährt heute nicht nach Berlin.", "Este tren no va hoy a Berlín.", config) is None


@pytest.mark.parametrize("ratio", [0.5, float("nan")])
def test_a_limit_that_would_leave_nothing_is_refused(ratio):
    with pytest.raises(ConfigError, match=f"`maximum_ratio` must be at least 1, but is {ratio}"):
        CleaningConfig(maximum_ratio=ratio)
