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
from pathlib import Path
from typing import Any, Unpack, overload

import torch

from saccade.decoding.beam import BeamConfig
from saccade.decoding.sampling import SamplingConfig
from saccade.errors import ConfigError, LineError
from saccade.models.contract import Transducer
from saccade.quality.calibration import Calibration
from saccade.quality.faults import Fault
from saccade.serving.bundle import Bundle
from saccade.serving.checked_settings import changed_search, checked_options
from saccade.serving.engines import Engine
from saccade.serving.given_texts import checked_pairs, checked_texts
from saccade.serving.languages import places_by_languages
from saccade.serving.model_engines import ModelEngines, Precision
from saccade.serving.pair_scoring import BATCH_TOKENS, SCORED_TOGETHER, PairScorer
from saccade.serving.pipeline import Pipeline
from saccade.serving.source_lines import Line, RefusedLine, with_prefixes
from saccade.serving.text_translation import Search, TextTranslator
from saccade.serving.translation import OnError, Scored, TranslatedDocument, Translation
from saccade.serving.translation_options import OptionSettings, TextSettings, TranslateSettings, TranslationOptions


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
        sharing: ModelEngines | None = None,
        precision: Precision = "auto",
    ) -> None:
        self.name = name
        self._bundles = tuple(bundles)
        self.device = device
        self.model_engines = sharing or ModelEngines(bundles, device, engine, precision)
        self.bundle = bundles[0]
        self.source_tokenizer = self.bundle.source_tokenizer
        self.target_tokenizer = self.bundle.target_tokenizer
        profile = self.bundle.profile if len(bundles) == 1 else None  # probabilities of an ensemble are others
        calibration = None if profile is None else profile.calibration
        self._pipeline = Pipeline(self.bundle, self.model_engines, device, calibration)

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
        """A translator for other languages of the same model; a language that is not named stays as it is.

        It shares weights and engines, so that a translator for each pair of languages costs nothing.
        """
        if source_language is None and target_language is None:
            return self
        bundles = [bundle.between(source_language, target_language) for bundle in self._bundles]
        return Translator(bundles, self.device, name=self.name, sharing=self.model_engines)

    def check_languages(self) -> None:
        """Raises an error where a model of several languages has not been told which."""
        for tokenizer in (self.source_tokenizer, self.target_tokenizer):
            tokenizer.check_language()

    @property
    def pairs(self) -> PairScorer:
        """What scores given pairs."""
        return self._pipeline.pairs

    @property
    def texts(self) -> TextTranslator:
        """What translates texts and documents by their sentences."""
        return self._pipeline.texts

    @property
    def calibration(self) -> Calibration | None:
        """How probabilities become confidences, if that is known."""
        return self._pipeline.calibration

    def search_lines(self, lines: Sequence[Line | RefusedLine], options: TranslationOptions) -> Iterator[Translation]:
        """The translation of each line that has been read for the model."""
        return self._pipeline.search_lines(lines, options)

    def through(self, search: Search) -> "Translator":
        """The same translator, except that `search` is called with all its lines.

        `search` may gather the lines of several callers; in the end it calls `search_lines` of this translator.
        """
        return self._with(self._pipeline.through(search))

    def with_calibration(self, calibration: Calibration | None) -> "Translator":
        """The same translator, which turns probabilities into confidences in another way."""
        return self._with(self._pipeline.with_calibration(calibration))

    def _with(self, pipeline: Pipeline) -> "Translator":
        other = copy(self)
        other._pipeline = pipeline
        return other

    def faults(self, source: str, output: str) -> tuple[Fault, ...]:
        """The faults that can be seen in an output; only outputs of translation models are looked at."""
        finder = self._pipeline.finder
        return () if finder is None else finder.find(source, output)

    @property
    def model(self) -> Transducer[Any, Any]:
        """The model itself; of several, their ensemble."""
        return self.model_engines.model

    @property
    def engines(self) -> tuple[Engine, ...]:
        """What may search, the preferred one first."""
        return self.model_engines.engines

    @property
    def task(self) -> str:
        """What the model was trained for."""
        return self.bundle.task

    @property
    def digest(self) -> str:
        """A checksum of the model folders, without the decoding defaults that may be edited."""
        return hashlib.sha256(" ".join(str(bundle.digest) for bundle in self._bundles).encode()).hexdigest()

    @property
    def traceable(self) -> Bundle:
        """The model that a trace shows; an ensemble has several."""
        if self.model is not self.bundle.model:
            raise ConfigError("a trace must be of one model, but this is an ensemble of several. Load one of them.")
        return self.bundle

    @property
    def search(self) -> BeamConfig:
        """The search the model was saved with."""
        return self.bundle.search

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

        `beam`, `alpha` and `coverage` replace the settings that the model was saved with. `sampling` draws instead of
        searching. `prefix`, one for all texts or one for each, is how the translation must begin. `rerank` lets other
        models take part in the ranking. `unknown_words` says what to write for words that a word vocabulary lacks.
        `truncate` translates only the beginning of a text that is too long for the model. `on_error` "skip" or "copy"
        goes on where a text cannot be translated. `source_language` and `target_language`, one for all texts or one
        for each, are for models of several languages. `translate_batch` takes the same arguments and tells more.

        A translation model splits a text into sentences and keeps everything around them to the character. It does not
        with `nbest` above 1, a prefix or sampling; `split_sentences=False` makes it take any text as one sentence.
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
        texts = checked_texts(texts, prefix)
        found: dict[int, Translation] = {}
        for pair, places in places_by_languages(source_language, target_language, len(texts)).items():
            translator = self.between(*pair)
            options = translator.options(nbest=nbest, alignment=alignment, **settings)
            lines = (
                (place + 1, (texts[place], prefix if isinstance(prefix, str) else prefix[place])) for place in places
            )
            translated = translator._pipeline.windows.translate(lines, options, translator.splits(options, prefix))
            found |= zip(places, translated, strict=True)
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
        # Who reads which format takes a while to import, and most who translate have no document.
        from saccade.serving.document_translation import translate_file

        translator = self.between(source_language, target_language)
        options = translator.options(**settings)
        if not translator.splits(options):
            raise ConfigError("a document must be translated by its sentences, which these settings do not allow.")
        return translate_file(translator.texts, Path(source), Path(output), options, overwrite=overwrite)

    def options(self, **settings: Unpack[OptionSettings]) -> TranslationOptions:
        """The options that `stream` takes: those the model was saved with, except where a value is given here."""
        options = checked_options(self.bundle, self.model_engines, **settings)
        return options if self._pipeline.finder is not None else replace(options, repair=None)

    def beam_search(self, **changes: Any) -> BeamConfig:
        """The search the model was saved with, changed where a value is given."""
        return changed_search(self.search, **changes)

    def engine(self, search: BeamConfig | SamplingConfig | None = None, *, prefixed: bool = False) -> Engine:
        """The first engine that can do this search; an error with the reason of the last one if none can."""
        return self.model_engines.engine(search or self.search, prefixed=prefixed)

    def stream(
        self,
        lines: Iterable[str | LineError],
        options: TranslationOptions | None = None,
        prefix: str | Iterable[str] = "",
        first: int = 1,
    ) -> Iterator[Translation]:
        """Translates lines as they come, in order, holding no more than a window of them.

        An empty line becomes an empty translation without asking the model. `options.on_error` says what happens to a
        line that cannot be translated; if it is to stop, the translations of all lines before it come first, then the
        error is raised. An error among `lines` stands for a line that is no text (`data.text_lines.lines_or_errors`). A
        language model has nothing to translate: it continues each line, after the prefix if there is one, and writes
        freely where the line is empty. `first` is the number of the first line, for error messages and seeds.
        """
        numbered = enumerate(with_prefixes(lines, prefix), start=first)
        options = options or TranslationOptions()
        return self._pipeline.windows.translate(numbered, options, self.splits(options, prefix))

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

    def score(self, pairs: Iterable[tuple[str, str]], *, truncate: bool = False) -> list[Scored]:
        """How probable the model finds each target given its source."""
        return list(self.stream_scores(checked_pairs(pairs), truncate=truncate))

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
        window: int = SCORED_TOGETHER,
        first: int = 1,
    ) -> Iterator[Scored]:
        """Scores pairs as they come, in order, holding no more than a window of them; they are counted from `first`.

        With `stable`, a score that is rounded to three digits does not depend on which pairs are scored together
        (`stable_scores.py`).
        """
        return self.pairs.stream(
            pairs,
            truncate=truncate,
            on_error=on_error,
            stable=stable,
            batch_tokens=batch_tokens,
            window=window,
            first=first,
        )
