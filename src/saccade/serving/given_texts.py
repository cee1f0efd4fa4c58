"""Texts and pairs of texts as a program gives them, checked before a model sees them."""

from collections.abc import Iterable, Sequence

from saccade.errors import InputError


def checked_texts(texts: Iterable[str], prefix: str | Sequence[str]) -> list[str]:
    """The texts as a list, with one prefix for all or one for each."""
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise InputError(f"`texts` must be a text or a list of texts, but is {_shown(texts)}.")
    texts = list(texts)
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"`texts[{index}]` must be a text, but is {_shown(text)}.")
    if not isinstance(prefix, str) and len(prefix) != len(texts):
        raise InputError(f"`prefix` must be one text or {len(texts)}, but there are {len(prefix)}.")
    return texts


def checked_pairs(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs of source and target as a list."""
    pairs = list(pairs)
    for index, pair in enumerate(pairs):
        if isinstance(pair, str) or len(pair) != 2 or not all(isinstance(side, str) for side in pair):
            raise InputError(
                f"`pairs[{index}]` must be (source, target), two texts, but is {_shown(pair)}. "
                "Give a list of such pairs."
            )
    return pairs


def _shown(value: object) -> str:
    """A wrong value, in few words."""
    return f"the {type(value).__name__} {repr(value)[:40]}"
