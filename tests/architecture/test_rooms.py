"""Each room's docstring lists its files in reading order: all that are there, and none that is not."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = sorted(
    path.parent
    for folder in ("src/saccade/*", "bench")
    for path in ROOT.glob(f"{folder}/**/__init__.py")
    if ".envs" not in path.parts  # of peers, where the bench has been run
)


def docstring(room: Path) -> str:
    module = ast.parse((room / "__init__.py").read_text(encoding="utf-8"))
    return ast.get_docstring(module) or ""


def listed(room: Path) -> list[str]:
    """The files that the docstring names, each at the beginning of a line, with what it is behind it."""
    return re.findall(r"^ *(\w+\.py)  +\S", docstring(room), re.MULTILINE)


def test_there_are_rooms_to_check():
    assert {"attention", "training", "gpu"} <= {room.name for room in ROOMS}


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(ROOT)))
def test_the_docstring_of_a_room_lists_its_files(room):
    assert docstring(room).split("\n")[0].endswith((".", ":"))
    names = listed(room)
    assert len(names) == len(set(names))
    assert set(names) == {path.name for path in room.glob("*.py")} - {"__init__.py"}
