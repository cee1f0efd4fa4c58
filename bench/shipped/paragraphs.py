"""Paragraphs made of lines that end with a stop, and which of their sentences have no translation.

A line is lost if what was made of it is empty or too short by the bounds of `quality/lengths.py`, or if several lines
were translated as one sentence and fewer sentences end in the output than there were lines.
"""

import random
import re
from collections.abc import Sequence
from itertools import accumulate

from saccade.quality.lengths import LengthBounds
from saccade.serving.translation import Translation

_STOP = re.compile(r"[.!?…][\"'»”’)]*(?=\s|$)")


def paragraphs(lines: Sequence[str], count: int, seed: int = 1) -> list[list[str]]:
    """So many paragraphs of four to eight lines each; a line may be in several of them."""
    chance = random.Random(seed)
    whole = [line.strip() for line in lines if re.search(r"\w[.!?][\"'»”’)]*$", line.strip())]
    return [chance.sample(whole, chance.randint(4, 8)) for _ in range(count)]


def lost_lines(lines: Sequence[str], translation: Translation, bounds: LengthBounds) -> list[str]:
    """The lines of a paragraph that the translation lacks."""
    pieces = [(one.source, one.text) for one in translation.pieces or (translation,)]
    ends = list(accumulate(_letters(source) for source, _ in pieces))
    begins = list(accumulate((_letters(line) for line in lines), initial=0))
    found = []
    for line, begin, end in zip(lines, begins, begins[1:], strict=False):
        own = [number for number, last in enumerate(ends) if begin < last and last - _letters(pieces[number][0]) < end]
        source, output = (" ".join(pieces[number][side] for number in own) for side in (0, 1))
        short = any(fault.kind == "too_short" for fault in bounds(source, output))
        joined = _letters(source) > _letters(line)
        if not output.strip() or short or (joined and len(_STOP.findall(output)) < len(_STOP.findall(source))):
            found.append(line)
    return found


def _letters(text: str) -> int:
    """By which the place of a piece in its paragraph is known: layout and brackets are in no piece."""
    return sum(character.isalpha() for character in text)
