"""Protected spans in translations: no address, number, placeholder or unseen word of a source is lost or altered.

1. The sentence is translated. Where the output has all spans, nothing more happens.
2. Numbers that the output has in another form get their own (`number_forms.py`), or with another word of scale
   (`number_scales.py`).
3. Where a span is missing, a number or a name that the model knows takes its place in the source, stands in for it
   until the output is there, and is replaced by it (`stand_ins.py`). Emoji, which mean nothing to most models, are
   taken out. The sentence is searched as any other, and the output is taken if it has all spans.
4. Else it is searched for an output that must contain what was missing: numbers, dates and times themselves, and for
   any other span, and a long one, the name that stands in.
5. Where one is still missing, names stand in for all spans, and must be there.
6. What even then is missing is put where it was, counted in words.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from saccade.data.normalisation import normalise
from saccade.data.tokenizer import Tokenizer
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.term_forms import TermForms
from saccade.decoding.terms import MOST_TERMS
from saccade.documents.protected_spans import Span, compile_patterns, find_spans, occurrences
from saccade.errors import LineError
from saccade.serving.number_forms import in_own_form
from saccade.serving.number_scales import in_own_scale
from saccade.serving.restored_spans import restore, where_it_stood
from saccade.serving.source_lines import Line, Restored
from saccade.serving.stand_ins import Kind, StandIns, stand_once
from saccade.serving.unseen_words import with_unseen_words

Outcome = list[Hypothesis] | LineError
Find = Callable[[list[Line]], list[Outcome]]
LONGEST = 12
"""Pieces of a number that is written by the model itself; for a longer one a name stands in."""
_WRITTEN = frozenset({"number", "date", "time", "phone"})


@dataclass(frozen=True)
class Attempt:
    """One way to search again: what stands in for spans, and whether the output must have it.

    It is for `every` span of a sentence, or for those that are missing.
    """

    kind_for: Callable[[Span], Kind | None]
    required: bool
    every: bool = False


@dataclass(frozen=True)
class SpanKeeper:
    """Searches again where spans are missing, with the tokenizers of a model."""

    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    forms: TermForms
    maximum_length: int
    languages: tuple[str | None, str | None] = (None, None)

    def keep(
        self, lines: Sequence[Line], outcomes: Sequence[Outcome], patterns: tuple[str, ...], find: Find
    ) -> tuple[list[Line], list[Outcome]]:
        """The lines and what was found for them, searched again where that was needed, with what must be restored."""
        kept, found = list(lines), list(outcomes)
        spans = [self.spans_of(line.source, patterns) if not line.input.prefix else [] for line in lines]
        for place, own in enumerate(spans):
            if nothing_but_spans(lines[place].source, own):
                whole = Restored("", normalise(lines[place].source), whole=True)
                kept[place] = replace(lines[place], restored=(whole,))
            else:
                kept[place] = self._in_own_form(lines[place], found[place], own)
        missing = {place: self._missing(kept[place], found[place], own) for place, own in enumerate(spans) if own}
        for attempt in self._attempts:
            asked = [
                (place, self._line(lines[place], spans[place] if attempt.every else lost, attempt))
                for place, lost in missing.items()
                if lost
            ]
            possible = [(place, line) for place, line in asked if line is not None]
            results = find([line for _, line in possible]) if possible else []
            for (place, line), outcome in zip(possible, results, strict=True):
                if isinstance(outcome, LineError):
                    continue
                own_form = self._in_own_form(line, outcome, spans[place])
                lost = self._missing(own_form, outcome, spans[place])
                if attempt.required or (not lost and self._stand_once(line, outcome)):
                    kept[place], found[place], missing[place] = own_form, outcome, lost
        for place, lost in missing.items():
            placed = [where_it_stood(span, lines[place].source) for span in lost]
            kept[place] = replace(kept[place], restored=(*kept[place].restored, *placed))
        return kept, found

    def spans_of(self, source: str, patterns: tuple[str, ...]) -> Sequence[Span]:
        """What must be copied of a source; the patterns are those of the user."""
        return with_unseen_words(protected_spans(source, patterns), source, self.source_tokenizer)

    def _missing(self, line: Line, outcome: Outcome, spans: Sequence[Span]) -> list[Span]:
        """The spans that the best output has too seldom, as often as they are missing."""
        if not spans or isinstance(outcome, LineError):
            return []
        return missing_spans(spans, restore(self.target_tokenizer.decode(outcome[0].tokens), line.restored))

    def _in_own_form(self, line: Line, outcome: Outcome, spans: Sequence[Span]) -> Line:
        """The line, with what must be restored for numbers that the best output has in another form."""
        missing = self._missing(line, outcome, spans)
        if not missing or isinstance(outcome, LineError):
            return line
        text = restore(self.target_tokenizer.decode(outcome[0].tokens), line.restored)
        scaled = in_own_scale(missing, line.source, text, self.languages)
        formed = in_own_form(spans, line.source, restore(text, scaled))
        return replace(line, restored=(*line.restored, *scaled, *formed))

    def _stand_once(self, line: Line, outcome: Sequence[Hypothesis]) -> bool:
        return all(stand_once(line.restored, self.target_tokenizer.decode(one.tokens)) for one in outcome)

    @cached_property
    def _attempts(self) -> tuple[Attempt, ...]:
        return (
            Attempt(_plain_stand_in, required=False),
            Attempt(lambda span: "itself" if self._is_written(span) else "name", required=True),
            Attempt(lambda _: "name", required=True, every=True),
        )

    def _is_written(self, span: Span) -> bool:
        return span.kind in _WRITTEN and len(self.target_tokenizer.encode([span.text])[0]) <= LONGEST

    def _line(self, line: Line, spans: Sequence[Span], attempt: Attempt) -> Line | None:
        """The line to search again; None where it would be too long, or something has nothing to stand in."""
        some = spans[: MOST_TERMS - len(line.input.terms)]
        new = self._stand_ins.replaced(line.source, some, attempt.kind_for)
        if new is None:
            return None
        tokens = tuple(self.source_tokenizer.encode([new.text])[0])
        terms = [self.forms.term((written,)) for written in new.written] if attempt.required else []
        if not tokens or len(tokens) >= self.maximum_length or not all(terms):
            return None
        search = replace(line.input, tokens=tokens, terms=(*line.input.terms, *terms))
        return replace(line, input=search, restored=new.restored)

    @cached_property
    def _stand_ins(self) -> StandIns:
        return StandIns(self.source_tokenizer, self.target_tokenizer)


def protected_spans(source: str, patterns: tuple[str, ...]) -> Sequence[Span]:
    """The spans of a source that any model must copy; the patterns are those of the user."""
    return find_spans(source, _compiled(patterns))


def missing_spans(spans: Sequence[Span], text: str) -> list[Span]:
    """The spans that a translation has too seldom, as often as they are missing."""
    text = normalise(text)
    texts = [normalise(span.text) for span in spans]
    found = {one: occurrences(one, text) for one in set(texts)}
    missing = []
    for span, written in zip(spans, texts, strict=True):
        found[written] -= 1
        if found[written] < 0:
            missing.append(span)
    return missing


def nothing_but_spans(source: str, spans: Sequence[Span]) -> bool:
    """Whether a text has spans, and nothing to translate beside them."""
    if not spans:
        return False
    ends = [0, *(span.end for span in spans)]
    starts = [*(span.start for span in spans), len(source)]
    between = "".join(source[end:start] for end, start in zip(ends, starts, strict=True))
    return not any(map(str.isalnum, between))


def _plain_stand_in(span: Span) -> Kind | None:
    """Nothing stands in for dates and times."""
    if span.kind == "number":
        return "number"
    return None if span.kind in _WRITTEN else "name"


@lru_cache(maxsize=8)
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return compile_patterns(patterns)
