"""Terms that an output must contain, and the automaton that follows an output and knows which of them it has.

A term is one or several forms, any of which will do: spellings, inflections, the same word with a capital at the
beginning of the output. An output is read from left to right. Where a token begins a form of a term that is still
missing, the form is in progress; where the next token does not continue it, reading goes on with that token as if
nothing had been begun. A form that is complete counts when a new word follows, so that `can` is not found in `canción`,
unless the form itself says that anything may follow. One place in an output is one occurrence of one term: a term that
must be there twice is given twice.

    token      ▁El   ▁perro   s    ▁y   ▁el   ▁perro   .
    progress    -    ▁perro   -     -     -   ▁perro   met            for the term "perro"
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from saccade.errors import InputError

ROOT, OPEN, START = 0, 1, 2
"""Where a form may begin: after a finished word, after a token that ends in punctuation, at the start of the output."""
MOST_TERMS = 60
"""Terms of one output: they are the bits of an integer."""


@dataclass(frozen=True)
class Form:
    """One way to write a term: a path of tokens from node 0 to the `last` one, that may begin at one of the roots.

    Where a term is a stem, there are many paths, one for each way to cut it, and the word `continues` as it likes.
    After a `free` form anything may follow, as in a script without spaces.
    """

    root: int
    edges: tuple[tuple[int, int, int], ...]
    last: int
    free: bool = False
    continues: bool = False

    @classmethod
    def of(cls, tokens: Sequence[int], root: int, *, free: bool = False) -> "Form":
        """These tokens, one after another."""
        assert tokens, "a form without tokens is everywhere"
        return cls(root, tuple((place, token, place + 1) for place, token in enumerate(tokens)), len(tokens), free)


Term = tuple[Form, ...]


@dataclass(frozen=True)
class WordMarks:
    """Of each token of a vocabulary: whether it ends the word before it, and whether one may follow it without a space.

    A space or punctuation ends a word, and so does EOS; after an opening bracket no space is needed.
    """

    begins: tuple[bool, ...]
    opens: tuple[bool, ...]


class Reading(NamedTuple):
    """How far an output has been read: a node of the automaton, and the terms that are met, as bits of a number."""

    node: int
    met: int


@dataclass(frozen=True)
class TermAutomaton:
    """The forms of all terms of one output as one deterministic automaton; nodes 0 to 2 are its roots.

    Of each node: where tokens lead, the terms that some form in progress there belongs to (`wanted`), those that are
    complete there (`accepts`), and whether anything may follow or the word may go on.
    """

    terms: int
    marks: WordMarks
    edges: tuple[dict[int, int], ...]
    wanted: tuple[int, ...]
    accepts: tuple[int, ...]
    free: tuple[bool, ...]
    continues: tuple[bool, ...]
    shortest: int
    """Tokens of the shortest form of every term."""

    @classmethod
    def of(cls, terms: Sequence[Term], marks: WordMarks) -> "TermAutomaton":
        """By the subset construction: a node is a set of places in forms that the same tokens lead to."""
        if len(terms) > MOST_TERMS:
            raise InputError(f"an output must have at most {MOST_TERMS} terms, but {len(terms)} are given.")
        paths = [[_paths(form) for form in term] for term in terms]
        begins = [(number, which, 0) for number, term in enumerate(terms) for which in range(len(term))]

        def root_of(place: tuple[int, int, int]) -> int:
            return terms[place[0]][place[1]].root

        roots = [frozenset(place for place in begins if root_of(place) in may) for may in _MAY_BEGIN]
        nodes, edges = list(roots), list[dict[int, int]]()
        number_of: dict[frozenset[tuple[int, int, int]], int] = {}
        while len(edges) < len(nodes):
            reached: dict[int, set[tuple[int, int, int]]] = {}
            for number, which, place in nodes[len(edges)]:
                for token, ahead in paths[number][which].get(place, ()):
                    reached.setdefault(token, set()).add((number, which, ahead))
            ways = {}
            for token in sorted(reached):
                target = frozenset(reached[token])
                if target not in number_of:
                    number_of[target] = len(nodes)
                    nodes.append(target)
                ways[token] = number_of[target]
            edges.append(ways)
        complete = [[place for place in node if terms[place[0]][place[1]].last == place[2]] for node in nodes]
        return cls(
            len(terms),
            marks,
            tuple(edges),
            tuple(_bits(node) for node in nodes),
            tuple(_bits(node) for node in complete),
            tuple(any(terms[number][which].free for number, which, _ in node) for node in complete),
            tuple(any(terms[number][which].continues for number, which, _ in node) for node in complete),
            sum(min(_fewest_tokens(form) for form in term) for term in terms),
        )

    def follow(self, reading: Reading, token: int) -> Reading:
        """After one more token."""
        node, met = reading
        ahead = self.edges[node].get(token)
        if ahead is not None and self.wanted[ahead] & ~met:
            return Reading(ahead, met)
        complete = self.accepts[node] & ~met
        if complete and (self.free[node] or self.marks.begins[token]):
            met |= complete & -complete  # the first of them: equal terms are met one after another
        elif complete and self.continues[node]:
            return reading
        ahead = self.edges[ROOT].get(token) if node > START else None
        if ahead is not None and self.wanted[ahead] & ~met:
            return Reading(ahead, met)
        return Reading(OPEN if self.marks.opens[token] else ROOT, met)

    def bank(self, reading: Reading) -> int:
        """Twice the number of terms that are met, or would be if the output ended here; one more if one is begun."""
        complete = self.accepts[reading.node] & ~reading.met
        met = reading.met.bit_count() + bool(complete)
        return 2 * met + (reading.node > START and not complete)

    def contains_all(self, tokens: Sequence[int]) -> bool:
        """Whether an output has all terms."""
        reading = Reading(START, 0)
        for token in tokens:
            reading = self.follow(reading, token)
        return self.bank(reading) == self.last_bank

    @property
    def last_bank(self) -> int:
        """The bank of hypotheses that have all terms."""
        return 2 * self.terms

    @cached_property
    def banks(self) -> tuple[int, ...]:
        """The banks that hypotheses can be in, in the order in which they are given places."""
        begun = any(wanted & ~accepts for wanted, accepts in zip(self.wanted[3:], self.accepts[3:], strict=True))
        met = range(self.last_bank, -1, -2)
        return (*met, *(range(self.last_bank - 1, -1, -2) if begun else ()))


# A word may follow a space wherever one may follow an opening bracket.
_MAY_BEGIN = ((ROOT,), (ROOT, OPEN), (START,))


def _paths(form: Form) -> dict[int, list[tuple[int, int]]]:
    paths: dict[int, list[tuple[int, int]]] = {}
    for start, token, end in form.edges:
        paths.setdefault(start, []).append((token, end))
    return paths


def _fewest_tokens(form: Form) -> int:
    fewest = {0: 0}
    for start, _, end in sorted(form.edges):  # every edge leads to a higher node
        if start in fewest:
            fewest[end] = min(fewest.get(end, len(form.edges) + 1), fewest[start] + 1)
    return fewest[form.last]


def _bits(places: Sequence[tuple[int, int, int]] | frozenset[tuple[int, int, int]]) -> int:
    bits = 0
    for number, _, _ in places:
        bits |= 1 << number
    return bits
