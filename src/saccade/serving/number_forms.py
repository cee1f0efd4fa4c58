"""Numbers that an output has in another form than the source: `1,200` as `1.200`, `0.5%` as `0,5 %`, `$5` as `5 $`.

A protected number is copied character by character, but a model writes it as its language does. What it wrote says the
same, so the number's own text is put in its place, and nothing needs to be searched again. Two texts say the same if

- they have the same digits in the same groups; a point, a comma or an apostrophe parts them (`1.5`, `1,5`), in a time
  a colon or a point, in a date a point, a slash or a hyphen;
- or groups of three digits are parted by a space, or not at all (`30,000`, `30 000`, `30000`);
- and sign, currency and unit are the same, before the digits or behind them, with a space or without.

Nothing is put where it could be wrong: not for what the source has in that form too, and not for a part of a longer
number. So a text never loses or gains a digit by it.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from saccade.data.normalisation import normalise
from saccade.documents.protected_spans import Span
from saccade.serving.restored_spans import restore
from saccade.serving.source_lines import Restored

_KINDS = frozenset({"number", "date", "time"})
_MARKS = ".,'\u2019 "
_PARTED = r"[.,'\u2019]"
_PARTS = re.compile(r"(?P<sign>[-+\u2212\u00b1]?)(?P<before>\D*)(?P<digits>\d(?:.*\d)?)(?P<after>\D*)")
_ALIKE = {"-": "[-\u2212\u2013]", "\u2212": "[-\u2212]", "\u00b0": "[\u00b0\u00ba]"}
"""Signs and units that are written with one character or another."""
_BETWEEN = {
    "number": {**dict.fromkeys(_MARKS, _PARTED), **dict.fromkeys("-\u2013", "[-\u2013]")},
    "time": {":": "[:.]", **dict.fromkeys(".,", "[.,]")},
    "date": dict.fromkeys("./-", "[./-]"),
}
"""What may stand between two groups of digits instead of a mark; all other marks are themselves."""
_BEFORE = r"(?<![^\W_])(?<!\d[.,:])(?<![-+\u2212\u00b1])"
_AFTER = r"(?![^\W_])(?![.,:]\d)"


def in_own_form(spans: Sequence[Span], source: str, text: str) -> list[Restored]:
    """What must be restored in a text, so that it has the numbers of the source as the source writes them."""
    text = normalise(text)
    own = {normalise(span.text): span for span in spans if span.kind in _KINDS}
    places, restored = list[tuple[int, int, str]](), dict[str, Restored]()
    for written in sorted(own, key=len, reverse=True):  # `5 km` before `5`
        pattern = other_forms(written, own[written].kind)
        found = [] if pattern is None else [one for one in pattern.finditer(text) if _is_free(one, places)]
        rivals = [other for other in own if other != written and pattern is not None and pattern.fullmatch(other)]
        for one in found:
            form = one.group()
            known = form == written or bool(rivals) or form in source
            if not known:
                restored[form] = Restored(form, own[written].text)
            places.append((*one.span(), form if known else own[written].text))
    # It is restored wherever it stands: elsewhere it may be part of something else.
    intended, end = "", 0
    for start, after, new in sorted(places):
        intended, end = intended + text[end:start] + new, after
    own_forms = list(restored.values())
    return own_forms if restore(text, own_forms) == intended + text[end:] else []


@lru_cache(maxsize=4096)
def other_forms(written: str, kind: str) -> re.Pattern[str] | None:
    """What says the same as a number, itself included; None where there is no other way to write it."""
    parts = _PARTS.fullmatch(written)
    if parts is None:
        return None
    unit = (parts["before"] + parts["after"]).strip()
    groups, marks = re.findall(r"\d+", parts["digits"]), re.findall(r"\D+", parts["digits"])
    if any(len(mark) > 1 for mark in marks):
        return None
    before, after = _BEFORE, _AFTER
    if kind == "number" and all(mark in _MARKS for mark in marks):
        count = len(groups) if _in_threes(groups) else len(groups) - 1 or 1  # what follows is a decimal fraction
        whole = _threes(groups[0]) if count == 1 else groups[:count]
        pattern = f"[{_MARKS}]?".join(whole) if _in_threes(whole) else _PARTED.join(whole)
        pattern = _PARTED.join([pattern, *groups[count:]])
        before += r"(?<!\d )" if len(whole[0]) == 3 else ""
        after += r"(?! \d{3}(?!\d))" if count == len(groups) else ""
    else:
        pattern = groups[0]
        for mark, group in zip(marks, groups[1:], strict=True):
            pattern += _BETWEEN[kind].get(mark, re.escape(mark)) + group
    if unit:
        own_unit = _ALIKE.get(unit, re.escape(unit))
        pattern = f"(?:{own_unit} ?{pattern}|{pattern} ?{own_unit})"
    if parts["sign"]:
        pattern = _ALIKE.get(parts["sign"], re.escape(parts["sign"])) + pattern
    return None if pattern == written else re.compile(before + pattern + after)


def _threes(digits: str) -> list[str]:
    """A number of more than three digits in groups of three."""
    first = len(digits) % 3 or 3
    return [digits[:first], *(digits[place : place + 3] for place in range(first, len(digits), 3))]


def _in_threes(groups: Sequence[str]) -> bool:
    return groups[0] != "0" and len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])


def _is_free(found: re.Match[str], places: Sequence[tuple[int, int, str]]) -> bool:
    return all(found.end() <= start or end <= found.start() for start, end, _ in places)
