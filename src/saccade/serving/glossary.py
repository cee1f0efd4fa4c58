"""Glossaries: how given words of the source must be translated.

    # source       target             options
    dog            can
    free kick      tiro libre|golpe franco             any of these forms will do
    translation    traducción         inflect          or any other ending of the word
    Acme Cloud                                         no target: it stays as it is

Columns are parted by tabs, and a line that begins with # is a comment. A source matches whole words, without regard to
case if it is written in small letters only, and as it is written otherwise. In a script without spaces it matches
anywhere. Of sources that overlap in a text the longest counts. As often as a source occurs in a sentence, its target
must occur in the translation.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from saccade.data.normalisation import normalise
from saccade.data.text_lines import read_lines
from saccade.decoding.term_forms import TermForms, has_spaces
from saccade.decoding.terms import Term
from saccade.errors import InputError

INFLECT = "inflect"


@dataclass(frozen=True)
class Entry:
    """A source and its targets, any of which will do; none: the source itself. `place` is where it was read."""

    source: str
    targets: tuple[str, ...]
    inflected: bool
    place: str

    def matches(self, text: str, start: int) -> bool:
        """Whether the source stands in a text there, as a whole word."""
        end = start + len(self.source)
        written = text[start:end]
        if written != self.source and not (self.source.islower() and written.lower() == self.source):
            return False
        return not _in_one_word(text, start) and not _in_one_word(text, end)

    def forms_of(self, written: str) -> tuple[str, ...]:
        """What the translation may have for the source as it is written in a text."""
        if not self.targets:
            return (written,)
        if written.isupper() and len(written) > 1 and not self.source.isupper():
            return (*self.targets, *(target.upper() for target in self.targets))
        if written[:1].isupper() and not self.source[:1].isupper():
            return (*self.targets, *(target[:1].upper() + target[1:] for target in self.targets))
        return self.targets


@dataclass(frozen=True)
class Glossary:
    """Entries by which sentences are translated."""

    entries: tuple[Entry, ...]

    @classmethod
    def of(cls, terms: Mapping[str, str]) -> "Glossary":
        """From sources to targets; a target may have alternatives, parted by |, and none is for what stays as it is."""
        return cls._checked(
            (str(source), str(target or ""), "", f"`glossary[{source!r}]`") for source, target in terms.items()
        )

    @classmethod
    def read(cls, path: Path) -> "Glossary":
        """From a file."""
        rows = []
        for number, line in enumerate(read_lines(path), start=1):
            if not line.strip() or line.startswith("#"):
                continue
            place = f"line {number} of `{path}`"
            columns = line.split("\t")
            if len(columns) > 3:
                raise InputError(
                    f"{place} must have at most three columns (source, target, options), but has {len(columns)}. "
                    "Part them by single tabs."
                )
            if len(columns) == 1 and "  " in line.strip():
                raise InputError(f"{place} must have its columns parted by a tab, but has spaces there: {line[:60]!r}.")
            source, target, options = (*columns, "", "")[:3]
            rows.append((source, target, options.strip(), place))
        return cls._checked(rows)

    @classmethod
    def _checked(cls, rows: Iterable[tuple[str, str, str, str]]) -> "Glossary":
        entries: dict[str, Entry] = {}
        for source, target, options, place in rows:
            source = normalise(source)
            targets = tuple(filter(None, map(normalise, target.split("|"))))
            if not source:
                raise InputError(f"{place} must have a source, but has none. Write it before the first tab.")
            if options not in ("", INFLECT):
                raise InputError(f"{place} must have the option {INFLECT!r} or none, but has {options!r}.")
            if options and not targets:
                raise InputError(f"{place} must have a target to inflect, but has none. Write one, or no option.")
            known = entries.get(source)
            entry = Entry(source, targets, options == INFLECT, place)
            if known is not None and (known.targets, known.inflected) != (entry.targets, entry.inflected):
                what = "option" if known.targets == targets else "target"
                raise InputError(
                    f"{place} must not give {source!r} another {what} than {known.place} does. Write all targets of a "
                    "source on one line, parted by |."
                )
            entries.setdefault(source, entry)
        return cls(tuple(entries.values()))

    @property
    def settings(self) -> list[list[object]]:
        """Everything that translations depend on, for a JSON file."""
        return [[entry.source, list(entry.targets), entry.inflected] for entry in self.entries]

    def check(self, forms: TermForms) -> None:
        """Refuses targets that a vocabulary cannot write."""
        for entry in self.entries:
            for target in entry.targets or (entry.source,):
                if not forms.term((target,), inflected=entry.inflected):
                    raise InputError(
                        f"{entry.place} must have a target that this model can write, but its vocabulary has no pieces "
                        f"for {target!r}. Choose another word, or leave the line out."
                    )

    def found(self, text: str) -> list[tuple[Entry, str]]:
        """The entries that occur in a text, as often as they do, each with the words it was found as."""
        text = normalise(text)
        found, place = list[tuple[Entry, str]](), 0
        while place < len(text):
            entry = next(
                (one for one in self._by_beginning.get(text[place].lower(), ()) if one.matches(text, place)), None
            )
            if entry is not None:
                found.append((entry, text[place : place + len(entry.source)]))
            place += 1 if entry is None else len(entry.source)
        return found

    def terms(self, text: str, forms: TermForms) -> tuple[Term, ...]:
        """What the translation of a text must contain."""
        return tuple(
            forms.term(entry.forms_of(written), inflected=entry.inflected) for entry, written in self.found(text)
        )

    @cached_property
    def _by_beginning(self) -> dict[str, list[Entry]]:
        """The longest first."""
        entries: dict[str, list[Entry]] = {}
        for entry in sorted(self.entries, key=lambda one: -len(one.source)):
            entries.setdefault(entry.source[0].lower(), []).append(entry)
        return entries


def _in_one_word(text: str, place: int) -> bool:
    """Whether the characters on both sides of a place belong to one word."""
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    return before.isalnum() and after.isalnum() and has_spaces(before) and has_spaces(after)
