"""What `translate` and `bulk translate` are told about the model, the search and the form of the output."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from saccade.cli.after_search import glossary, protected, reranker, unknown_words, who_searches
from saccade.cli.importing import without_garbage_collection
from saccade.cli.options import (
    Alignment,
    Alpha,
    AsJson,
    BatchTokens,
    Beam,
    Coverage,
    Device,
    Engine,
    Ensemble,
    GlossaryFile,
    Model,
    Nbest,
    NoProtect,
    NoRepair,
    NoSplit,
    OnError,
    Precision,
    Prefix,
    Protect,
    RepairAll,
    Rerank,
    RerankRightToLeft,
    RerankWeight,
    Sample,
    Scores,
    Seed,
    SourceLanguage,
    TargetLanguage,
    Temperature,
    TopK,
    TopP,
    Truncate,
    Unconstrained,
    UnknownWords,
    Window,
)
from saccade.cli.translated_lines import LineForm
from saccade.errors import ConfigError, LineError
from saccade.serving.unfinished import search_settings

if TYPE_CHECKING:
    import saccade.decoding.sampling
    import saccade.serving.translation_options
    import saccade.serving.translator


@dataclass(frozen=True)
class TranslationArguments:
    """The arguments as they were given: names, numbers and files, so that another process can be sent them."""

    model: Model
    on_error: OnError = None
    ensemble: Ensemble = None
    source_language: SourceLanguage = None
    target_language: TargetLanguage = None
    beam: Beam = None
    alpha: Alpha = None
    coverage: Coverage = None
    nbest: Nbest = 1
    rerank: Rerank = None
    rerank_weight: RerankWeight = None
    rerank_right_to_left: RerankRightToLeft = None
    replace_unknown: UnknownWords = None
    prefix: Prefix = ""
    sample: Sample = False
    temperature: Temperature = None
    top_k: TopK = None
    top_p: TopP = None
    seed: Seed = None
    scores: Scores = False
    alignment: Alignment = False
    as_json: AsJson = False
    truncate: Truncate = False
    no_split: NoSplit = False
    terms: GlossaryFile = None
    protect: Protect = None
    no_protect: NoProtect = False
    no_repair: NoRepair = False
    repair_all: RepairAll = False
    unconstrained: Unconstrained = False
    batch_tokens: BatchTokens = None
    window: Window = None
    device: Device = None
    engine: Engine = "auto"
    precision: Precision = "auto"

    def check(self) -> None:
        """Refuses arguments that do not go together, before anything is loaded."""
        if self.sample and self.engine == "ctranslate2":
            raise ConfigError(
                "`--engine` must be torch or auto with --sample, but is 'ctranslate2', which only searches."
            )
        if self.repair_all and self.no_repair:
            raise ConfigError("`--repair-all` and `--no-repair` must not come together, but do. Leave one out.")
        check_search(
            sample=self.sample,
            beam=self.beam,
            alpha=self.alpha,
            coverage=self.coverage,
            nbest=self.nbest,
            temperature=self.temperature,
            top_k=self.top_k,
            top_p=self.top_p,
            seed=self.seed,
        )

    def load(self, say: Callable[[str], None]) -> "LoadedTranslation":
        """The model and what it is asked; `say` hears what a user should know about it."""
        with without_garbage_collection():
            from saccade.serving.loading import load

        translator = load(
            self.model,
            *(self.ensemble or ()),
            device=self.device,
            engine=self.engine,
            precision=self.precision,  # type: ignore[arg-type] # checked there
            source_language=self.source_language,
            target_language=self.target_language,
        )
        translator.check_languages()
        options = translator.options(
            beam=self.beam,
            alpha=self.alpha,
            coverage=self.coverage,
            nbest=None if self.sample else self.nbest,
            sampling=sampling_config(self.temperature, self.top_k, self.top_p) if self.sample else None,
            seed=1 if self.seed is None else self.seed,
            unknown_words=unknown_words(self.replace_unknown),
            rerank=reranker(self.rerank, self.rerank_right_to_left, self.rerank_weight, self.device),
            alignment=self.alignment,
            scores=self.scores or self.as_json,
            truncate=self.truncate,
            on_error=self.on_error,  # type: ignore[arg-type] # checked there
            split_sentences=not self.no_split,
            constrained=not self.unconstrained,
            glossary=glossary(self.terms),
            protect=protected(self.protect, self.no_protect),
            repair="all" if self.repair_all else not self.no_repair,
            batch_tokens=self.batch_tokens,
            window=self.window,
        )
        translator.engine(options.search, prefixed=bool(self.prefix))  # what no engine can do is told now
        if note := who_searches(self.engine, options) or self._passed_over(translator, options):
            say(note)
        if self.as_json and options.repair is not None and translator.calibration is None:
            why = (
                "an ensemble tells no confidence: that is learned for the probabilities of one model."
                if self.ensemble
                else "this model tells no confidence. `saccade calibrate` learns it from held-out text."
            )
            say(f"note: {why}")
        return LoadedTranslation(translator, options, self.prefix, self.form)

    def _passed_over(
        self,
        translator: "saccade.serving.translator.Translator",
        options: "saccade.serving.translation_options.TranslationOptions",
    ) -> str | None:
        """Where what was asked for keeps the fastest engine from searching, why."""
        search = options.search or translator.search
        reason = translator.model_engines.passed_over(search, prefixed=bool(self.prefix))
        return None if reason is None else f"note: torch searches: {reason.removesuffix(' Use the engine torch.')}"

    @property
    def form(self) -> LineForm:
        """How translations are written."""
        return LineForm(as_json=self.as_json, scores=self.scores, alignment=self.alignment, numbered=self.nbest > 1)


@dataclass(frozen=True)
class LoadedTranslation:
    """A translator, and how it is to translate."""

    translator: "saccade.serving.translator.Translator"
    options: "saccade.serving.translation_options.TranslationOptions"
    prefix: str
    form: LineForm

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that the output depends on, apart from the input."""
        return {**search_settings(self.translator, self.options, self.prefix), **asdict(self.form)}

    def with_language_checked(
        self, lines: Iterator[str | LineError], say: Callable[[str], None]
    ) -> Iterator[str | LineError]:
        """The same lines; a warning if the first of them are plainly in another language than the model reads."""
        from saccade.serving.language_check import language_warning

        first = list(islice(lines, self.options.first_window))
        if warning := language_warning(self.translator, [line for line in first if isinstance(line, str)]):
            say(f"warning: {warning}")
        return chain(first, lines)


def on_standard_error(line: str) -> None:
    """Tells the user."""
    print(line, file=sys.stderr)


def check_search(
    *,
    sample: bool,
    beam: int | None = None,
    alpha: float | None = None,
    coverage: float | None = None,
    nbest: int = 1,
    temperature: float | None = None,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int | None = None,
) -> None:
    """Options of one kind of search do not come with the other."""
    searching = {"beam": beam, "alpha": alpha, "coverage": coverage, "nbest": nbest if nbest != 1 else None}
    sampling = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "seed": seed}
    advice = (
        "not come with --sample, which does not search. Leave one of them out."
        if sample
        else "come with --sample, but does not. Add --sample, or leave it out."
    )
    for name, value in (searching if sample else sampling).items():
        if value is not None:
            raise ConfigError(f"`--{name.replace('_', '-')}` must {advice}")


def sampling_config(
    temperature: float | None, top_k: int | None, top_p: float | None
) -> "saccade.decoding.sampling.SamplingConfig":
    """What --sample draws with; what was not given is as by default."""
    from saccade.decoding.sampling import SamplingConfig

    given = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    return SamplingConfig(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
