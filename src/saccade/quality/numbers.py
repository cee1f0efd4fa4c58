"""Numbers: digits of the source that are missing in the output, and digits there that the source does not have.

A number is its digits alone, so that 1,000.5 and 1.000,5 are the same, and 07 is 7. What languages write in different
ways is the same number too: 2.4 billion and 2.400 millones, the 1980s and los 80, the 19th century and el siglo XIX.
Numbers in words are not counted, and a small number may be a word on one side.
"""

import re
from collections import Counter
from collections.abc import Sequence

from saccade.quality.faults import Fault

LARGEST_WORD = 12
"""Numbers up to this one are often written as words."""
LARGEST_ROMAN = 39
_SPACES = " \u00a0\u202f\u2009"
_NUMBER = re.compile(rf"\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?!\d)|\d+(?:[.,'\u2019]\d+)*")
_ROMAN = re.compile(r"\b[XVI]+\b")
_DIGIT = re.compile(r"\d")
_NO_DIGIT = re.compile(r"\D")


def wrong_numbers(source: str, output: str) -> list[Fault]:
    """The numbers that one side has more often than the other."""
    if not (_DIGIT.search(source) or _DIGIT.search(output)):
        return []
    there, here = _NUMBER.findall(source), _NUMBER.findall(output)
    dropped = _without_counterpart(there, [*here, *_ROMAN.findall(output)])
    invented = _without_counterpart(here, [*there, *_ROMAN.findall(source)])
    known = {digits_of(number) for number in there}
    return [
        *(Fault("number_dropped", number) for number in dropped if not _may_be_word(number)),
        # A small number that the source has once and the output twice was not made of a word.
        *(
            Fault("number_invented", number)
            for number in invented
            if not _may_be_word(number) or digits_of(number) in known
        ),
    ]


def digits_of(number: str) -> str:
    """The digits of a number, of whatever script, as those of ASCII; Roman numbers stay."""
    return "".join(str(int(digit)) for digit in _NO_DIGIT.sub("", number)).lstrip("0") or "0"


def _without_counterpart(numbers: Sequence[str], others: Sequence[str]) -> list[str]:
    """Those that are left when each is paired with another: first with an equal one, then with what may be meant."""
    left = _without_equals(numbers, others)
    remaining = _without_equals(others, numbers) if left else []
    unpaired = []
    for number in left:
        meant = next((other for other in remaining if _may_mean(number, other)), None)
        if meant is None:
            unpaired.append(number)
        else:
            remaining.remove(meant)
    return unpaired


def _without_equals(numbers: Sequence[str], others: Sequence[str]) -> list[str]:
    """The numbers that are left when each is paired with an equal one of the others."""
    equals = Counter(map(digits_of, others))
    left = []
    for number in numbers:
        digits = digits_of(number)
        equals[digits] -= 1
        if equals[digits] < 0:
            left.append(number)
    return left


def _may_mean(number: str, other: str) -> bool:
    shorter, longer = sorted((digits_of(number), digits_of(other)), key=len)
    if other[0] in "XVI":
        return _roman(digits_of(number)) == other
    if len(longer) < 4:
        return False
    year = len(longer) == 4 and len(shorter) == 2 and longer.endswith(shorter)
    return year or (longer.startswith(shorter) and not longer[len(shorter) :].strip("0"))


def _roman(digits: str) -> str:
    value = int(digits) if len(digits) <= 2 else 0
    if not 0 < value <= LARGEST_ROMAN:
        return ""
    return "X" * (value // 10) + ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")[value % 10]


def _may_be_word(number: str) -> bool:
    digits = digits_of(number)
    return len(digits) <= 2 and int(digits) <= LARGEST_WORD
