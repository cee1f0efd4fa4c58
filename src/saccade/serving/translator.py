"""Text in, text out: a model folder as a person uses it.

    translator = saccade.load("runs/x")
    translator.translate("Two men are talking. They laugh.")        # a text, by its sentences
    translator.translate(["Two men are talking."], nbest=3)         # texts of each, best first
    translator.translate_batch(["Two men are talking."])            # with scores, alignments, errors
    translator.stream(open("book.txt"))                             # the same, of any number of lines
    translator.translate_file("page.html", "página.html")           # a document

Long inputs stream: a window of lines is read, each distinct one is searched once, by length in batches of equal cost,
and all are given back in the order they came, so memory does not grow with the input, and no translation depends on
its neighbours.
"""

import hashlib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any, Unpack, overload

import torch

from saccade.data.tasks import find_task
from saccade.decoding.beam import BeamConfig
from saccade.decoding.ensemble import Ensemble
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.sampling import SamplingConfig, sample
from saccade.decoding.term_forms import TermForms
from saccade.decoding.tree_outputs import TreeOutputs
from saccade.documents.protected_spans import compile_patterns
from saccade.errors import ConfigError, InputError, LineError, RunError
from saccade.hardware import missing_device
from saccade.memory import memory_is_enough
from saccade.models.contract import Transducer
from saccade.output_files import OutputFile
from saccade.sequences import EOS, Sequences
from saccade.serving.batching import SearchInput, batches, default_batch_tokens, search_in_batches
from saccade.serving.bundle import Bundle, model_folder
from saccade.serving.document_translation import TranslatedDocument, format_of, read_document, translate_document
from saccade.serving.engines import Engine, TorchEngine, choose_engines, rules_for
from saccade.serving.glossary import Glossary
from saccade.serving.kept_spans import SpanKeeper, nothing_but_spans, restore, restore_words
from saccade.serving.pair_scoring import PairScorer
from saccade.serving.reranking import Reranker
from saccade.serving.source_lines import Line, LineReader, RefusedLine, with_prefixes
from saccade.serving.stable_scores import StableScores
from saccade.serving.text_translation import TextTranslator
from saccade.serving.translation import Candidate, OnError, Scored, Translation, failed
from saccade.serving.translation_options import TranslateSettings, TranslationOptions
from saccade.serving.unknown_words import UnknownWords, check_unknown_words
from saccade.serving.word_alignment import Aligner, WordAlignment


class Translator:
    """A model with its tokenizers and search: what `saccade.load` returns.

    `engine` names what searches: our own code on torch, CTranslate2, or the fastest of those that are there.
    """

    def __init__(
        self, bundles: Sequence[Bundle], device: torch.device, engine: str = "torch", name: str = "model"
    ) -> None:
        assert bundles, "a translator needs a model"
        _check_that_ensemble_shares_tokenizers(bundles)
        self.name = name
        self._bundles = tuple(bundles)
        self.bundle = bundles[0]
        self.source_tokenizer = self.bundle.source_tokenizer
        self.target_tokenizer = self.bundle.target_tokenizer
        self.device = device
        self.model: Transducer[Any, Any] = (
            self.bundle.model if len(bundles) == 1 else Ensemble([bundle.model for bundle in bundles])
        )
        leaves = self.bundle.leaves
        self._trees = None if leaves is None else TreeOutputs(self.target_tokenizer, leaves, device)
        self._forms = TermForms(self.target_tokenizer)
        self.engines = choose_engines(engine, bundles, self.model, device, self._trees, self._forms)
        self._reader = LineReader(
            self.source_tokenizer, self.target_tokenizer, self.model.maximum_length, self._has_sources, self._trees
        )

    def __repr__(self) -> str:
        languages = [one for one in (self.bundle.source_language, self.bundle.target_language) if one]
        parameters = sum(parameter.numel() for parameter in self.model.parameters())
        size = f"{parameters / 1e6:.1f} M" if parameters >= 1e5 else f"{parameters:,}"
        engine = self.engines[0].description
        return (
            f"<saccade {self.name!r}: {self.task} {'-'.join(languages)}, {self.bundle.architecture}, "
            f"{size} parameters, {engine}>"
        ).replace(" ,", ",")

    @cached_property
    def _stable_scores(self) -> StableScores:
        return StableScores(self.model, self.device)

    @cached_property
    def _scorer(self) -> PairScorer:
        return PairScorer(self.model, self.device, self._reader, self._stable_scores)

    @cached_property
    def texts(self) -> TextTranslator:
        """What translates texts and documents by their sentences."""
        return TextTranslator(self._reader, self._translate_window, self.bundle.source_language, self.model.attends)

    @cached_property
    def _own_engine(self) -> TorchEngine:
        """Our own search, which alone can sample and be constrained."""
        own = [engine for engine in self.engines if isinstance(engine, TorchEngine)]
        return own[0] if own else TorchEngine(self.model, self.device, self._trees, self._forms)

    @cached_property
    def _spans(self) -> SpanKeeper:
        return SpanKeeper(self.source_tokenizer, self.target_tokenizer, self._forms, self.model.maximum_length)

    @property
    def task(self) -> str:
        """What the model was trained for."""
        return self.bundle.task

    @property
    def digest(self) -> str:
        """A checksum of the model folders, without the decoding defaults that may be edited."""
        return hashlib.sha256(" ".join(str(bundle.digest) for bundle in self._bundles).encode()).hexdigest()

    @property
    def _has_sources(self) -> bool:
        return find_task(self.task).has_sources

    @property
    def traceable(self) -> Bundle:
        """The model that a trace shows; an ensemble has several."""
        if self.model is not self.bundle.model:
            raise ConfigError("a trace must be of one model, but this is an ensemble of several. Load one of them.")
        return self.bundle

    @property
    def search(self) -> BeamConfig:
        """The search the model was saved with."""
        return BeamConfig(**self.bundle.decoding)

    @overload
    def translate(  # type: ignore[overload-overlap] # one text is also a sequence of texts
        self,
        texts: str,
        *,
        nbest: None = None,
        prefix: str | Sequence[str] = "",
        **settings: Unpack[TranslateSettings],
    ) -> str: ...
    @overload
    def translate(
        self,
        texts: Sequence[str],
        *,
        nbest: None = None,
        prefix: str | Sequence[str] = "",
        **settings: Unpack[TranslateSettings],
    ) -> list[str]: ...
    @overload
    def translate(  # type: ignore[overload-overlap]
        self, texts: str, *, nbest: int, prefix: str | Sequence[str] = "", **settings: Unpack[TranslateSettings]
    ) -> list[str]: ...
    @overload
    def translate(
        self,
        texts: Sequence[str],
        *,
        nbest: int,
        prefix: str | Sequence[str] = "",
        **settings: Unpack[TranslateSettings],
    ) -> list[list[str]]: ...
    def translate(
        self,
        texts: str | Sequence[str],
        *,
        nbest: int | None = None,
        prefix: str | Sequence[str] = "",
        **settings: Unpack[TranslateSettings],
    ) -> str | list[str] | list[list[str]]:
        """The best translation of a text, or of each of several; with `nbest`, up to that many, best first.

        `beam`, `alpha` and `coverage` replace what the model was saved with, `sampling` draws instead of searching, a
        `prefix`, one for all or one for each, is how the translation must begin, `rerank` lets other models take part
        in the ranking, `unknown_words` replaces what a word vocabulary lacks, `truncate` translates only the beginning
        of what is too long for the model, `on_error` "skip" or "copy" goes on where a text cannot be translated.
        `translate_batch` takes the same and tells more.

        A translation model splits a text into sentences and keeps what is around them to the character, where one
        translation is asked for, without prefix or sampling; `split_sentences=False` takes it as one sentence.
        """
        several = [texts] if isinstance(texts, str) else texts
        translations = self.translate_batch(several, nbest=nbest, prefix=prefix, **settings)
        if settings.get("on_error") is None:
            for error in (translation.error for translation in translations if translation.error is not None):
                warnings.warn(f"A sentence was copied: {error}", stacklevel=2)
        found = [translation.text if nbest is None else translation.texts for translation in translations]
        return found[0] if isinstance(texts, str) else found  # type: ignore[return-value]

    def translate_batch(
        self,
        texts: Sequence[str],
        *,
        nbest: int | None = None,
        prefix: str | Sequence[str] = "",
        alignment: bool = False,
        **settings: Unpack[TranslateSettings],
    ) -> list[Translation]:
        """As `translate`, with everything that is known: scores, candidates, word alignments, errors."""
        options = self.options(nbest=nbest, alignment=alignment, **settings)
        if isinstance(texts, str) or not isinstance(texts, Iterable):
            raise InputError(f"`texts` must be a text or a list of texts, but is {_shown(texts)}.")
        texts = list(texts)
        for index, text in enumerate(texts):
            if not isinstance(text, str):
                raise InputError(f"`texts[{index}]` must be a text, but is {_shown(text)}.")
        if not isinstance(prefix, str) and len(prefix) != len(texts):
            raise InputError(f"`prefix` must be one text or {len(texts)}, but there are {len(prefix)}.")
        return list(self.stream(texts, options, prefix))

    def translate_file(
        self,
        source: str | Path,
        output: str | Path,
        *,
        overwrite: bool = False,
        **settings: Unpack[TranslateSettings],
    ) -> TranslatedDocument:
        """Translates a document (HTML, Markdown, subtitles, gettext, XLIFF, JSON, Word) into a file of the same format.

        The format is known by how the name of the source ends.
        """
        options = self.options(**settings)
        if not self.splits(options):
            raise ConfigError("a document must be translated by its sentences, which these settings do not allow.")
        source = Path(source)
        place = OutputFile.of(Path(output), overwrite=overwrite, advice="Choose another name, or set `overwrite`.")
        found = translate_document(self.texts, read_document(source), format_of(source), options, name=str(source))
        with place.writing() as file:
            file.write(found.content)
        return found

    def options(
        self,
        *,
        beam: int | None = None,
        alpha: float | None = None,
        coverage: float | None = None,
        nbest: int | None = None,
        sampling: SamplingConfig | None = None,
        seed: int = 1,
        unknown_words: UnknownWords | None = None,
        rerank: Reranker | None = None,
        alignment: bool = False,
        scores: bool = False,
        truncate: bool = False,
        on_error: OnError | None = None,
        split_sentences: bool = True,
        constrained: bool = True,
        glossary: Glossary | Mapping[str, str] | None = None,
        protect: bool | Sequence[str] = True,
        batch_tokens: int | None = None,
        window: int = TranslationOptions.window,
    ) -> TranslationOptions:
        """What `stream` takes: the search the model was saved with, changed where a value is given."""
        search: BeamConfig | SamplingConfig = self.search
        if sampling is None:
            search = self.beam_search(size=beam, alpha=alpha, coverage=coverage, nbest=nbest)
        else:
            for name, value in {"beam": beam, "alpha": alpha, "coverage": coverage, "nbest": nbest}.items():
                if value is not None:
                    raise ConfigError(f"`{name}` must not come with `sampling`, which does not search. Leave one out.")
            search = sampling
        if unknown_words is not None:
            check_unknown_words(self.model, self.target_tokenizer)
        if rerank is not None:
            rerank.check_sources(self._has_sources)
        return TranslationOptions(
            search=search,
            glossary=self._glossary(glossary, search),
            protect=self._patterns(protect),
            seed=seed,
            unknown_words=unknown_words,
            rerank=rerank,
            alignment=alignment,
            scores=scores,
            truncate=truncate,
            on_error=on_error,
            split_sentences=split_sentences,
            constrained=constrained,
            batch_tokens=batch_tokens,
            window=window,
        )

    def _glossary(
        self, given: Glossary | Mapping[str, str] | None, search: BeamConfig | SamplingConfig
    ) -> Glossary | None:
        if not given:
            return None
        if self._trees is not None or not self._has_sources or isinstance(search, SamplingConfig):
            raise ConfigError(
                "`glossary` must come with a beam search of texts from texts, but this model parses or continues them, "
                "or `sampling` is asked for. Leave it out."
            )
        glossary = given if isinstance(given, Glossary) else Glossary.of(given)
        glossary.check(self._forms)
        return glossary

    def _patterns(self, protect: bool | Sequence[str]) -> tuple[str, ...] | None:
        """What is copied exactly: in translation, where the vocabulary can write anything."""
        if protect is False or self.task != "translation" or self.target_tokenizer.writes_unknown:
            return None
        patterns = () if protect is True else ((protect,) if isinstance(protect, str) else tuple(protect))
        compile_patterns(patterns)
        return patterns

    def beam_search(self, **changes: Any) -> BeamConfig:
        """The search the model was saved with, changed where a value is given."""
        return replace(self.search, **{name: value for name, value in changes.items() if value is not None})

    def engine(self, search: BeamConfig | SamplingConfig | None = None, *, prefixed: bool = False) -> Engine:
        """The first engine that can do this search; where none can, the reason of the last."""
        if isinstance(search, SamplingConfig):  # drawing is ours: another program has other random numbers
            return self._own_engine
        reasons = []
        for engine in self.engines:
            reason = engine.obstacle(search or self.search, prefixed)
            if reason is None:
                return engine
            reasons.append(reason)
        raise ConfigError(reasons[-1])

    def stream(
        self,
        lines: Iterable[str | LineError],
        options: TranslationOptions | None = None,
        prefix: str | Iterable[str] = "",
        first: int = 1,
    ) -> Iterator[Translation]:
        """Translates lines as they come, in order, holding no more than a window of them.

        An empty line becomes an empty translation without asking the model. What happens to a line that cannot be
        translated, `options.on_error` says; to stop is to raise an error after those before it have been given back. An
        error among the lines stands for one that is no text (`data.parallel_text.lines_or_errors`). A language model
        has nothing to translate: it continues each line, after the prefix if there is one, and begins on its own where
        the line is empty. Lines are counted from `first`.
        """
        options = options or TranslationOptions()
        numbered = enumerate(with_prefixes(lines, prefix), start=first)
        translate = self._translate_texts if self.splits(options, prefix) else self._translate_lines
        for size in options.window_sizes():
            window = list(islice(numbered, size))
            if not window:
                return
            yield from translate(window, options)

    def splits(self, options: TranslationOptions, prefix: str | Iterable[str] = "") -> bool:
        """Whether texts are split into sentences: for translation, where one output without alignment is wanted."""
        search = options.search or self.search
        one_output = isinstance(search, BeamConfig) and search.nbest == 1
        return (
            options.split_sentences
            and self.task == "translation"
            and one_output
            and not options.alignment
            and (isinstance(prefix, str) and not prefix)
        )

    def _translate_texts(
        self, window: list[tuple[int, tuple[str | LineError, str]]], options: TranslationOptions
    ) -> Iterator[Translation]:
        lines = [(number, line) for number, (line, _) in window]
        stop = options.on_error in (None, "stop")
        error = next((line for _, line in lines if isinstance(line, LineError)), None) if stop else None
        if error is not None:
            lines = lines[: [line for _, line in lines].index(error)]
        yield from self.texts.translate_lines(lines, options)
        if error is not None:
            raise error

    def _translate_lines(
        self, window: list[tuple[int, tuple[str | LineError, str]]], options: TranslationOptions
    ) -> Iterator[Translation]:
        options = replace(options, on_error=options.on_error or "stop")
        lines = self._reader.read(window, options.truncate)
        refused = next((line for line in lines if isinstance(line, RefusedLine)), None)
        if refused is None or options.on_error != "stop":
            yield from self._translate_window(lines, options)
        else:
            yield from self._translate_window(lines[: lines.index(refused)], options)
            raise refused.error

    def score(self, pairs: Iterable[tuple[str, str]], *, truncate: bool = False) -> list[Scored]:
        """How probable the model finds each target given its source."""
        pairs = list(pairs)
        for index, pair in enumerate(pairs):
            if isinstance(pair, str) or len(pair) != 2 or not all(isinstance(side, str) for side in pair):
                raise InputError(
                    f"`pairs[{index}]` must be (source, target), two texts, but is {_shown(pair)}. "
                    "Give a list of such pairs."
                )
        return list(self.stream_scores(pairs, truncate=truncate))

    def trace(
        self,
        text: str,
        *,
        beam: int | None = None,
        alpha: float | None = None,
        force: str | None = None,
        prefix: str | None = None,
        what_if: Mapping[str, Any] | None = None,
        detail: Sequence[str] = ("weights",),
    ) -> dict[str, Any]:
        """Everything that happens to a text on its way through the model, as the explorer draws it (a JSON object).

        `detail` "all" has every vector; `force` is a translation to follow instead of searching for one; `what_if`
        changes the model first, as {"name": "no-scale"} does.
        """
        # Imported here to keep the start-up of translation short.
        from saccade.tracing.options import TraceOptions
        from saccade.tracing.trace import trace

        decode = {"size": beam, "alpha": alpha}
        asked = {"decode": decode, "force": force, "prefix": prefix, "what_if": what_if, "detail": list(detail)}
        return trace(self.traceable, text, TraceOptions.from_json(asked))

    def stream_scores(
        self,
        pairs: Iterable[tuple[str, str]],
        *,
        truncate: bool = False,
        on_error: OnError = "stop",
        stable: bool = False,
        batch_tokens: int = 4096,
        window: int = 1024,
    ) -> Iterator[Scored]:
        """Scores pairs as they come, in order, holding no more than a window of them.

        If they are to be `stable`, then to three digits each depends on its pair alone (`stable_scores.py`).
        """
        return self._scorer.stream(
            pairs, truncate=truncate, on_error=on_error, stable=stable, batch_tokens=batch_tokens, window=window
        )

    def _translate_window(
        self, window: Sequence[Line | RefusedLine], options: TranslationOptions
    ) -> Iterator[Translation]:
        on_error = options.on_error or "stop"
        translated: dict[int, Translation] = {}
        remaining: dict[int, Line] = {}
        for place, line in enumerate(window):
            if isinstance(line, RefusedLine) and options.protect is not None and nothing_but_spans(line.source):
                translated[place] = Translation(line.number, line.source, (replace(_EMPTY, text=line.source),))
            elif isinstance(line, RefusedLine):
                translated[place] = failed(line.number, line.source, line.error, on_error)
            elif self._has_sources and not line.input.tokens:
                translated[place] = Translation(line.number, line.source, (_EMPTY,))
            else:
                remaining[place] = line
        search = options.search or self.search
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
        searched: dict[int, list[Hypothesis]] = {}
        for (place, line), outcome in zip(remaining.items(), outcomes, strict=True):
            if isinstance(outcome, LineError):
                translated[place] = failed(line.number, line.source, outcome, on_error)
            else:
                searched[place] = outcome
        lines, found = [remaining[place] for place in searched], list(searched.values())
        if options.scores:
            sources = [(*line.input.tokens, EOS) for line in lines]
            found = self._stable_scores.settle_hypotheses(sources, found, search)
        candidates = self._candidates(lines, found, options)
        if options.rerank is not None and isinstance(search, BeamConfig):
            candidates = self._rerank(lines, candidates, options.rerank, search, options)
        for place, line, own in zip(searched, lines, candidates, strict=True):
            translated[place] = (
                failed(line.number, line.source, own, on_error)
                if isinstance(own, LineError)
                else Translation(line.number, line.source, tuple(own), truncated=line.truncated)
            )
        yield from (translated[place] for place in range(len(window)))

    def _candidates(
        self, lines: list[Line], found: list[list[Hypothesis]], options: TranslationOptions
    ) -> Sequence[list[Candidate] | LineError]:
        """What was found as texts, aligned and with unknown words replaced where that was asked for."""
        if options.unknown_words is None and not options.alignment:
            return [[self._candidate(line, one, None) for one in own] for line, own in zip(lines, found, strict=True)]
        aligned = self._align(lines, found, options.batch_tokens)
        candidates: list[list[Candidate]] = []
        for line, hypotheses, own in zip(lines, found, aligned, strict=True):
            written = [self._candidate(line, *one) for one in zip(hypotheses, own, strict=True)]
            if options.unknown_words is not None:
                written = [options.unknown_words.replaced(line.source, candidate) for candidate in written]
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
        ranked = reranker.rescore(lists, search.alpha, truncate=options.truncate, stable=options.scores)
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
        search = options.search or self.search
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
        terms = glossary.terms(line.source, self._forms)
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
        for with_terms in (False, True):
            some = [one for one in distinct if bool(one.terms) is with_terms]
            if some:
                prefixed = any(one.prefix for one in some)
                results = (self._own_engine if with_terms else self.engine(asked, prefixed=prefixed)).search(
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

        def draw(batch: list[int], source: Sequences, prefix: Sequences | None) -> list[list[Hypothesis]]:
            generators = [_generator(options.seed, lines[index].number) for index in batch]
            rules = rules_for([lines[index].input for index in batch], self._trees)
            return sample(self.model, source, config, generators, prefix, rules)

        return search_in_batches([line.input for line in lines], draw, self.device, options.batch_tokens)

    def _align(
        self, lines: list[Line], found: list[list[Hypothesis]], batch_tokens: int | None
    ) -> list[list[WordAlignment]]:
        """The word alignments of everything that was found, in batches."""
        aligner = Aligner(self.model, self.source_tokenizer, self.target_tokenizer, self.device)
        aligned: list[list[WordAlignment]] = [[] for _ in lines]
        costs = [line.input.cost for line in lines]
        for batch in batches(costs, batch_tokens or default_batch_tokens(self.device)):
            targets = [[hypothesis.tokens for hypothesis in found[index]] for index in batch]
            with memory_is_enough("a batch to align"):
                alignments = aligner.align([lines[index].input.tokens for index in batch], targets)
            for index, own in zip(batch, alignments, strict=True):
                aligned[index] = own
        return aligned

    def _candidate(self, line: Line, hypothesis: Hypothesis, alignment: WordAlignment | None) -> Candidate:
        tokens = hypothesis.tokens
        return Candidate(
            text=self._trees.text(tokens, line.words) if self._trees else self._text(tokens, line),
            score=hypothesis.score,
            log_probability=hypothesis.log_probability,
            token_log_probabilities=hypothesis.token_log_probabilities,
            finished=hypothesis.finished,
            alignment=restore_words(alignment, line.restored) if alignment and line.restored else alignment,
        )

    def _text(self, tokens: Sequence[int], line: Line) -> str:
        text = self.target_tokenizer.decode(tokens)
        return restore(text, line.restored) if line.restored else text


_EMPTY = Candidate("", 0.0, 0.0, (), True, WordAlignment((), (), ()))


def _shown(value: object) -> str:
    """A wrong value, in few words."""
    return f"the {type(value).__name__} {repr(value)[:40]}"


def load(model: str | Path, *more: str | Path, device: str | None = None, engine: str = "torch") -> Translator:
    """Opens a model by folder, run or shipped name; several are an ensemble that averages their probabilities.

    The engine "auto" is the fastest that is there and can run this model, "torch" and "ctranslate2" are these.
    """
    chosen = choose_device(device)
    bundles = [Bundle.load(model_folder(name), chosen) for name in (model, *more)]
    return Translator(bundles, chosen, engine, " + ".join(str(name) for name in (model, *more)))


def choose_device(name: str | None) -> torch.device:
    """The device of that name; without one, a GPU if there is one."""
    if name is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
        usable = device.type != "meta"
    except (RuntimeError, AssertionError, ImportError, ValueError):
        usable = False
    if not usable:
        raise ConfigError(f"`device` must be one that is here, but is {name!r}. {missing_device(name)}")
    return device


def _check_that_ensemble_shares_tokenizers(bundles: Sequence[Bundle]) -> None:
    """Probabilities of pieces can only be averaged when both models mean the same pieces."""
    first = bundles[0]
    for other in bundles[1:]:
        for side in ("source", "target"):
            mine, yours = getattr(first, f"{side}_tokenizer"), getattr(other, f"{side}_tokenizer")
            if mine != yours:
                raise ConfigError(f"models of an ensemble must have the same {side} vocabulary, but these differ.")


def _generator(seed: int, number: int) -> torch.Generator:
    """Torch keeps 32 bits of a seed, so a digest of both numbers keeps neighbouring lines apart."""
    digest = hashlib.sha256(f"{seed} {number}".encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:4], "big"))
