"""Options of `translate` and `evaluate` about what becomes of the outputs of a search."""

from typing import TYPE_CHECKING

from saccade.errors import ConfigError

if TYPE_CHECKING:
    import saccade.serving.reranking
    import saccade.serving.unknown_words


def reranker(
    rerank: str | None, right_to_left: str | None, weight: float | None, device: str | None
) -> "saccade.serving.reranking.Reranker | None":
    """The models that `--rerank` and `--rerank-right-to-left` name, separated by commas."""
    if rerank is None and right_to_left is None:
        if weight is not None:
            raise ConfigError("`--rerank-weight` must come with --rerank, but does not. Name a model, or leave it out.")
        return None
    from saccade.serving.reranking import Reranker
    from saccade.serving.translator import load

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
