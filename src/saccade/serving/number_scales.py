"""Numbers with a word of scale: `1.7 billion` comes out as `1 700 millones`, and the number of the source is nowhere.

Both say the same, but before `millones` the number of the source would be wrong. So where an output has one such number
of the same value, it is written with the source's own and the scale that belongs to it, `1.7 mil millones`. A currency
goes with its number: `450 000 millones de dólares` is `$450 000 millones` where the source has `$450 billion`. This is
done between languages whose words are known here.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from saccade.documents.protected_spans import Span
from saccade.language_codes import language_code
from saccade.serving.source_lines import Restored


@dataclass(frozen=True)
class _Language:
    """Words of scale with their powers of ten, the plural of each last; how numbers and currencies are written.

    A currency may be followed by what is not about it: any of the words `after`, or where there are none, any word.
    """

    scales: dict[str, int]
    thousands: str
    decimals: str
    currencies: dict[str, str]
    of: str = ""
    after: str = ""


_LANGUAGES = {
    "en": _Language(
        {"thousand": 3, "million": 6, "billion": 9, "trillion": 12},
        thousands=",",
        decimals=".",
        currencies={"$": "dollars?", "\u20ac": "euros?", "\u00a3": "pounds?"},
    ),
    "es": _Language(
        {"mil": 3, "mill\u00f3n": 6, "millones": 6, "mil millones": 9, "bill\u00f3n": 12, "billones": 12},
        thousands=" .",
        decimals=",",
        currencies={"$": "d\u00f3lar(?:es)?", "\u20ac": "euros?", "\u00a3": "libras?"},
        of="(?: de)?",
        after="a|al|con|cada|de|del|desde|durante|e|el|en|entre|hasta|la|las|los|m\u00e1s|o|para|pero|por|que|se|sin|sobre|y",
    ),
    "de": _Language(
        {"Tausend": 3, "tausend": 3, "Million": 6, "Millionen": 6, "Milliarde": 9, "Milliarden": 9, "Billion": 12}
        | {"Billionen": 12},
        thousands=" .",
        decimals=",",
        currencies={"$": "Dollar", "\u20ac": "Euro", "\u00a3": "Pfund"},
    ),
}


def in_own_scale(
    spans: Sequence[Span], source: str, text: str, languages: tuple[str | None, str | None]
) -> list[Restored]:
    """What must be restored in a text that has numbers of the source with another word of scale."""
    here, there = (_LANGUAGES.get(language_code(language)) for language in languages)
    if here is None or there is None:
        return []
    sums = [(_sum(span, source, here), span) for span in spans if span.kind == "number"]
    restored = []
    for own, span in sums:
        if own is None or [other for other, _ in sums].count(own) > 1:
            continue
        found = [one for one in _in_text(there, own.currency).finditer(text) if _value(one, there) == own.value]
        if len(found) == 1:
            restored.append(Restored(found[0].group(), _written(span, own, found[0], there)))
    return restored


@dataclass(frozen=True)
class _Sum:
    value: Decimal
    power: int
    number: str
    currency: str


def _sum(span: Span, source: str, language: _Language) -> _Sum | None:
    """A number of the source with the word of scale behind it."""
    parts = re.fullmatch(rf"(?P<currency>\D?) ?(?P<number>{_number(language)})", span.text)
    scale = re.match(rf"[ -]({_words(language)})\b", source[span.end :])
    if parts is None or scale is None or (parts["currency"] and parts["currency"] not in language.currencies):
        return None
    power = language.scales[scale[1]]
    return _Sum(_read(parts["number"], power, language), power, parts["number"], parts["currency"])


def _in_text(language: _Language, currency: str) -> re.Pattern[str]:
    behind = ""
    if currency:
        following = rf"(?=\W*$|[^\w\s]| (?:{language.after})\b)" if language.after else r"\b"
        behind = rf"{language.of} {language.currencies[currency]}{following}"
    return re.compile(rf"(?<![\w$.,-])(?<!\d )(?P<number>{_number(language)}) (?P<scale>{_words(language)})\b{behind}")


def _value(found: re.Match[str], language: _Language) -> Decimal:
    return _read(found["number"], language.scales[found["scale"]], language)


def _written(span: Span, own: _Sum, found: re.Match[str], language: _Language) -> str:
    if found["number"].startswith(f"{own.number} "):  # 450 000 millones: it is there already
        return f"{span.text}{found['number'][len(own.number) :]} {found['scale']}"
    if language.scales[found["scale"]] == own.power:
        return f"{span.text} {found['scale']}"
    plural = {power: word for word, power in language.scales.items()}
    return f"{span.text} {plural[own.power]}"


def _read(number: str, power: int, language: _Language) -> Decimal:
    """A number times this power of ten, exactly: no arithmetic rounds it, and it may have thousands of digits."""
    for mark in language.thousands:
        number = number.replace(mark, "")
    return Decimal(f"{number.replace(language.decimals, '.')}E{power}")


def _number(language: _Language) -> str:
    fraction = rf"(?:{re.escape(language.decimals)}\d+)?"
    return rf"\d{{1,3}}(?:[{language.thousands}]\d{{3}})+(?!\d){fraction}|\d+{fraction}"


def _words(language: _Language) -> str:
    return "|".join(sorted(language.scales, key=len, reverse=True))
