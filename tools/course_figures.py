"""Draws the figures of docs/course/figures from numbers that saccade computes.

python -m tools.course_figures
"""

from pathlib import Path

from tools.course.catalogue import FIGURES

FOLDER = Path("docs/course/figures")


def main() -> None:
    """Writes every figure."""
    for name, draw in FIGURES.items():
        Path(FOLDER, f"{name}.svg").write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
