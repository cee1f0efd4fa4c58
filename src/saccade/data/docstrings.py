"""Summaries that every Python carries: the docstrings of the standard library, without their first line, and that line.

The library of another Python version gives other pairs, so scores are comparable only for one version; the number of
the version goes into no text, and nothing is downloaded.
"""

import ast
import re
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

from saccade.data.splits import Pair, SplitPairs, bucket

_LEFT_OUT = ("test", "tests", "idlelib", "site-packages", "dist-packages", "lib2to3", "turtledemo", "__pycache__")
_LEAST, _MOST = 12, 120  # words of a docstring without its first line
_SUMMARY = (3, 20)  # words of the first line


def docstrings() -> SplitPairs:
    """No body twice; a tenth of the bodies are test, a tenth valid, by a hash of their letters."""
    portions: dict[str, list[Pair]] = {"train": [], "valid": [], "test": []}
    seen: set[str] = set()
    for body, summary in _pairs(Path(sysconfig.get_path("stdlib"))):
        if body not in seen:
            seen.add(body)
            number = bucket(body)
            portions["test" if number < 100 else "valid" if number < 200 else "train"].append((body, summary))
    return SplitPairs(portions)


def _pairs(library: Path) -> Iterator[Pair]:
    for path in sorted(library.rglob("*.py")):
        if set(path.relative_to(library).parts) & set(_LEFT_OUT):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about escapes in other people's strings
                tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError, ValueError):
            continue  # templates and broken samples are no modules
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                pair = _cut(ast.get_docstring(node) or "")
                if pair is not None:
                    yield pair


def _cut(docstring: str) -> Pair | None:
    """The rest of a docstring and its first line, where both have a length that suits; code and tables are left out."""
    summary, _, rest = docstring.strip().partition("\n\n")
    body = " ".join(line for line in rest.split("\n") if not re.match(r"\s*(>>>|\.\.\.|[-=+|#:]{3,})", line))
    body, summary = (" ".join(text.split()) for text in (body, summary))
    words, brief = len(body.split()), len(summary.split())
    return (body, summary) if _LEAST <= words <= _MOST and _SUMMARY[0] <= brief <= _SUMMARY[1] else None
