"""How long jobs of this room (downloads, reading, encoding) report how far they are."""

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it is done, and how much there is (None: unknown)."""


def silent(message: str, done: int, total: int | None) -> None:  # noqa: ARG001
    """Reports nothing."""
