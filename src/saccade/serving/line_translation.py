"""A window of lines through the search of one model: what is found for each, as translations.

    lines -> capitals -> required terms -> search -> protected spans kept -> faults repaired -> texts
          -> reranked, aligned, and told where the model was unsure

Equal inputs are searched once, in batches of similar length. A line for which nothing is found costs no other.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import torch

from saccade.data.tokenizer import Tokenizer
from saccade.decoding.beam import BeamConfig
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.sampling import SamplingConfig
from saccade.errors import InputError, LineError, RunError
from saccade.memory import memory_is_enough
from saccade.quality.calibration import Calibration
from saccade.quality.faults import SEEN, Fault, FaultFinder
from saccade.serving.batching import SearchInput, batches, default_batch_tokens
from saccade.serving.capitals import has_small_words, read_lowered, read_with_capital, surer, write_raised
from saccade.serving.confidence import confidence_of
from saccade.serving.glossary import Glossary
from saccade.serving.kept_spans import SpanKeeper, nothing_but_spans, protected_spans
from saccade.serving.model_engines import ModelEngines
from saccade.serving.repair import HELPED, Checked, Outcome, Repairer
from saccade.serving.reranking import Reranker
from saccade.serving.restored_spans import restore, restore_words
from saccade.serving.source_lines import Line, RefusedLine
from saccade.serving.translation import Candidate, Translation, failed
from saccade.serving.translation_options import TranslationOptions
from saccade.serving.unsure import doubts
from saccade.serving.word_alignment import Aligner, WordAlignment
from saccade.special_tokens import EOS

_EMPTY = Candidate("", 0.0, 0.0, (), True, WordAlignment((), (), ()))


@dataclass(frozen=True)
class LineTranslator:
    """Translates lines that have been read for its model.

    `saved_search` is used where no other is asked for. It reads and writes `languages`, if they are known.
    `lowers_capitals` says whether it reads sentences in capitals in lower case (`capitals.py`).
    """

    engines: ModelEngines
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    has_sources: bool
    saved_search: BeamConfig
    finder: FaultFinder | None
    calibration: Calibration | None
    lowers_capitals: bool = False
    languages: tuple[str | None, str | None] = (None, None)

    @cached_property
    def _spans(self) -> SpanKeeper:
        target = self.target_tokenizer.without_language
        return SpanKeeper(
            self.source_tokenizer, target, self.engines.forms, self.engines.model.maximum_length, self.languages
        )

    @cached_property
    def _repairer(self) -> Repairer | None:
        if self.finder is None:
            return None
        return Repairer(self.finder, self.target_tokenizer, self.engines.forms, self._spans.spans_of)

    def translate(self, window: Sequence[Line | RefusedLine], options: TranslationOptions) -> Iterator[Translation]:
        """The translation of each line, in order; what becomes of one that has none, `options.on_error` says."""
        patterns = options.protect
        if not self.lowers_capitals or patterns is None:
            return self._translate(window, options)
        return self._translate_capitals(window, patterns, options)

    def _translate_capitals(
        self, window: Sequence[Line | RefusedLine], patterns: tuple[str, ...], options: TranslationOptions
    ) -> Iterator[Translation]:
        """The same, with lines in capitals read in lower case, and single words in capitals in two ways."""
        read, twice = list(window), dict[int, Line | RefusedLine]()
        for place, line in enumerate(window):
            if not isinstance(line, RefusedLine) and self._may_be_capitals(line, patterns, options.glossary):
                spans = protected_spans(line.source, patterns)
                read[place] = read_lowered(line, spans, self.source_tokenizer, self.languages[0])
                with_capital = read_with_capital(line, spans, self.source_tokenizer)
                if with_capital is line:
                    continue
                if self.source_tokenizer.spells_every_letter(line.input.tokens):  # it would be copied
                    read[place] = with_capital
                elif not isinstance(options.search, SamplingConfig):  # scores of outputs that are drawn say nothing
                    twice[place] = with_capital
        others = dict(zip(twice, self._translate(list(twice.values()), options), strict=True)) if twice else {}
        for place, translation in enumerate(self._translate(read, options)):
            line = window[place]
            if place in others:
                yield surer(translation, others[place])
            elif read[place] is line:
                yield translation
            else:
                yield write_raised(translation, line.source, protected_spans(line.source, patterns))

    def _may_be_capitals(self, line: Line, patterns: tuple[str, ...], glossary: Glossary | None) -> bool:
        """Whether to look at it: not if a word is in small letters, or if a glossary must find its terms."""
        # A word that is not in capitals may be kept as it is by a pattern, but not by one of ours.
        if not patterns and has_small_words(line.source):
            return False
        return glossary is None or not glossary.found(line.source)

    def _translate(self, window: Sequence[Line | RefusedLine], options: TranslationOptions) -> Iterator[Translation]:
        on_error = options.on_error or "stop"
        translated: dict[int, Translation] = {}
        remaining: dict[int, Line] = {}
        for place, line in enumerate(window):
            if isinstance(line, RefusedLine) and self._is_copied(line.source, options):
                translated[place] = Translation(line.number, line.source, (replace(_EMPTY, text=line.source),))
            elif isinstance(line, RefusedLine):
                translated[place] = failed(line.number, line.source, line.error, on_error)
            elif self.has_sources and not line.input.tokens:
                translated[place] = Translation(line.number, line.source, (_EMPTY,))
            elif options.protect is not None and self.source_tokenizer.spells_every_letter(line.input.tokens):
                translated[place] = self._copied(line, options)
            else:
                remaining[place] = line
        search = options.search or self.saved_search
        # Everything that the beam holds is ranked by the other models, and only then cut to what was asked for.
        wide = replace(search, nbest=search.size) if options.rerank and isinstance(search, BeamConfig) else search
        asked = replace(options, search=wide)
        if options.glossary is not None:
            remaining = {place: self._with_glossary(line, options.glossary) for place, line in remaining.items()}
        outcomes = self._find(list(remaining.values()), asked)
        if options.protect is not None and isinstance(search, BeamConfig):
            find = partial(self._find, options=replace(asked, on_error="skip"))
            kept, outcomes = self._spans.keep(list(remaining.values()), outcomes, options.protect, find)
            remaining = dict(zip(remaining, kept, strict=True))
        best = replace(options, search=search)
        checked = dict(zip(remaining, self._repaired(list(remaining.values()), outcomes, best), strict=True))
        searched: dict[int, list[Hypothesis]] = {}
        for place, one in checked.items():
            if isinstance(one.outcome, LineError):
                translated[place] = failed(one.line.number, one.line.source, one.outcome, on_error)
            else:
                searched[place] = one.outcome
        lines, found = [checked[place].line for place in searched], list(searched.values())
        if options.scores:
            sources = [(*line.input.tokens, EOS) for line in lines]
            found = self.engines.stable_scores.settle_hypotheses(sources, found, search)
        written = self._candidates([checked[place] for place in searched], found, options)
        if options.scores and self.calibration is not None:
            written = self._with_confidence(lines, found, written, self.calibration)
        candidates: Sequence[list[Candidate] | LineError] = written
        if options.rerank is not None and isinstance(search, BeamConfig):
            candidates = self._rerank(lines, candidates, options.rerank, search, options)
        unsure = self._doubts(lines, found, written, candidates, options)
        for place, line, own, doubted in zip(searched, lines, candidates, unsure, strict=True):
            translated[place] = (
                failed(line.number, line.source, own, on_error)
                if isinstance(own, LineError)
                else Translation(
                    line.number,
                    line.source,
                    tuple(own),
                    truncated=line.truncated,
                    faults=self._faults(checked[place], own[0], doubted, options),
                    repaired=checked[place].repaired,
                )
            )
        yield from (translated[place] for place in range(len(window)))

    def _is_copied(self, source: str, options: TranslationOptions) -> bool:
        """Whether there is nothing to translate in a line."""
        return options.protect is not None and nothing_but_spans(source, self._spans.spans_of(source, options.protect))

    def _copied(self, line: Line, options: TranslationOptions) -> Translation:
        """What a model cannot read stays as it is, and is told."""
        looked = options.repair is not None and self._repairer is not None
        faults = (Fault("copy", line.source),) if looked else None
        return Translation(line.number, line.source, (replace(_EMPTY, text=line.source),), faults=faults)

    def _repaired(self, lines: list[Line], outcomes: Sequence[Outcome], options: TranslationOptions) -> list[Checked]:
        """The lines and what was found for them, searched again where that has faults and was asked for."""
        search = options.search
        if not options.repair or self._repairer is None or not isinstance(search, BeamConfig) or search.nbest > 1:
            return [Checked(line, outcome) for line, outcome in zip(lines, outcomes, strict=True)]
        every = replace(options, search=replace(search, nbest=search.size), on_error="skip")
        return self._repairer.repair(
            lines,
            outcomes,
            partial(self._find, options=every),
            kinds=SEEN if options.repair == "all" else HELPED,
            patterns=options.protect or (),
        )

    def _faults(
        self, one: Checked, candidate: Candidate, doubted: Sequence[Fault], options: TranslationOptions
    ) -> tuple[Fault, ...] | None:
        if options.repair is None or self._repairer is None:
            return None
        if one.looked_at == candidate.text:
            return (*one.left, *doubted)
        return (*self._repairer.faults(one.line.source, candidate.text, candidate.finished), *doubted)

    def _doubts(
        self,
        lines: list[Line],
        found: list[list[Hypothesis]],
        written: Sequence[list[Candidate]],
        candidates: Sequence[list[Candidate] | LineError],
        options: TranslationOptions,
    ) -> list[list[Fault]]:
        """Whether the model was sure of the best candidate of each line; what is drawn is improbable by right."""
        search = options.search or self.saved_search
        bound = None if self.calibration is None else self.calibration.certainty
        if bound is None or options.repair is None or not isinstance(search, BeamConfig):
            return [[] for _ in lines]
        # Other models may have put another candidate first.
        best = [
            next((place for place, one in enumerate(texts) if isinstance(own, list) and one.text == own[0].text), 0)
            for texts, own in zip(written, candidates, strict=True)
        ]
        outputs = [(line, hypotheses[place]) for line, hypotheses, place in zip(lines, found, best, strict=True)]
        return doubts(bound, self.engines.stable_scores, outputs, search, settled=options.scores)

    def _candidates(
        self, checked: list[Checked], found: list[list[Hypothesis]], options: TranslationOptions
    ) -> list[list[Candidate]]:
        """What was found as texts, aligned and with unknown words replaced where that was asked for."""
        if options.unknown_words is None and not options.alignment:
            return [[self._candidate(one, each, None) for each in own] for one, own in zip(checked, found, strict=True)]
        aligned = self._align([one.line for one in checked], found, options.batch_tokens)
        candidates: list[list[Candidate]] = []
        for one, hypotheses, own in zip(checked, found, aligned, strict=True):
            written = [self._candidate(one, *each) for each in zip(hypotheses, own, strict=True)]
            if options.unknown_words is not None:
                written = [options.unknown_words.replaced(one.line.source, candidate) for candidate in written]
            candidates.append(written if options.alignment else [replace(one, alignment=None) for one in written])
        return candidates

    def _rerank(
        self,
        lines: list[Line],
        candidates: Sequence[list[Candidate] | LineError],
        reranker: Reranker,
        search: BeamConfig,
        options: TranslationOptions,
    ) -> Sequence[list[Candidate] | LineError]:
        """The candidates in the order that other models have a part in; an error for a line that they cannot read."""
        lists = [(line.source, own) for line, own in zip(lines, candidates, strict=True) if isinstance(own, list)]
        ranked = reranker.rescore(lists, search, truncate=options.truncate, stable=options.scores)
        cut: list[list[Candidate] | LineError] = []
        for line, own in zip(lines, ranked, strict=True):
            if isinstance(own, LineError):
                error = LineError(f"line {line.number} {own}", own.reason, line.source)
                if options.on_error == "stop":
                    raise error
                cut.append(error)
            else:
                cut.append(own[: search.nbest])
        return cut

    def _find(self, lines: list[Line], options: TranslationOptions) -> list[list[Hypothesis] | LineError]:
        """What the search finds for each line; unless errors shall stop it, an error where it finds nothing."""
        search = options.search or self.saved_search
        if not options.constrained:
            lines = [replace(line, input=replace(line.input, leaves=())) for line in lines]

        def find(some: list[Line]) -> list[list[Hypothesis]]:
            with memory_is_enough("the search"):
                if isinstance(search, SamplingConfig):
                    return self._sample(some, search, options)
                return self._search(some, search, options.batch_tokens)

        try:
            return [*find(lines)]
        except (InputError, RunError):
            if options.on_error == "stop":
                raise
        # One of them spoilt it for all: each is asked alone.
        found: list[list[Hypothesis] | LineError] = []
        for line in lines:
            try:
                found += find([line])
            except (InputError, RunError) as problem:
                found.append(LineError(f"line {line.number}: {problem}", "no output", line.source))
        return found

    def _with_glossary(self, line: Line, glossary: Glossary) -> Line:
        terms = glossary.terms(line.source, self.engines.forms)
        return replace(line, input=replace(line.input, terms=terms)) if terms else line

    def _search(self, lines: list[Line], search: BeamConfig, batch_tokens: int | None) -> list[list[Hypothesis]]:
        """Text repeats itself: equal inputs are searched once.

        Several hypotheses may be segmentations of one text. Of these only the best counts, so where more than one
        output is wanted, all that the beam holds are asked for.
        """
        inputs = [line.input for line in lines]
        distinct = list(dict.fromkeys(inputs))
        asked = replace(search, nbest=search.size) if search.nbest > 1 else search
        found: dict[SearchInput, list[Hypothesis]] = {}
        for plain in (True, False):
            some = [one for one in distinct if one.plain is plain]
            if some:
                prefixed = any(one.prefix for one in some)
                results = (self.engines.engine(asked, prefixed=prefixed) if plain else self.engines.own).search(
                    some, asked, batch_tokens
                )
                found |= zip(some, results, strict=True)
        if search.nbest > 1:
            found = {one: self._distinct(hypotheses)[: search.nbest] for one, hypotheses in found.items()}
        return [found[one] for one in inputs]

    def _distinct(self, hypotheses: list[Hypothesis]) -> list[Hypothesis]:
        """The best hypothesis of every text."""
        best: dict[str, Hypothesis] = {}
        for hypothesis in hypotheses:
            best.setdefault(self.target_tokenizer.decode(hypothesis.tokens), hypothesis)
        return list(best.values())

    def _sample(self, lines: list[Line], config: SamplingConfig, options: TranslationOptions) -> list[list[Hypothesis]]:
        """Every line has a generator of its own, so equal lines may have different outputs."""

        def generator(place: int) -> torch.Generator:
            return _generator(options.seed, lines[place].number)

        return self.engines.own.sample([line.input for line in lines], config, generator, options.batch_tokens)

    def _align(
        self, lines: list[Line], found: list[list[Hypothesis]], batch_tokens: int | None
    ) -> list[list[WordAlignment]]:
        """The word alignments of everything that was found, in batches."""
        aligner = Aligner(self.engines.model, self.source_tokenizer, self.target_tokenizer, self.engines.device)
        aligned: list[list[WordAlignment]] = [[] for _ in lines]
        costs = [line.input.cost for line in lines]
        for batch in batches(costs, batch_tokens or default_batch_tokens(self.engines.device)):
            targets = [[hypothesis.tokens for hypothesis in found[index]] for index in batch]
            with memory_is_enough("a batch to align"):
                alignments = aligner.align([lines[index].input.tokens for index in batch], targets)
            for index, own in zip(batch, alignments, strict=True):
                aligned[index] = own
        return aligned

    def _candidate(self, one: Checked, hypothesis: Hypothesis, alignment: WordAlignment | None) -> Candidate:
        line, text = one.line, one.text_of(hypothesis)
        return Candidate(
            text=self._text(hypothesis.tokens, line) if text is None else text,
            score=hypothesis.score,
            log_probability=hypothesis.log_probability,
            token_log_probabilities=hypothesis.token_log_probabilities,
            finished=hypothesis.finished,
            engine=hypothesis.engine,
            alignment=restore_words(alignment, line.restored) if alignment and line.restored else alignment,
        )

    def _with_confidence(
        self,
        lines: list[Line],
        found: list[list[Hypothesis]],
        candidates: Sequence[list[Candidate]],
        calibration: Calibration,
    ) -> list[list[Candidate]]:
        """The candidates with how sure the model is of them, whichever engine has found them."""
        return [
            [
                replace(one, confidence=confidence_of(scored, self.target_tokenizer, calibration, line.restored))
                for one, scored in zip(own, hypotheses, strict=True)
            ]
            for line, own, hypotheses in zip(lines, candidates, found, strict=True)
        ]

    def _text(self, tokens: Sequence[int], line: Line) -> str:
        if self.engines.trees is not None:
            return self.engines.trees.text(tokens, line.words)
        text = self.target_tokenizer.decode(tokens)
        return restore(text, line.restored) if line.restored else text


def _generator(seed: int, number: int) -> torch.Generator:
    """Torch keeps 32 bits of a seed, so a digest of both numbers keeps neighbouring lines apart."""
    digest = hashlib.sha256(f"{seed} {number}".encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:4], "big"))
