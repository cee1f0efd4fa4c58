"""Settings as a person gives them, checked against a model: what comes out are the options of its translator."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from saccade.decoding.beam import BeamConfig
from saccade.decoding.sampling import SamplingConfig
from saccade.documents.protected_spans import compile_patterns
from saccade.errors import ConfigError
from saccade.serving.batching import default_window
from saccade.serving.bundle import Bundle
from saccade.serving.glossary import Glossary
from saccade.serving.model_engines import ModelEngines
from saccade.serving.reranking import Reranker
from saccade.serving.translation import OnError
from saccade.serving.translation_options import Repair, TranslationOptions
from saccade.serving.unknown_words import UnknownWords, check_unknown_words


def checked_options(
    bundle: Bundle,
    engines: ModelEngines,
    *,
    beam: int | None = None,
    alpha: float | None = None,
    coverage: float | None = None,
    nbest: int | None = None,
    sampling: SamplingConfig | None = None,
    unknown_words: UnknownWords | None = None,
    rerank: Reranker | None = None,
    glossary: Glossary | Mapping[str, str] | None = None,
    protect: bool | Sequence[str] = True,
    repair: Repair | None = True,
    seed: int = 1,
    alignment: bool = False,
    scores: bool = False,
    truncate: bool = False,
    on_error: OnError | None = None,
    split_sentences: bool = True,
    constrained: bool = True,
    batch_tokens: int | None = None,
    window: int | None = None,
) -> TranslationOptions:
    """The search the model was saved with, changed where a value is given, and everything else that is asked for."""
    search: BeamConfig | SamplingConfig
    if sampling is None:
        search = changed_search(bundle.search, size=beam, alpha=alpha, coverage=coverage, nbest=nbest)
    else:
        for name, value in {"beam": beam, "alpha": alpha, "coverage": coverage, "nbest": nbest}.items():
            if value is not None:
                raise ConfigError(f"`{name}` must not come with `sampling`, which does not search. Leave one out.")
        search = replace(sampling, unscored_prefix=bundle.search.unscored_prefix)
    if unknown_words is not None:
        check_unknown_words(engines.model, bundle.target_tokenizer)
    if rerank is not None:
        rerank.check_sources(bundle.has_sources)
    return TranslationOptions(
        search=search,
        glossary=_glossary(glossary, search, bundle, engines),
        protect=_patterns(protect, bundle),
        repair=repair,
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
        window=default_window(engines.device) if window is None else window,
    )


def changed_search(search: BeamConfig, **changes: Any) -> BeamConfig:
    """A search, changed where a value is given. More outputs than its beam holds widen it, unless its size is given."""
    given = {name: value for name, value in changes.items() if value is not None}
    return replace(search, **{"size": max(search.size, given.get("nbest", 1)), **given})


def _glossary(
    given: Glossary | Mapping[str, str] | None,
    search: BeamConfig | SamplingConfig,
    bundle: Bundle,
    engines: ModelEngines,
) -> Glossary | None:
    if not given:
        return None
    if engines.trees is not None or not bundle.has_sources or isinstance(search, SamplingConfig):
        raise ConfigError(
            "`glossary` must come with a beam search of texts from texts, but this model parses or continues them, "
            "or `sampling` is asked for. Leave it out."
        )
    glossary = given if isinstance(given, Glossary) else Glossary.of(given)
    glossary.check(engines.forms)
    return glossary


def _patterns(protect: bool | Sequence[str], bundle: Bundle) -> tuple[str, ...] | None:
    """What is copied exactly: in translation, where the vocabulary can write anything."""
    if protect is False or bundle.task != "translation" or bundle.target_tokenizer.writes_unknown:
        return None
    patterns = () if protect is True else ((protect,) if isinstance(protect, str) else tuple(protect))
    compile_patterns(patterns)
    return patterns
