"""The chapters of the course, and what is in them."""

import re
from pathlib import Path
from typing import NamedTuple

COURSE = Path(__file__).parents[2] / "docs" / "course"
CHAPTERS = sorted(COURSE.glob("[0-9]*.md"))


class Cell(NamedTuple):
    """A piece of Python as it stands in a chapter, and what it says it prints; None where it shows nothing."""

    code: str
    printed: str | None


def cells(chapter: Path) -> list[Cell]:
    """Every ```python block; a ```text block right after it is its output."""
    found = re.findall(
        r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?",
        chapter.read_text(encoding="utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    return [Cell(code, printed or None) for code, printed in found]
