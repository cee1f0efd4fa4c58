"""The YAML that Marian writes, and no more of it: one mapping of names to scalars and to lists of scalars.

    dim-emb: 512              a name and a scalar
    dim-vocabs:               a name and a list; an empty one is [] on a line of its own
      - 58101
    ">>fra<<": 7              a scalar in quotes, as pieces of a vocabulary often are
    ? a very long name        a name of more than a thousand characters, and
    : 8                       its value

There are no anchors, tags, nested mappings, block scalars or second documents: those are refused, with the line that
has them. Every scalar is a string here. Lines end in a line feed only: Marian writes characters such as U+0085 as they
are, where readers of all of YAML take them for the end of a line.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from saccade.errors import FormatError
from saccade.file_contents import read_file

LARGEST_YAML = 1 << 26
"""More bytes than any vocabulary has: 64 MiB."""
Entries = dict[str, str | list[str]]

_DOUBLE, _SINGLE = r'"(?:[^"\\]|\\.)*"', r"'(?:[^']|'')*'"
_PLAIN = r"(?:[^ \t\-?:,\[\]{}#&*!|>'\"%@`]|[\-?:](?=[^ \t]))(?:[^:#]|:(?=[^ \t])|(?<![ \t])#)*?"
_SCALAR = re.compile(rf"({_DOUBLE}|{_SINGLE}|{_PLAIN})(?:[ \t]+#.*)?[ \t]*", re.DOTALL)
_ENTRY = re.compile(rf"({_DOUBLE}|{_SINGLE}|{_PLAIN})[ \t]*:(?:[ \t]+(.*))?", re.DOTALL)
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)", re.DOTALL)
_LONG_NAME, _LONG_VALUE = re.compile(r"\?[ \t]+(.*)", re.DOTALL), re.compile(r":[ \t]+(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPED = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b", " ": " ",
    '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip


class _OtherYaml(ValueError):
    """A line that is not of this kind."""


def read_yaml(path: Path) -> Entries:
    """The entries of a file, in its order."""
    return parse_yaml(read_file(path, LARGEST_YAML), str(path))


def parse_yaml(content: bytes, where: str) -> Entries:
    """The entries of a text, in its order."""
    try:
        lines = content.decode("utf-8").removeprefix("\ufeff").split("\n")
    except UnicodeDecodeError as problem:
        raise FormatError(f"`{where}` must be UTF-8, but byte {problem.start} is not.") from problem
    reader = _Reader()
    for number, line in enumerate(lines, 1):
        try:
            reader.read(line.rstrip(" \t\r"))
        except _OtherYaml as problem:
            reason = str(problem) or f"is {line!r:.60}"
            raise FormatError(f"`{where}` must be YAML as Marian writes it, but line {number} {reason}.") from problem
    if reader.long is not None:
        raise FormatError(
            f"`{where}` must be YAML as Marian writes it, but line {len(lines)} ends in the middle of it."
        )
    return reader.entries


def text_of(entries: Mapping[str, str | list[str]], name: str, default: str = "") -> str:
    """The scalar of that name; a list has none."""
    value = entries.get(name, default)
    return value if isinstance(value, str) else f"[{', '.join(value)}]"


class _Reader:
    """What has been read so far, and the name that is still to get its value."""

    def __init__(self) -> None:
        self.entries: Entries = {}
        self.open: str | None = None
        self.long: str | None = None
        self.begun = False

    def read(self, line: str) -> None:
        """One line, without white space at its end."""
        start = line.lstrip(" \t")
        if not start or start.startswith("#"):
            return
        if line == "---" and not self.begun:
            self.begun = True
            return
        self.begun = True
        if self.long is not None:
            found = _LONG_VALUE.fullmatch(line)
            if found is None:
                raise _OtherYaml
            self._enter(self.long, found[1])
            self.long = None
        elif found := _ITEM.fullmatch(line):
            self._append(_scalar(found[1]))
        elif start == "[]" and line != start:
            self._append(None)
        elif found := _LONG_NAME.fullmatch(line):
            self.long = _scalar(found[1])
        elif found := _ENTRY.fullmatch(line):
            self._enter(_scalar(found[1]), found[2] or "")
        else:
            raise _OtherYaml

    def _enter(self, name: str, value: str) -> None:
        if name in self.entries:
            raise _OtherYaml(f"has {name!r:.40} for the second time")
        flow = value.startswith("[") and value.endswith("]")
        items = [item for item in value[1:-1].split(",") if item.strip(" \t")] if flow else []
        self.entries[name] = [_scalar(item.strip(" \t")) for item in items] if flow else _scalar(value) if value else ""
        self.open = None if value else name

    def _append(self, item: str | None) -> None:
        if self.open is None:
            raise _OtherYaml("belongs to no name")
        found = self.entries[self.open]
        if not isinstance(found, list):
            found = self.entries[self.open] = []
        if item is not None:
            found.append(item)


def _scalar(text: str) -> str:
    found = _SCALAR.fullmatch(text)
    if found is None:
        raise _OtherYaml
    scalar = found[1]
    if scalar.startswith('"'):
        return _ESCAPE.sub(_character, scalar[1:-1])
    return scalar[1:-1].replace("''", "'") if scalar.startswith("'") else scalar


def _character(escape: re.Match[str]) -> str:
    kind = escape[1]
    if len(kind) == 1:
        if kind not in _ESCAPED:
            raise _OtherYaml(f"has the escape {escape[0]!r}")
        return _ESCAPED[kind]
    number = int(kind[1:], base=16)
    if number > 0x10FFFF or 0xD800 <= number < 0xE000:
        raise _OtherYaml(f"has {escape[0]}, which is no character")
    return chr(number)
