"""How long jobs of this room (downloads, reading, encoding) report how far they are."""

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it is done, and how much there is (None: unknown)."""


def silent(message: str, done: int, total: int | None) -> None:  # noqa: ARG001
    """Reports nothing."""


def estimate_in_words(seconds: float) -> str:
    """A time that is only estimated: "about 40 s", "about 12 min", "about 2 h 10 min"."""
    if seconds < 60:
        return f"about {max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    hours, rest = divmod(minutes, 60)
    return f"about {hours} h {rest} min" if hours else f"about {minutes} min"
