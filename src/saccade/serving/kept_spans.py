"""Protected spans in translations: no address, number, placeholder or unseen word of a source is lost or altered.

1. The sentence is translated. Where the output has all spans, nothing more happens.
2. Where one is missing, the sentence is searched again for an output that contains them. Numbers, dates and times
   are written by the model. Any other span, and a long one, is replaced by a name that it knows, and which stands
   in for the span until the output is there. Emoji, which mean nothing to most models, are taken out.
3. Where one is still missing, names stand in for all of them.
4. What even then is missing is put where it was, counted in words.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from saccade.data.tokenizer import Tokenizer, normalise
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.term_forms import TermForms
from saccade.decoding.terms import MOST_TERMS, Term
from saccade.documents.protected_spans import Span, compile_patterns, find_spans, occurrences
from saccade.errors import LineError
from saccade.serving.source_lines import Line, Restored
from saccade.serving.unseen_words import with_unseen_words
from saccade.serving.word_alignment import WordAlignment

Outcome = list[Hypothesis] | LineError
Find = Callable[[list[Line]], list[Outcome]]

LONGEST = 12
"""Pieces of a number that is written by the model itself; a longer one is replaced."""
_WRITTEN = frozenset({"number", "date", "time", "phone"})
# Names that are written alike in many languages: places first, which need no preposition for persons.
_NAMES = (
    "Boston", "Chicago", "Toronto", "Texas", "Florida", "Colorado", "Madrid", "Harvard", "Google", "Tom", "Smith",
    "Martin", "David", "Daniel", "Kevin", "Robert", "X", "Z", "W", "K", "Q", "J", "V", "H", "R", "L", "N", "T",
)  # fmt: skip


@dataclass(frozen=True)
class SpanKeeper:
    """Searches again where spans are missing, with the tokenizers of a model."""

    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    forms: TermForms
    maximum_length: int

    def keep(
        self, lines: Sequence[Line], outcomes: Sequence[Outcome], patterns: tuple[str, ...], find: Find
    ) -> tuple[list[Line], list[Outcome]]:
        """The lines and what was found for them, searched again where that was needed, with what must be restored."""
        kept, found = list(lines), list(outcomes)
        spans = [self.spans_of(line.source, patterns) if not line.input.prefix else [] for line in lines]
        for place, own in enumerate(spans):
            if nothing_but_spans(lines[place].source, own):
                kept[place] = replace(
                    lines[place], restored=(Restored("", normalise(lines[place].source), whole=True),)
                )
        for is_replaced in (self._is_replaced, lambda _: True):
            again = [place for place, own in enumerate(spans) if own and self._missing(kept[place], found[place], own)]
            asked = [(place, self._with_spans(lines[place], spans[place], is_replaced)) for place in again]
            possible = [(place, line) for place, line in asked if line is not None]
            results = find([line for _, line in possible]) if possible else []
            for (place, line), outcome in zip(possible, results, strict=True):
                if not isinstance(outcome, LineError):
                    kept[place], found[place] = line, outcome
        for place, own in enumerate(spans):
            missing = self._missing(kept[place], found[place], own) if own else []
            placed = tuple(_placed(span, lines[place].source) for span in missing)
            kept[place] = replace(kept[place], restored=(*kept[place].restored, *placed)) if placed else kept[place]
        return kept, found

    def spans_of(self, source: str, patterns: tuple[str, ...]) -> Sequence[Span]:
        """What must be copied of a source; the patterns are those of the user."""
        return with_unseen_words(protected_spans(source, patterns), source, self.source_tokenizer)

    def _missing(self, line: Line, outcome: Outcome, spans: Sequence[Span]) -> list[Span]:
        """The spans that the best output has too seldom, as often as they are missing."""
        if isinstance(outcome, LineError):
            return []
        return missing_spans(spans, restore(self.target_tokenizer.decode(outcome[0].tokens), line.restored))

    def _is_replaced(self, span: Span) -> bool:
        return span.kind not in _WRITTEN or len(self.target_tokenizer.encode([span.text])[0]) > LONGEST

    def _with_spans(self, line: Line, spans: Sequence[Span], is_replaced: Callable[[Span], bool]) -> Line | None:
        """The line to search again; None where it would be too long, or there are not enough names."""
        names = iter([name for name in self._names if not re.search(rf"\b{name}\b", line.source)])
        text, end, restored, terms = "", 0, list[Restored](), list[Term]()
        for span in spans[: MOST_TERMS - len(line.input.terms)]:
            text, end = text + line.source[end : span.start], span.end
            written = normalise(span.text)
            if span.kind == "emoji":
                restored.append(_placed(span, line.source))
                continue
            if is_replaced(span):
                written = next(names, "")
                if not written:
                    return None
                joined = text[-1:].isalnum(), line.source[span.end :][:1].isalnum()
                text += f"{' ' * joined[0]}{written}{' ' * joined[1]}"
                restored.append(Restored(written, span.text, *joined))
            else:
                text += span.text
                if written != span.text:
                    restored.append(Restored(written, span.text))
            terms.append(self.forms.term((written,)))
        tokens = tuple(self.source_tokenizer.encode([text + line.source[end:]])[0])
        if not tokens or len(tokens) >= self.maximum_length or not all(terms):
            return None
        search = replace(line.input, tokens=tokens, terms=(*line.input.terms, *terms))
        return replace(line, input=search, restored=tuple(restored))

    @cached_property
    def _names(self) -> list[str]:
        """Those that both vocabularies write with few pieces come first: the model has seen them often."""
        pieces = [tokenizer.encode(list(_NAMES)) for tokenizer in (self.source_tokenizer, self.target_tokenizer)]
        lengths = {name: len(source) + len(target) for name, source, target in zip(_NAMES, *pieces, strict=True)}
        return sorted(_NAMES, key=lengths.__getitem__)


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
    ends = [0, *(span.end for span in spans)]
    starts = [*(span.start for span in spans), len(source)]
    between = "".join(source[end:start] for end, start in zip(ends, starts, strict=True))
    return bool(spans) and not any(character.isalnum() for character in between)


def _placed(span: Span, source: str) -> Restored:
    """A span that stands where it stood in the source, by its share of the words, at the end before or after a stop."""
    words = len(source[: span.start].split()), len(source.split())
    rest = source[span.end :].strip()
    if not any(character.isalnum() for character in rest):
        return Restored("", span.text, share=1.0 if rest else 2.0)
    return Restored("", span.text, share=words[0] / words[1])


def restore(text: str, restored: Sequence[Restored]) -> str:
    """The text with its spans in the place of the names that stood in for them, and the others where they stood."""
    for one in restored:
        if one.whole:
            return one.span
        if one.written:
            before, after = (r" ?" if joined else "" for joined in (one.joined_before, one.joined_after))
            pattern = re.compile(rf"{before}(?<!\w){re.escape(one.written)}(?!\w){after}")
            # All of them: a name that the model wrote once too often must not stay.
            text = pattern.sub(lambda _: one.span, text)  # noqa: B023 it is called at once
    for one in restored:
        if not one.written:
            text = _inserted(text, one)
    return text


def restore_words(alignment: WordAlignment, restored: Sequence[Restored]) -> WordAlignment:
    """The alignment with spans in the place of the names that stood in for them; what has no place is no word of it."""
    names = {one.written: one.span for one in restored if one.written}
    if not names:
        return alignment
    pattern = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in names))
    source, target = (
        tuple(pattern.sub(lambda found: names[found.group()], word) for word in words)
        for words in (alignment.source_words, alignment.target_words)
    )
    return replace(alignment, source_words=source, target_words=target)


def _inserted(text: str, one: Restored) -> str:
    words = text.split(" ") if text else []
    if one.share >= 1:
        closing = re.search(r"[.!?\u2026\u3002\uff01\uff1f]*$", text) if one.share == 1 else None
        end = closing.start() if closing else len(text)
        return " ".join(filter(None, [text[:end].rstrip(), one.span])) + text[end:]
    place = round(one.share * len(words))
    return " ".join([*words[:place], one.span, *words[place:]])


@lru_cache(maxsize=8)
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return compile_patterns(patterns)
