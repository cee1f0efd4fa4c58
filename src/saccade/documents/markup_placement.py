"""Markup put back into a translated sentence, around the words that were written from those it stood around.

Words are linked by the attention of the model; without one, by their share of the sentence. For each element, among the
units of the target (words and their punctuation) that its parent has, those linked to its own source words are
marked, and it gets the longest run of them that none of its siblings has a part in. So whatever the links are, every
tag comes back once, and all are nested as they were; links only decide where.

A break falls on the space nearest to its share of the sentence, but not into an element that it was not in.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from saccade.documents.document import Element, Sentence

Links = Sequence[tuple[int, int]]
"""(source word, target word), both counted from 0; words are what stands between white space."""

_WORD = re.compile(r"\S+")
# Scripts without spaces have a unit for each character; letters, digits and what joins them are one; the rest is
# punctuation, a unit for each mark.
_UNIT = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]+(?:[-'’.,@_&/][^\W_]+)*|\S")


@dataclass(frozen=True)
class _Unit:
    start: int
    end: int
    word: int


@dataclass
class _Node:
    """An element, and its place among the units of the target: from `first` to before `last`."""

    element: Element
    children: list["_Node"] = field(default_factory=list)
    first: int = 0
    last: int = 0

    @property
    def empty(self) -> bool:
        return self.first == self.last


def written(sentence: Sentence, target: str, links: Links | None = None) -> str:
    """What stands in the document in place of a sentence, its markup put back; without links, by position."""
    if not sentence.elements and not sentence.breaks:
        return sentence.before + sentence.escape(target) + sentence.after
    target = target.strip()
    source_units, units = _units(sentence.text), _units(target)
    linked = _link_units(source_units, units, links, sentence.text, target)
    root = _tree(sentence)
    root.last = len(units)
    _place(root, sentence.text, source_units, units, linked)
    breaks = _break_gaps(sentence, root, units, target)
    writer = _Writer(sentence, units, target, breaks)
    writer.write(root)
    at_the_end = [layout for place in sorted(breaks) for layout in breaks[place]]
    return "".join([sentence.before, *writer.pieces, *at_the_end, sentence.after])


def _units(text: str) -> list[_Unit]:
    units = []
    for number, word in enumerate(_WORD.finditer(text)):
        units += [
            _Unit(word.start() + unit.start(), word.start() + unit.end(), number)
            for unit in _UNIT.finditer(word.group())
        ]
    return units


def _link_units(
    source: list[_Unit], target: list[_Unit], links: Links | None, source_text: str, target_text: str
) -> list[int | None]:
    """For each target unit the source unit that it was written from, as far as that is known."""
    source_words, target_words = _by_word(source), _by_word(target)
    if links is None:
        count = len(target_words)
        links = [((2 * word + 1) * len(source_words) // (2 * count), word) for word in range(count)]
    linked: list[int | None] = [None] * len(target)
    for source_word, target_word in links:
        if source_word >= len(source_words) or target_word >= len(target_words):
            continue
        theirs, ours = source_words[source_word], target_words[target_word]
        # Words go with words, and marks before or after a word with such marks.
        parts = zip(_parts(source, theirs, source_text), _parts(target, ours, target_text), strict=True)
        for from_units, to_units in parts:
            for place, unit in enumerate(to_units):
                if from_units:
                    linked[unit] = from_units[place * len(from_units) // len(to_units)]
    return linked


def _by_word(units: list[_Unit]) -> list[list[int]]:
    words: list[list[int]] = []
    for index, unit in enumerate(units):
        if unit.word == len(words):
            words.append([])
        words[-1].append(index)
    return words


def _parts(units: list[_Unit], word: list[int], text: str) -> tuple[list[int], list[int], list[int]]:
    """The marks before a word, the word, and the marks after it."""
    letters = [place for place, index in enumerate(word) if text[units[index].start].isalnum()]
    if not letters:
        return [], word, []
    return word[: letters[0]], word[letters[0] : letters[-1] + 1], word[letters[-1] + 1 :]


def _tree(sentence: Sentence) -> _Node:
    root = _Node(Element(0, len(sentence.text), ""))
    path = [root]
    for element in sentence.elements:
        del path[element.depth + 1 :]
        node = _Node(element)
        path[-1].children.append(node)
        path.append(node)
    return root


def _place(parent: _Node, text: str, source: list[_Unit], target: list[_Unit], linked: Sequence[int | None]) -> None:
    """Gives the children of a node, and theirs, their places inside its own."""
    owners = [_owner(parent.children, linked[unit], source) for unit in range(parent.first, parent.last)]
    for number, child in enumerate(parent.children):
        run = _longest_run(owners, number, [unit.end - unit.start for unit in target[parent.first : parent.last]])
        if _covers(child.element, parent.element, text):
            run = 0, len(owners)
        if run is not None:
            child.first, child.last = parent.first + run[0], parent.first + run[1]
    taken = [(child.first, child.last) for child in parent.children if not child.empty]
    for child in parent.children:
        if child.empty:
            wanted = _point(child.element, text, source, linked, parent.first, parent.last)
            child.first = child.last = _outside(max(wanted, parent.first), taken)
        _place(child, text, source, target, linked)


def _owner(children: list[_Node], source_unit: int | None, source: list[_Unit]) -> int | None:
    """The child that has a part in a source unit; the larger part, if several have."""
    if source_unit is None:
        return None
    unit = source[source_unit]
    shares = [min(unit.end, one.element.end) - max(unit.start, one.element.start) for one in children]
    largest = max(range(len(shares)), key=shares.__getitem__, default=None)
    return largest if largest is not None and shares[largest] > 0 else None


def _longest_run(owners: list[int | None], number: int, lengths: list[int]) -> tuple[int, int] | None:
    """The units from one of its own to another, others' not among them, in which most characters are its own."""
    best, best_length = None, 0
    start = end = None
    length = 0
    for place, owner in enumerate([*owners, -1]):
        if owner == number:
            start = place if start is None else start
            end, length = place + 1, length + lengths[place]
        elif owner is not None:
            if start is not None and end is not None and length > best_length:
                best, best_length = (start, end), length
            start, length = None, 0
    return best


def _covers(element: Element, parent: Element, text: str) -> bool:
    outside = text[parent.start : element.start] + text[element.end : parent.end]
    return element.start < element.end and not outside.strip()


def _point(
    element: Element, text: str, source: list[_Unit], linked: Sequence[int | None], first: int, last: int
) -> int:
    """Where an element goes that has no unit of its own: beside what its neighbour became."""
    after_a_word = element.start > 0 and not text[element.start - 1].isspace()
    following = next((index for index, unit in enumerate(source) if unit.end > element.start), len(source))
    neighbours: Iterable[tuple[int, int]] = [(following, 0), (following - 1, 1)]
    if after_a_word:
        neighbours = [(following - 1, 1), (following, 0)]
    for neighbour, side in neighbours:
        places = [unit for unit in range(first, last) if linked[unit] == neighbour]
        if places:
            return (places[-1] if side else places[0]) + side
    return first + (last - first) * element.start // max(len(text), 1)


def _outside(place: int, taken: list[tuple[int, int]]) -> int:
    """The nearest place that is not inside one of these."""
    for first, last in taken:
        if first < place < last:
            return first if place - first <= last - place else last
    return place


def _break_gaps(sentence: Sentence, root: _Node, units: list[_Unit], target: str) -> dict[int, list[str]]:
    """The layout of breaks by the unit that they stand before."""
    gaps: dict[int, list[str]] = {}
    spaces = [at for at in range(1, len(units)) if units[at].word != units[at - 1].word]
    if not spaces:  # a script without spaces
        spaces = [at for at in range(1, len(units)) if target[units[at].start].isalnum()]
    begun = 0
    for number, one in enumerate(sentence.breaks):
        wanted = one.position / max(len(sentence.text), 1) * len(target)
        inside = [node for node in _nodes(root) if node.element.start < one.position < node.element.end]
        others = [node for node in _nodes(root) if node not in inside]
        allowed = [at for at in spaces if not any(node.first < at < node.last for node in others)]
        allowed = [at for at in allowed if all(node.first < at < node.last for node in inside)] or allowed
        later = len(sentence.breaks) - number - 1
        left = [at for at in allowed if at > begun]
        left = left[: len(left) - later] or left[:1] or [max(begun, len(units))]
        begun = min(left, key=lambda at: abs((units[at].start if at < len(units) else len(target)) - wanted))
        gaps.setdefault(begun, []).append(one.layout)
    return gaps


def _nodes(node: _Node) -> Iterator[_Node]:
    for child in node.children:
        yield child
        yield from _nodes(child)


class _Writer:
    """Writes a tree of elements around the units of a target.

    The space between two units is written by the innermost element that has both.
    """

    def __init__(self, sentence: Sentence, units: list[_Unit], target: str, breaks: dict[int, list[str]]) -> None:
        self.pieces: list[str] = []
        self._sentence = sentence
        self._units = units
        self._target = target
        self._breaks = breaks
        self._gaps_written = {0, len(units)}

    def write(self, node: _Node) -> None:
        """Adds what stands between the tags of a node."""
        place = node.first
        for child in sorted(node.children, key=lambda one: (one.first, one.last)):
            self._write_text(node, place, child.first)
            place = child.last
            if child.empty:
                self._write_point(node, child)
            else:
                self._write_gap(node, child.first)
                self._write_tagged(child)
        self._write_text(node, place, node.last)

    def _write_tagged(self, node: _Node) -> None:
        self.pieces.append(node.element.opening)
        if node.element.fixed is None:
            self.write(node)
        else:
            self.pieces.append(node.element.fixed)
        self.pieces.append(node.element.closing)

    def _write_text(self, node: _Node, first: int, last: int) -> None:
        for place in range(first, last):
            self._write_gap(node, place)
            self.pieces.append(self._sentence.escape(self._target[self._units[place].start : self._units[place].end]))

    def _write_gap(self, node: _Node, place: int) -> None:
        """What stands before a unit, once."""
        if node.first < place < node.last and place not in self._gaps_written:
            self._gaps_written.add(place)
            space = self._target[self._units[place - 1].end : self._units[place].start]
            self.pieces.append("".join(self._breaks.pop(place)) if place in self._breaks else space)

    def _write_point(self, parent: _Node, node: _Node) -> None:
        """An element without units, with white space around it where its source had that."""
        text, element = self._sentence.text, node.element
        space_before = element.start == 0 or text[element.start - 1].isspace()
        space_after = element.end == len(text) or text[element.end].isspace()
        apart = not parent.empty and ((space_before and space_after) or element.fixed is not None)
        if space_before or apart:
            self._write_gap(parent, node.first)
        if apart and node.first > parent.first and not self._ends_with_space():
            self.pieces.append(" ")
        self._write_tagged(node)
        if apart and node.first < parent.last:
            self.pieces.append(" ")

    def _ends_with_space(self) -> bool:
        return next((piece[-1].isspace() for piece in reversed(self.pieces) if piece), False)
