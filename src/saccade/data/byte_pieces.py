"""Characters that are spelled in bytes, and bytes that spell none.

A model writes what its vocabulary lacks as UTF-8 bytes, one token each, and may write a byte too few or too many: at
the limit of its length, or because it never learned the character. Such bytes are no text. They are left out, where a
decoder would put U+FFFD.
"""

from collections.abc import Iterator, Sequence

_FIRST_BROKEN, _LAST_BROKEN = "\udc80", "\udcff"
"""How Python's error handler surrogateescape writes a byte that is part of no character."""


def spelled_characters(values: Sequence[int]) -> Iterator[tuple[int, str]]:
    """The characters that bytes spell, each with the number of its bytes; a byte that is part of none gives ""."""
    for character in bytes(values).decode("utf-8", "surrogateescape"):
        if _FIRST_BROKEN <= character <= _LAST_BROKEN:
            yield 1, ""
        else:
            yield len(character.encode()), character
