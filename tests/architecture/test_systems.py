"""A system is one file in models/ and one line in its catalogue: nobody else knows it by name.

But for claims, which are about systems, and the fast twin of a system, `X_fast.py`.
"""

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "saccade"
SHARED = {"contract", "capabilities", "language_model", "classifier", "transformer_stacks", "checks", "catalogue"}
TWINS = set((SOURCE / "models").glob("*_fast.py"))
SYSTEMS = {path.stem for path in set((SOURCE / "models").glob("*.py")) - TWINS} - SHARED - {"__init__"}


def named(path: Path) -> set[str]:
    """The modules of models/ that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "saccade.models":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("saccade.models."):
            found.add(str(node.module).split(".")[2])
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[2] for alias in node.names if alias.name.startswith("saccade.models.")}
    return found


def test_this_test_sees_what_is_imported():
    assert named(SOURCE / "models" / "catalogue.py") >= SYSTEMS


def test_only_the_catalogue_names_a_system():
    files = set(SOURCE.rglob("*.py")) - {SOURCE / "models" / "catalogue.py"} - TWINS
    files -= set((SOURCE / "claims").rglob("*.py"))
    assert {str(path.relative_to(SOURCE)): found for path in files if (found := named(path) & SYSTEMS)} == {}
