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
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Unpack, overload

import torch

from saccade.data.tasks import find_task
from saccade.decoding.beam import BeamConfig
from saccade.decoding.ensemble import Ensemble
from saccade.decoding.sampling import SamplingConfig
from saccade.decoding.term_forms import TermForms
from saccade.decoding.tree_outputs import TreeOutputs
from saccade.documents.protected_spans import compile_patterns
from saccade.errors import ConfigError, InputError, LineError
from saccade.hardware import missing_device
from saccade.models.contract import Transducer
from saccade.output_files import OutputFile
from saccade.quality.checks import checks_for
from saccade.quality.faults import FaultFinder
from saccade.serving.bundle import Bundle, model_folder
from saccade.serving.document_translation import TranslatedDocument, format_of, read_document, translate_document
from saccade.serving.engines import Engine, TorchEngine, choose_engines
from saccade.serving.glossary import Glossary
from saccade.serving.line_translation import LineTranslator
from saccade.serving.pair_scoring import BATCH_TOKENS, PairScorer
from saccade.serving.reranking import Reranker
from saccade.serving.source_lines import Line, LineReader, RefusedLine, with_prefixes
from saccade.serving.stable_scores import StableScores
from saccade.serving.text_translation import Search, TextTranslator
from saccade.serving.translation import OnError, Scored, Translation
from saccade.serving.translation_options import Repair, TextSettings, TranslateSettings, TranslationOptions
from saccade.serving.unknown_words import UnknownWords, check_unknown_words


class Translator:
    """A model with its tokenizers and search: what `saccade.load` returns.

    `engine` names what searches: our own code on torch, CTranslate2, or the fastest of those that are there.
    """

    def __init__(
        self,
        bundles: Sequence[Bundle],
        device: torch.device,
        engine: str = "torch",
        name: str = "model",
        sharing: "Translator | None" = None,
    ) -> None:
        assert bundles, "a translator needs a model"
        _check_that_ensemble_shares_tokenizers(bundles)
        self.name = name
        self._elsewhere: Search | None = None
        self._bundles = tuple(bundles)
        self.bundle = bundles[0]
        self.source_tokenizer = self.bundle.source_tokenizer
        self.target_tokenizer = self.bundle.target_tokenizer
        self.device = device
        self.model: Transducer[Any, Any]
        if sharing is not None:
            self.model = sharing.model
        else:
            self.model = self.bundle.model if len(bundles) == 1 else Ensemble([bundle.model for bundle in bundles])
        leaves = self.bundle.leaves
        profile = self.bundle.profile if len(bundles) == 1 else None  # probabilities of an ensemble are others
        self.calibration = None if profile is None else profile.calibration
        self._trees = None if leaves is None else TreeOutputs(self.target_tokenizer, leaves, device)
        self._forms = TermForms(self.target_tokenizer.without_language)
        self._sharing = sharing
        self.engines: tuple[Engine, ...]
        if sharing is not None:
            self.engines = sharing.engines
        else:
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

    def between(self, source_language: str | None = None, target_language: str | None = None) -> "Translator":
        """The same model for these of its languages; one that is not named stays what it was.

        It shares weights and engines, so that a translator for each pair of languages costs nothing.
        """
        if source_language is None and target_language is None:
            return self
        bundles = [bundle.between(source_language, target_language) for bundle in self._bundles]
        return Translator(bundles, self.device, name=self.name, sharing=self)

    def check_languages(self) -> None:
        """Raises an error where a model of several languages has not been told which."""
        for tokenizer in (self.source_tokenizer, self.target_tokenizer):
            tokenizer.check_language()

    @cached_property
    def _stable_scores(self) -> StableScores:
        return StableScores(self.model, self.device) if self._sharing is None else self._sharing._stable_scores

    @cached_property
    def pairs(self) -> PairScorer:
        """What scores given pairs."""
        unscored = self.search.unscored_prefix
        return PairScorer(self.model, self.device, self._reader, self._stable_scores, unscored)

    @cached_property
    def texts(self) -> TextTranslator:
        """What translates texts and documents by their sentences."""
        return TextTranslator(self._reader, self.search_lines, self.bundle.source_language, self.model.attends)

    def search_lines(self, lines: Sequence[Line | RefusedLine], options: TranslationOptions) -> Iterator[Translation]:
        """The translation of each line that has been read for the model."""
        return (self._elsewhere or self._lines.translate)(lines, options)

    def through(self, search: Search) -> "Translator":
        """The same translator, but all its lines go through `search`, which may gather those of several callers.

        It calls `search_lines` of this one in the end.
        """
        other = copy(self)
        other.__dict__.pop("texts", None)
        other._elsewhere = search
        return other

    @cached_property
    def _own_engine(self) -> TorchEngine:
        """Our own search, which alone can sample and be constrained."""
        if self._sharing is not None:
            return self._sharing._own_engine
        own = [engine for engine in self.engines if isinstance(engine, TorchEngine)]
        return own[0] if own else TorchEngine(self.model, self.device, self._trees, self._forms)

    @cached_property
    def _lines(self) -> LineTranslator:
        return LineTranslator(
            self.model,
            self.device,
            self.source_tokenizer,
            self.target_tokenizer,
            self._has_sources,
            self._trees,
            self._forms,
            self.search,
            self.engine,
            lambda: self._own_engine,
            lambda: self._stable_scores,
            self._finder,
            lambda: self.calibration,
        )

    @cached_property
    def _finder(self) -> FaultFinder | None:
        """What looks for faults: in translations between two languages that are known."""
        languages = self.bundle.source_language, self.bundle.target_language
        known = self.bundle.profile
        learned = () if known is None else (known.lengths, known.names)
        return checks_for(*languages, *learned) if self.task == "translation" else None

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
        **settings: Unpack[TextSettings],
    ) -> str: ...
    @overload
    def translate(
        self,
        texts: Sequence[str],
        *,
        nbest: None = None,
        prefix: str | Sequence[str] = "",
        **settings: Unpack[TextSettings],
    ) -> list[str]: ...
    @overload
    def translate(  # type: ignore[overload-overlap]
        self, texts: str, *, nbest: int, prefix: str | Sequence[str] = "", **settings: Unpack[TextSettings]
    ) -> list[str]: ...
    @overload
    def translate(
        self,
        texts: Sequence[str],
        *,
        nbest: int,
        prefix: str | Sequence[str] = "",
        **settings: Unpack[TextSettings],
    ) -> list[list[str]]: ...
    def translate(
        self,
        texts: str | Sequence[str],
        *,
        nbest: int | None = None,
        prefix: str | Sequence[str] = "",
        **settings: Unpack[TextSettings],
    ) -> str | list[str] | list[list[str]]:
        """The best translation of a text, or of each of several; with `nbest`, up to that many, best first.

        `beam`, `alpha` and `coverage` replace what the model was saved with, `sampling` draws instead of searching, a
        `prefix`, one for all or one for each, is how the translation must begin, `rerank` lets other models take part
        in the ranking, `unknown_words` replaces what a word vocabulary lacks, `truncate` translates only the beginning
        of what is too long for the model, `on_error` "skip" or "copy" goes on where a text cannot be translated.
        `source_language` and `target_language`, one for all or one for each, are for models of several languages.
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
        source_language: str | Sequence[str] | None = None,
        target_language: str | Sequence[str] | None = None,
        **settings: Unpack[TranslateSettings],
    ) -> list[Translation]:
        """As `translate`, with everything that is known: scores, candidates, word alignments, errors."""
        if isinstance(texts, str) or not isinstance(texts, Iterable):
            raise InputError(f"`texts` must be a text or a list of texts, but is {_shown(texts)}.")
        texts = list(texts)
        for index, text in enumerate(texts):
            if not isinstance(text, str):
                raise InputError(f"`texts[{index}]` must be a text, but is {_shown(text)}.")
        if not isinstance(prefix, str) and len(prefix) != len(texts):
            raise InputError(f"`prefix` must be one text or {len(texts)}, but there are {len(prefix)}.")
        pairs = zip(
            _for_each(source_language, "source_language", len(texts)),
            _for_each(target_language, "target_language", len(texts)),
            strict=True,
        )
        groups: dict[tuple[str | None, str | None], list[int]] = {}
        for place, pair in enumerate(pairs):
            groups.setdefault(pair, []).append(place)
        found: dict[int, Translation] = {}
        for pair, places in groups.items() or [((None, None), [])]:
            translator = self.between(*pair)
            options = translator.options(nbest=nbest, alignment=alignment, **settings)
            lines = (
                (place + 1, (texts[place], prefix if isinstance(prefix, str) else prefix[place])) for place in places
            )
            found |= zip(places, translator._numbered(lines, options, prefix), strict=True)
        return [found[place] for place in range(len(texts))]

    def translate_file(
        self,
        source: str | Path,
        output: str | Path,
        *,
        overwrite: bool = False,
        source_language: str | None = None,
        target_language: str | None = None,
        **settings: Unpack[TranslateSettings],
    ) -> TranslatedDocument:
        """Translates a document (HTML, Markdown, subtitles, gettext, XLIFF, JSON, Word) into a file of the same format.

        The format is known by how the name of the source ends.
        """
        translator = self.between(source_language, target_language)
        options = translator.options(**settings)
        if not translator.splits(options):
            raise ConfigError("a document must be translated by its sentences, which these settings do not allow.")
        source = Path(source)
        place = OutputFile.of(Path(output), overwrite=overwrite, advice="Choose another name, or set `overwrite`.")
        found = translate_document(
            translator.texts, read_document(source), format_of(source), options, name=str(source)
        )
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
        repair: Repair = True,
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
            search = replace(sampling, unscored_prefix=self.search.unscored_prefix)
        if unknown_words is not None:
            check_unknown_words(self.model, self.target_tokenizer)
        if rerank is not None:
            rerank.check_sources(self._has_sources)
        return TranslationOptions(
            search=search,
            glossary=self._glossary(glossary, search),
            protect=self._patterns(protect),
            repair=None if self._finder is None else repair,
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
        numbered = enumerate(with_prefixes(lines, prefix), start=first)
        return self._numbered(numbered, options or TranslationOptions(), prefix)

    def _numbered(
        self,
        numbered: Iterator[tuple[int, tuple[str | LineError, str]]],
        options: TranslationOptions,
        prefix: str | Iterable[str],
    ) -> Iterator[Translation]:
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
            yield from self.search_lines(lines, options)
        else:
            yield from self.search_lines(lines[: lines.index(refused)], options)
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
        batch_tokens: int = BATCH_TOKENS,
        window: int = 1024,
    ) -> Iterator[Scored]:
        """Scores pairs as they come, in order, holding no more than a window of them.

        If they are to be `stable`, then to three digits each depends on its pair alone (`stable_scores.py`).
        """
        return self.pairs.stream(
            pairs, truncate=truncate, on_error=on_error, stable=stable, batch_tokens=batch_tokens, window=window
        )


def _for_each(given: str | Sequence[str] | None, name: str, count: int) -> Sequence[str | None]:
    if given is None or isinstance(given, str):
        return [given] * count
    if len(given) != count:
        raise InputError(f"`{name}` must be one language or {count}, but there are {len(given)}.")
    return given


def _shown(value: object) -> str:
    """A wrong value, in few words."""
    return f"the {type(value).__name__} {repr(value)[:40]}"


def load(
    model: str | Path,
    *more: str | Path,
    device: str | None = None,
    engine: str = "torch",
    source_language: str | None = None,
    target_language: str | None = None,
) -> Translator:
    """Opens a model by folder, run or shipped name; several are an ensemble that averages their probabilities.

    The engine "auto" is the fastest that is there and can run this model, "torch" and "ctranslate2" are these.
    `source_language` and `target_language` are for models of several languages.
    """
    chosen = choose_device(device)
    folders = [model_folder(name) for name in (model, *more)]
    bundles = [Bundle.load(folder, chosen).between(source_language, target_language) for folder in folders]
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
