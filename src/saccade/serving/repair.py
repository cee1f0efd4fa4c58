"""Faults of outputs, and another search for those that have any.

1. The output is checked (`quality/faults.py`). Most have no fault, and that is all.
2. Otherwise the sentence is searched again, for every output that the beam holds, and once more so that the fault
   cannot come back: without repetitions, without the name or number that was invented, not as short or as long, or with
   the names and numbers that were missing.
3. Of all these, the one with the fewest faults is taken, and of several the most probable. It must have fewer faults
   than the first, no protected span less, and not be much less probable. Else the first stays, with its faults.

Whether this makes a better text was measured against references (`bench/repairs.py`): an output that is too short gains
much, one that lacks a name something, all others nothing that could be shown; and all but the first cost more time than
was allowed before. So only outputs that are too short are searched again unless all are asked for.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from saccade.data.normalisation import normalise
from saccade.data.tokenizer import Tokenizer
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.ngram_blocking import Blocking
from saccade.decoding.term_forms import TermForms
from saccade.decoding.terms import MOST_TERMS
from saccade.documents.protected_spans import Span
from saccade.errors import LineError
from saccade.quality.checks import fault_without_end
from saccade.quality.faults import SEEN, Fault, FaultFinder, FaultKind
from saccade.serving.kept_spans import missing_spans
from saccade.serving.restored_spans import restore
from saccade.serving.source_lines import Line

Outcome = list[Hypothesis] | LineError
Find = Callable[[list[Line]], list[Outcome]]

WORSE = 1.0
"""How much lower the score of a repaired output may be, in nats: the score is divided by the length penalty."""
HELPED: tuple[FaultKind, ...] = ("too_short",)
"""The faults whose repair is known to make a better text."""
_REQUIRED = ("number_dropped", "name_dropped")
_FORBIDDEN = ("number_invented", "name_invented")


@dataclass(frozen=True)
class Checked:
    """What is kept of a line: how it was searched, what was found, and the faults that were repaired.

    `left` are the faults of the text that was looked at, if one was.
    """

    line: Line
    outcome: Outcome
    repaired: tuple[Fault, ...] = ()
    looked_at: str | None = None
    left: tuple[Fault, ...] = ()

    def text_of(self, hypothesis: Hypothesis) -> str | None:
        """The text of one of the outputs, if it is what was looked at."""
        if self.looked_at is None or isinstance(self.outcome, LineError):
            return None
        return self.looked_at if hypothesis.tokens == self.outcome[0].tokens else None


@dataclass(frozen=True)
class Repairer:
    """Searches again where an output has faults, with the tokenizer of a model.

    `spans_of` finds what must be copied of a source, the patterns of the user included.
    """

    finder: FaultFinder
    target_tokenizer: Tokenizer
    forms: TermForms
    spans_of: Callable[[str, tuple[str, ...]], Sequence[Span]]

    def faults(self, source: str, text: str, finished: bool) -> tuple[Fault, ...]:
        """The faults of an output."""
        found = self.finder.find(source, text)
        return found if finished else (*found, fault_without_end())

    def repair(
        self,
        lines: Sequence[Line],
        outcomes: Sequence[Outcome],
        find: Find,
        *,
        kinds: Collection[FaultKind] = SEEN,
        patterns: tuple[str, ...] = (),
    ) -> list[Checked]:
        """Each line with what was found for it, or with something better.

        Only faults of these `kinds` are a reason to search; `patterns` are what the user protects.
        """
        checked = [self._checked(line, outcome) for line, outcome in zip(lines, outcomes, strict=True)]
        faults = {
            place: one.left
            for place, one in enumerate(checked)
            if not one.line.input.prefix and any(fault.kind in kinds for fault in one.left)
        }
        attempts = [
            (place, line)
            for place, own in faults.items()
            for line in self._attempts(checked[place], [fault for fault in own if fault.kind in kinds])
        ]
        results = find([line for _, line in attempts]) if attempts else []
        offers: dict[int, list[tuple[Line, Hypothesis]]] = {}
        for (place, line), outcome in zip(attempts, results, strict=True):
            if isinstance(outcome, list):
                offers.setdefault(place, []).extend((line, hypothesis) for hypothesis in outcome)
        for place, offered in offers.items():
            checked[place] = self._best(checked[place], faults[place], offered, patterns)
        return checked

    def _attempts(self, one: Checked, faults: Sequence[Fault]) -> list[Line]:
        """The line as it was, and so that its faults cannot come back."""
        assert isinstance(one.outcome, list)
        attempts = [one.line]
        missing = [normalise(fault.what) for fault in faults if fault.kind in _REQUIRED]
        terms = [self.forms.term((text,)) for text in missing]
        room = MOST_TERMS - len(one.line.input.terms)
        if terms and all(terms) and len(terms) <= room:
            attempts.append(replace(one.line, input=replace(one.line.input, terms=(*one.line.input.terms, *terms))))
        blocking = self._blocking(one.outcome[0], faults)
        if blocking and not one.line.input.terms:
            attempts.append(replace(one.line, input=replace(one.line.input, blocking=blocking)))
        return attempts

    def _blocking(self, hypothesis: Hypothesis, faults: Sequence[Fault]) -> Blocking:
        kinds = {fault.kind for fault in faults}
        words = [
            [hypothesis.tokens[place] for place in word] for word in self.target_tokenizer.words(hypothesis.tokens)
        ]
        texts = [self.target_tokenizer.decode(word) for word in words]
        invented = [fault.what for fault in faults if fault.kind in _FORBIDDEN]
        sequences = [
            tuple(word) for word, text in zip(words, texts, strict=True) if any(one in text for one in invented)
        ]
        length = len(hypothesis.tokens) - hypothesis.finished
        return Blocking(
            repetition="loop" in kinds or "too_long" in kinds,
            sequences=tuple(dict.fromkeys(sequences)),
            # What has no end can have too few letters as well: it must not become longer.
            shortest=length + max(length // 4, 2) if "too_short" in kinds and "too_long" not in kinds else 0,
            longest=max(length * 3 // 4, 1) if "too_long" in kinds else None,
        )

    def _best(
        self,
        first: Checked,
        faults: Sequence[Fault],
        offered: Sequence[tuple[Line, Hypothesis]],
        patterns: tuple[str, ...],
    ) -> Checked:
        assert isinstance(first.outcome, list)
        original, spans = first.outcome[0], self.spans_of(first.line.source, patterns)
        missing = len(missing_spans(spans, self._text(first.line, original)))
        best, fewest = first, len(faults)
        # The most probable first, and of equals the one that was found first.
        for line, hypothesis in sorted(offered, key=lambda one: -one[1].score):
            if hypothesis.score < original.score - WORSE or not hypothesis.finished:
                continue
            offer = self._checked(line, [hypothesis])
            if len(offer.left) < fewest and len(missing_spans(spans, str(offer.looked_at))) <= missing:
                repaired = tuple(fault for fault in faults if fault not in offer.left)
                best, fewest = replace(offer, repaired=repaired), len(offer.left)
        return best

    def _checked(self, line: Line, outcome: Outcome) -> Checked:
        """A line and what was found for it, with the faults of the first output."""
        if isinstance(outcome, LineError):
            return Checked(line, outcome)
        text = self._text(line, outcome[0])
        return Checked(line, outcome, (), text, self.faults(line.source, text, outcome[0].finished))

    def _text(self, line: Line, hypothesis: Hypothesis) -> str:
        return restore(self.target_tokenizer.decode(hypothesis.tokens), line.restored)
