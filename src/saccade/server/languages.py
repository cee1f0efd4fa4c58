"""Which of the languages that are served a text is in (`data/language_identification.py`)."""

from collections.abc import Collection
from typing import Any

from saccade.data.language_identification import identifier
from saccade.errors import MemoryFullError
from saccade.language_codes import language_code


def identify_languages() -> Any:
    """What identifies languages; it is read when it is first asked for."""
    try:
        return identifier()
    except (OSError, MemoryError):  # it unpacks into a temporary file
        raise MemoryFullError(
            "there must be room to tell languages apart, but there is none. Name the source."
        ) from None


def detected(text: str, among: Collection[str]) -> list[dict[str, Any]]:
    """Which of these languages a text may be in, the most probable first, each with its confidence in percent.

    The confidence is its share among all languages that can be told apart, so that of a text in another one is small.
    """
    shares = dict(identify_languages().rank(text))
    found = [(round(100 * shares.get(language_code(code), 0.0), 1), code) for code in sorted(among)]
    ranked = sorted(found, key=lambda one: -one[0])
    return [{"confidence": confidence, "language": code} for confidence, code in ranked]
