"""Writes docs/reference.md from the source of the public names, so that a code host and the site both show it.

python -m tools.reference           writes the document
python -m tools.reference --check   fails where the document and the docstrings disagree
"""

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import saccade

DOCUMENT = Path("docs/reference.md")
HEADER = """\
# Reference

The public names of Python, `saccade.NAME`, as their source has them. Written by `python -m tools.reference`. The verbs
of the command line explain themselves: `saccade --help`, `saccade train --help`.
"""
Definition = ast.FunctionDef | ast.ClassDef


def main() -> int:
    """Writes or checks the document; returns the exit code."""
    text = reference()
    if "--check" not in sys.argv[1:]:
        DOCUMENT.write_text(text, encoding="utf-8")
        return 0
    if DOCUMENT.read_text(encoding="utf-8") == text:
        return 0
    print(f"error: {DOCUMENT} must say what the docstrings say, but does not. Run: python -m tools.reference")
    return 1


def reference() -> str:
    """The whole document: functions first, then classes, each in the order of the alphabet."""
    parts = {"Functions": [HEADER, "## Functions\n"], "Classes": ["## Classes\n"]}
    for name in saccade.__all__:
        thing = getattr(saccade, name)
        if inspect.isfunction(thing):
            parts["Functions"].append(f"### {name}\n\n{_function(thing)}")
        elif inspect.isclass(thing):
            parts["Classes"].append(f"### {name}\n\n{_class(thing)}")
    return "\n".join(line for lines in parts.values() for line in lines).rstrip() + "\n"


def _function(thing: object) -> str:
    source, definition = _parsed(thing)
    return _described(source, definition)


def _class(thing: type) -> str:
    source, definition = _parsed(thing)
    lines = [f"{ast.get_docstring(definition)}\n"]
    fields = [
        (node, ast.get_source_segment(source, node.annotation), node.value)
        for node in definition.body
        if isinstance(node, ast.AnnAssign)
    ]
    if fields:
        lines.append("| field | type | default |\n|---|---|---|")
        for node, kind, value in fields:
            default = "required" if value is None else f"`{ast.unparse(value)}`"
            shown = str(kind).replace("|", "\\|")
            lines.append(f"| `{ast.unparse(node.target)}` | `{shown}` | {default} |")
        lines.append("")
    lines += [_described(source, method) for method in _public_methods(definition)]
    return "\n".join(lines)


def _public_methods(definition: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    """Methods whose name does not begin with an underscore; overloads of one name are left to its last form."""
    last = {node.name: node for node in definition.body if isinstance(node, ast.FunctionDef)}
    for name, node in last.items():
        if not name.startswith("_"):
            yield node


def _described(source: str, definition: ast.FunctionDef) -> str:
    """The signature as it is written, and the docstring; a property is written as what it is to the reader, a name."""
    if any(ast.unparse(decorator).endswith("property") for decorator in definition.decorator_list):
        assert definition.returns is not None
        signature = f"{definition.name}: {ast.unparse(definition.returns)}"
    else:
        lines = source.splitlines()[definition.lineno - 1 : definition.body[0].lineno - 1]
        written = textwrap.dedent("\n".join(lines)).rstrip().removesuffix(":").removeprefix("def ")
        signature = re.sub(r"\((\n?) *self,? ?(?:\n(?= ))?", r"(\1", written, count=1)
    return f"```python\n{signature}\n```\n\n{ast.get_docstring(definition)}\n"


def _parsed(thing: object) -> tuple[str, Definition]:
    source = inspect.getsource(thing)
    definition = ast.parse(source).body[0]
    assert isinstance(definition, Definition)
    return source, definition


if __name__ == "__main__":
    raise SystemExit(main())
