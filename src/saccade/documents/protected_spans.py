"""Spans that a translation must copy character by character: addresses, numbers, code, placeholders, emoji.

The patterns prefer to miss a doubtful span: one that is protected wrongly stays untranslated, while one that is missed
is translated as it would have been anyway. Numbers written as words, and digits inside a word (`1st`, `B2B`), are text.

The time is linear in the length of the text, whatever it holds: a pattern that reads on without bound begins only where
a run of its characters begins, and what cannot be read in another way is not tried again (`*+`).
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from saccade.errors import ConfigError

_IN_ADDRESS = r"[^\s<>\"`\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]"
_DOMAINS = "com|org|net|edu|gov|int|info|io|dev|app|eu|uk|de|es|fr|it|ch|at|mx|ar|cl|co|us|ca|cn|jp|ru|br|pt|nl|ai|me"
_EXTENSIONS = (
    "pdf|txt|docx?|xlsx?|pptx?|odt|csv|tsv|jsonl?|xml|html?|css|md|rst|tex|ya?ml|toml|ini|cfg|conf|log|png|jpe?g|gif|"
    "svg|webp|mp[34]|wav|avi|mkv|zip|tar|gz|xz|7z|rar|exe|deb|iso|py|js|ts|java|cpp|rs|go|sh|bat|sql|po|srt|vtt"
)
# A letter, digit or underscore of a script that parts its words by spaces: what a number or an address must not touch.
_WORD = r"[^\W\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]"
# Thousands may be parted by plain spaces, `6 628`: groups of three behind at most three digits, and no digits around.
_SPACED = r"(?<!\d )\d{1,3}(?: \d{3})+(?! ?\d)(?:[.,]\d+)?"
_NUMBER = rf"(?:{_SPACED}|\d+(?:[.,'\u2019\u00a0\u202f]\d+)*)"
_ALONE = rf"(?<!{_WORD})(?<![.,:/])(?<!{_WORD}-)"
_SIGN = r"(?:(?<![\w)])[-+\u2212\u00b1])?"
_CURRENCY = r"[$\u00a3\u00a5\u20ac\u20b9\u20bd\u20a9]"
_CURRENCY_CODES = "USD|EUR|GBP|JPY|CHF|CNY|MXN|ARS|INR|BRL|CAD|AUD|SEK|NOK|DKK|PLN|CZK|TRY"
# One letter that is also a word, or another word altogether ("5 in the morning"), counts as a unit only where it is
# glued to its number.
_UNITS = (
    r"km/h|km\u00b2|km|cm\u00b2|cm|mm|m\u00b2|m\u00b3|m/s|m|kg|mg|g|ml|cl|l|[kMGT]i?B|[KMG]bit/s|[kKMG]bps|[kMG]?Hz|[kMG]Wh|"
    r"[kMG]?W|kV|V|mA|mAh|\u00b0[CF]|\u00b0|\u00ba[CF]|mph|rpm|px|pt|dpi|dB|hPa|kPa|bar|kcal|kJ|ha|ft|lbs?|oz|ms|"
    r"min|h|(?<!\d)s"
)
_GLUED_UNITS = r"in|A|K|M|mi|yd|B|k|x"
_PICTURE = (
    r"[\u231a\u231b\u23e9-\u23f3\u25aa-\u25fe\u2600-\u27bf\u2b05-\u2b55\U0001f000-\U0001f1e5\U0001f200-\U0001faff]"
)
_MODIFIERS = r"[\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*"

_KINDS: tuple[tuple[str, str], ...] = (
    ("code", r"(?<!`)(?P<ticks>`++).{1,2000}?(?<!`)(?P=ticks)(?!`)"),
    (
        "url",
        rf"(?<!{_WORD})(?:(?:https?|ftps?|file|git|ssh)://|www\.){_IN_ADDRESS}+"
        rf"|(?<!{_WORD})(?<![.@-])(?:[a-z0-9-]+\.)+(?:{_DOMAINS})\b(?:/{_IN_ADDRESS}*|(?![\w.@-]\w))",
    ),
    # With a path behind a colon it is the address of a repository: git@example.org:team/project.git.
    (
        "email",
        r"(?<![\w.+-])(?:mailto:)?[\w][\w.+-]*@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}(?::[\w~-]+(?:/[\w.-]*[\w-])+)?",
    ),
    (
        "placeholder",
        r"\{\{\s*[^{}\s][^{}]{0,60}?\s*\}\}|\$\{[^{}\s]{1,60}\}|\$\([A-Za-z_]\w*\)|\{[A-Za-z_]?[\w.:\[\]!-]{0,60}\}"
        r"|(?<!\d)%\([A-Za-z_]\w*\)[#0 +-]*+\d*+(?:\.\d+)?[sdifrxeg]\b"
        r"|(?<!\w)%(?:\d+\$)?[#0+-]*+\d*+(?:\.\d+)?l{0,2}[sdifuxXeg@](?!\w)|%[A-Z][A-Z_]+%|</?\d+\s*/?>|\$[A-Z][A-Z_]{2,}\b"
        r"|\[\[[A-Z][A-Z0-9_]{0,60}\]\]",
    ),
    (
        "path",
        rf"(?<!\w)[A-Za-z]:\\{_IN_ADDRESS}*|(?<![\w/.<])(?:~|\.{{1,2}})?(?:/[\w.+@%-]*[\w+@%-])+/?"
        rf"|(?<![\w/.-])[\w-]+(?:/[\w.-]+)+\.\w{{1,5}}\b"
        rf"|(?<![\w/.@-])-*+(?P<file>\w[\w-]*(?:\.[\w-]+)*\.(?:{_EXTENSIONS})\b(?!\.\w))",
    ),
    ("identifier", r"(?<![\w.@#%/'\u2019-])[A-Za-z][A-Za-z0-9]*+(?:_[A-Za-z0-9]+)+(?![\w/]|\.\w)"),
    ("mention", r"(?<![\w@/.])@[A-Za-z_](?:[\w.]*\w)?"),
    ("hashtag", r"(?<![\w&/#])#\w+"),
    (
        "emoji",
        rf"(?:[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f?\u20e3|{_PICTURE}{_MODIFIERS}(?:\u200d{_PICTURE}{_MODIFIERS})*)",
    ),
    ("phone", rf"(?<!{_WORD})\+\d[\d ()/-]{{6,20}}\d(?!{_WORD})"),
    (
        "date",
        rf"(?<!{_WORD})(?<![/.-])(?:\d{{4}}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
        rf"|\d{{1,2}}(?P<rule>[/.-])\d{{1,2}}(?P=rule)\d{{2,4}}|\d{{4}}/\d{{1,2}}/\d{{1,2}})(?!{_WORD}|/|[.-]\d)",
    ),
    ("time", rf"(?<!{_WORD})(?<![:.,])\d{{1,2}}:\d\d(?::\d\d(?:[.,]\d+)?)?(?!{_WORD}|:|[.,]\d)"),
    (
        "number",
        rf"{_ALONE}{_SIGN}(?:US|A|C|R)?{_CURRENCY}[ \u00a0]?{_NUMBER}(?:[ \u00a0]?(?:bn|k|K|M|B))?(?!{_WORD}|[.,]\d)"
        rf"|{_ALONE}(?:{_CURRENCY_CODES})[ \u00a0]?{_NUMBER}(?!{_WORD}|[.,]\d)"
        rf"|{_ALONE}{_SIGN}{_NUMBER}(?:[-\u2013]{_NUMBER})?"
        rf"(?:[ \u00a0\u202f]?(?:{_CURRENCY}|%|\u2030|(?:{_CURRENCY_CODES}|{_UNITS})(?!{_WORD}|/))"
        rf"|(?:{_GLUED_UNITS})(?!{_WORD}|/)|(?:/\d+)?(?!{_WORD}|[.,:/-]\d))",
    ),
)
# Where a span may begin: not inside a word, but for the digit of a keycap.
_BEGINNING = re.compile(rf"(?=\S)(?:(?<!{_WORD})|(?!\w)|(?=\d\ufe0f?\u20e3))")
# Every span has one of these, or `.` before a letter, or `[[`, and begins in the same word or, as "USD 5", in the word
# before. Most text has none, and looking for them takes a hundredth of the time.
_SIGN_CHARACTERS = rf"\d`@{{$%/\\#_\u20e3\U0001f1e6-\U0001f1ff{_PICTURE[1:-1]}"
_SIGNS = re.compile(rf"[{_SIGN_CHARACTERS}.\[](?:(?<![.\[])|(?<=\.)(?=\w)|(?<=\[)(?=\[))")
# An address behind another span may have none: www.-
_LATER_SIGNS = re.compile(rf"{_SIGNS.pattern}|www\.")
_TRAILING = ".,;:!?'\"\u2019\u201d\u00bb\u2026*_"
_BRACKETS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True)
class Span:
    """A part of a text, from `start` to before `end`, and what kind of thing it is."""

    start: int
    end: int
    text: str
    kind: str


def compile_patterns(patterns: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    """A user's own patterns: regular expressions, none of which may match nothing at all."""
    compiled = []
    for pattern in patterns:
        try:
            compiled.append(re.compile(pattern))
        except re.error as error:
            raise ConfigError(
                f"`protect` must be regular expressions, but {pattern!r} is none: {error}. "
                "Write a backslash before a character that stands for itself."
            ) from error
        if compiled[-1].match("") is not None:
            raise ConfigError(f"`protect` must match some text, but {pattern!r} matches nothing at all. Write + for *.")
    return tuple(compiled)


def find_spans(text: str, patterns: Sequence[re.Pattern[str]] = ()) -> list[Span]:
    """The protected spans of a text, in order and apart from each other; those of the `patterns` come first."""
    if not patterns:
        return _known(text)
    own = [
        Span(found.start(), found.end(), found.group(), "pattern")
        for pattern in patterns
        for found in pattern.finditer(text)
        if found.group().strip()
    ]
    first: list[Span] = []
    for span in sorted(own, key=lambda one: (one.start, -one.end)):
        if not first or first[-1].end <= span.start:
            first.append(span)
    ends = [span.end for span in first]
    others = []
    for span in _known(text):
        place = bisect_right(ends, span.start)  # of the first that ends behind where this one begins
        if place == len(first) or span.end <= first[place].start:
            others.append(span)
    return sorted([*first, *others], key=lambda one: one.start)


def _known(text: str) -> list[Span]:
    sign = _SIGNS.search(text)
    if sign is None:
        return []
    spans = []
    place = _start_of_two_words(text, sign.start())
    while (found := _next(text, place)) is not None:
        kind = found.lastgroup or ""
        written, start = found.group(), found.start()
        if found["file"]:  # dashes before a name are none of it
            written, start = found["file"], found.start("file")
        if kind in ("url", "path"):
            written = _trimmed(written)
        if written:
            spans.append(Span(start, start + len(written), written, kind))
        place = start + max(len(written), 1)
    return spans


def _next(text: str, place: int) -> re.Match[str] | None:
    """The first span from a place on: what `_any_span` finds, which would try every letter between two signs."""
    while (sign := _LATER_SIGNS.search(text, place)) is not None:
        # A keycap is three characters, the first of which may be the sign.
        for beginning in _BEGINNING.finditer(text, _start_of_two_words(text, sign.start(), place), sign.start() + 3):
            if beginning.start() > sign.start():
                break
            if (found := _any_span().match(text, beginning.start())) is not None:
                return found
        place = sign.start() + 1
    return None


@cache
def _any_span() -> re.Pattern[str]:
    """All kinds in one pattern, compiled when a text has a sign of one: that takes a while, and most have none."""
    return re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _KINDS))


def _start_of_two_words(text: str, place: int, first: int = 0) -> int:
    """Where the word before the one at this place begins, but not before the `first` place."""
    for word in range(2):
        place -= word  # the space between them
        while place > first and not text[place - 1].isspace():
            place -= 1
    return max(place, first)


def _trimmed(address: str) -> str:
    """Without the punctuation of the sentence around it; a closing bracket stays where it was opened inside."""
    counts = {bracket: address.count(bracket) for pair in _BRACKETS.items() for bracket in pair}
    end = len(address)
    while end > 0:
        last = address[end - 1]
        if last in _BRACKETS and counts[_BRACKETS[last]] < counts[last]:
            counts[last] -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return address[:end]


def occurrences(span: str, text: str) -> int:
    """How often a span stands in a text as a whole: not inside a longer word or number."""
    count, start = 0, text.find(span)
    while start >= 0:
        end = start + len(span)
        before, after = text[max(start - 2, 0) : start][::-1], text[end : end + 2]
        whole = not _goes_on(span[0], before) and not _goes_on(span[-1], after)
        count += whole
        start = text.find(span, end if whole else start + 1)
    return count


def _goes_on(character: str, outside: str) -> bool:
    """Whether the word or number of this character goes on with those outside, the nearest first."""
    if character.isalnum() and outside[:1].isalnum():
        return True
    return character.isdigit() and outside[:1] in (".", ",", ":") and outside[1:].isdecimal()
