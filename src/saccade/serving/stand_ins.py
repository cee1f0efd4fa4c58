"""Names and numbers that stand in for spans of a source: the model knows them, and copies them nearly always.

    source      I wait until {time} in 3 lines.        in its place     I wait until Boston in 43 lines.
    output      Espero hasta Boston en 43 líneas.      restored         Espero hasta {time} en 3 líneas.

A number that stands in has two digits, since small ones are written as words, and ends as the other does, since in some
languages the form of the next word depends on how a number ends. Nothing stands in for 1, which is no plural, nor for
an hour: at 45 p.m. no afternoon would be left.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from saccade.data.normalisation import normalise
from saccade.data.tokenizer import Tokenizer
from saccade.documents.protected_spans import Span
from saccade.serving.restored_spans import where_it_stood
from saccade.serving.source_lines import Restored

# Names that are written alike in many languages: places first, which need no preposition for persons.
_NAMES = (
    "Boston", "Chicago", "Toronto", "Texas", "Florida", "Colorado", "Madrid", "Harvard", "Google", "Tom", "Smith",
    "Martin", "David", "Daniel", "Kevin", "Robert", "X", "Z", "W", "K", "Q", "J", "V", "H", "R", "L", "N", "T",
)  # fmt: skip
_TENS = "4768593"
_HOUR = re.compile(r"[ \u00a0]?(?:[ap]\. ?m\b|[ap]m\b|o['\u2019]clock|Uhr\b)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,'\u2019 \u00a0\u202f]\d+)*")

Kind = Literal["name", "number", "itself"]
"""What stands in for a span."""


@dataclass(frozen=True)
class WithStandIns:
    """A source in which others stand in for spans, what must be restored, and what its output must have."""

    text: str
    restored: tuple[Restored, ...]
    written: tuple[str, ...]


@dataclass(frozen=True)
class StandIns:
    """Chooses what stands in for spans, by the tokenizers of a model."""

    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer

    def replaced(
        self, source: str, spans: Sequence[Span], kind_for: Callable[[Span], Kind | None]
    ) -> WithStandIns | None:
        """The source with stand-ins of these kinds, and without emoji; None where something has none."""
        names = (name for name in self._names if not re.search(rf"\b{name}\b", source))
        used = set[str]()
        text, end, restored, written = "", 0, list[Restored](), list[str]()
        for span in spans:
            text, end = text + source[end : span.start], span.end
            kind = kind_for(span)
            if span.kind == "emoji":
                restored.append(where_it_stood(span, source))
            elif kind == "itself":
                text += span.text
                written.append(normalise(span.text))
                if written[-1] != span.text:
                    restored.append(Restored(written[-1], span.text))
            elif kind == "number":
                number = _NUMBER.search(span.text)
                if number is None or _HOUR.match(source, span.end):
                    return None
                other = next(_other_numbers(number.group(), source, used), None)
                if other is None:
                    return None
                used.add(other)
                text += span.text[: number.start()] + other + span.text[number.end() :]
                restored.append(Restored(other, number.group()))
            else:
                name = next(names, None) if kind == "name" else None
                if name is None:
                    return None
                joined = text[-1:].isalnum(), source[span.end :][:1].isalnum()
                text += f"{' ' * joined[0]}{name}{' ' * joined[1]}"
                restored.append(Restored(name, span.text, *joined))
                written.append(name)
        return WithStandIns(text + source[end:], tuple(restored), tuple(written))

    @cached_property
    def _names(self) -> list[str]:
        """Those that both vocabularies write with few pieces come first: the model has seen them often."""
        pieces = [tokenizer.encode(list(_NAMES)) for tokenizer in (self.source_tokenizer, self.target_tokenizer)]
        lengths = {name: len(source) + len(target) for name, source, target in zip(_NAMES, *pieces, strict=True)}
        return sorted(_NAMES, key=lengths.__getitem__)


def stand_once(restored: Sequence[Restored], text: str) -> bool:
    """Whether an output has everything that stands in exactly once, and no number as a part of a longer one."""
    return all(
        len(re.findall(rf"(?<!\w){re.escape(one.written)}(?!\w)", text)) == 1
        and not re.search(rf"\d[.,: ]{re.escape(one.written)}(?!\w)|(?<!\w){re.escape(one.written)}[.,: ]\d", text)
        for one in restored
        if one.written
    )


def _other_numbers(number: str, source: str, used: set[str]) -> Iterator[str]:
    digits = re.sub(r"\D", "", number)
    # Digit by digit: Python reads no number of thousands of digits.
    if digits != number or any(map(int, digits[:-1])) or int(digits[-1]) != 1:
        last = "7" if digits[-2:] in ("11", "12", "13", "14") else digits[-1]
        yield from (other for ten in _TENS if (other := ten + last) not in source and other not in used)
