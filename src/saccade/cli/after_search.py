"""Options of `translate` and `evaluate` about what outputs must contain, and what becomes of them after a search."""

from pathlib import Path
from typing import TYPE_CHECKING

from saccade.errors import ConfigError

if TYPE_CHECKING:
    import saccade.serving.glossary
    import saccade.serving.reranking
    import saccade.serving.translation_options
    import saccade.serving.unknown_words


def reranker(
    rerank: str | None, right_to_left: str | None, weight: float | None, device: str | None
) -> "saccade.serving.reranking.Reranker | None":
    """The models that `--rerank` and `--rerank-right-to-left` name, separated by commas."""
    if rerank is None and right_to_left is None:
        if weight is not None:
            raise ConfigError("`--rerank-weight` must come with --rerank, but does not. Name a model, or leave it out.")
        return None
    from saccade.serving.loading import load
    from saccade.serving.reranking import Reranker

    others, backwards = (
        [load(name, device=device) for name in (names or "").split(",") if name] for names in (rerank, right_to_left)
    )
    return Reranker(others, backwards, Reranker.weight if weight is None else weight)


def unknown_words(name: str | None) -> "saccade.serving.unknown_words.UnknownWords | None":
    """What `--unknown-words` asks for."""
    if name is None:
        return None
    from saccade.serving.unknown_words import UnknownWords

    return UnknownWords.read(name)


def glossary(path: Path | None) -> "saccade.serving.glossary.Glossary | None":
    """The file that `--glossary` names."""
    if path is None:
        return None
    from saccade.serving.glossary import Glossary

    return Glossary.read(path)


def protected(patterns: list[str] | None, nothing: bool) -> bool | list[str]:
    """What `--protect` and `--no-protect` ask for."""
    if nothing and patterns:
        raise ConfigError("`--protect` must not come with --no-protect, which protects nothing. Leave one out.")
    return False if nothing else patterns or True


def who_searches(engine: str, options: "saccade.serving.translation_options.TranslationOptions") -> str | None:
    """Where CTranslate2 was asked for by name, which sentences it will not search."""
    if engine != "ctranslate2" or (options.glossary is None and options.protect is None):
        return None
    what = "sentences with terms of the glossary, or " if options.glossary is not None else "sentences "
    return (
        f"note: {what}whose translation lacks a protected span, are searched by torch: CTranslate2 cannot be told "
        "what an output must contain."
    )
