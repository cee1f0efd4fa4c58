"""The fast twin of `terms.py`: the automata of a batch as tables, and one step of all hypotheses at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from saccade.decoding.terms import START, TermAutomaton
from saccade.special_tokens import PAD


@dataclass(frozen=True)
class TermTables:
    """The nodes of all automata of a batch, one after another.

    Of each node: the edges that lead on from it, its own and those of the root of its automaton, padded with PAD, where
    each leads, whether it is its own, and for an edge of the root the place of an own edge with the same token, or -1.
    """

    tokens: Int[Tensor, "nodes edges"]
    targets: Int[Tensor, "nodes edges"]
    own: Bool[Tensor, "nodes edges"]
    shadow: Int[Tensor, "nodes edges"]
    wanted: Int[Tensor, " nodes"]
    accepts: Int[Tensor, " nodes"]
    free: Bool[Tensor, " nodes"]
    continues: Bool[Tensor, " nodes"]
    inner: Bool[Tensor, " nodes"]
    """Whether it is no root."""
    begins: Bool[Tensor, " vocabulary"]
    opens: Bool[Tensor, " vocabulary"]
    roots: Int[Tensor, " sentences"]
    """The first node of each automaton."""

    @classmethod
    def of(cls, automata: Sequence[TermAutomaton], device: torch.device) -> "TermTables":
        """Of a batch, in its order."""
        rows = list[list[tuple[int, int, bool, int]]]()
        roots = list[int]()
        for automaton in automata:
            roots.append(len(rows))
            rows += [_edges(automaton, node, roots[-1]) for node in range(len(automaton.edges))]
        counts = torch.tensor([len(row) for row in rows])
        there = torch.arange(int(counts.max())) < counts.unsqueeze(1)

        def padded(column: int, padding: int | bool) -> Tensor:
            # Most is padding: a list of it all would take longer to read than the automata to follow.
            table = torch.full(there.shape, padding)
            table[there] = torch.tensor([edge[column] for row in rows for edge in row], dtype=table.dtype)
            return table.to(device)

        marks = automata[0].marks

        def joined(name: str) -> Tensor:
            return torch.tensor([value for one in automata for value in getattr(one, name)], device=device)

        return cls(
            padded(0, PAD),
            padded(1, 0),
            padded(2, True),
            padded(3, -1),
            joined("wanted"),
            joined("accepts"),
            joined("free"),
            joined("continues"),
            torch.tensor([node > START for one in automata for node in range(len(one.edges))], device=device),
            torch.tensor(marks.begins, device=device),
            torch.tensor(marks.opens, device=device),
            torch.tensor(roots, device=device),
        )


def _edges(automaton: TermAutomaton, node: int, first: int) -> list[tuple[int, int, bool, int]]:
    own = [(token, first + target, True, -1) for token, target in automaton.edges[node].items()]
    if node <= START:
        return own
    places = {token: place for place, token in enumerate(automaton.edges[node])}
    root = automaton.edges[0].items()
    return own + [(token, first + target, False, places.get(token, -1)) for token, target in root]


@dataclass(frozen=True)
class Readings:
    """How far each hypothesis has been read: its node, the terms it has met as bits, and how many these are."""

    node: Int[Tensor, "sentences size"]
    met: Int[Tensor, "sentences size"]
    count: Int[Tensor, "sentences size"]

    def at(self, places: Int[Tensor, "sentences new"]) -> "Readings":
        """Those at these places."""
        return Readings(self.node.gather(1, places), self.met.gather(1, places), self.count.gather(1, places))

    def complete(self, tables: TermTables) -> Int[Tensor, "sentences size"]:
        """The missing terms that a form has just been completed of, as bits."""
        return tables.accepts[self.node] & ~self.met

    def banks(self, tables: TermTables) -> Int[Tensor, "sentences size"]:
        """As `TermAutomaton.bank`."""
        complete = self.complete(tables) != 0
        return 2 * (self.count + complete) + (tables.inner[self.node] & ~complete)


@dataclass(frozen=True)
class Edges:
    """The tokens that lead each hypothesis into a term or further in it, and its reading after each of them."""

    tokens: Int[Tensor, "sentences size edges"]
    after: Readings
    """For all edges of a hypothesis one after another."""
    possible: Bool[Tensor, "sentences size edges"]
    goes_on: Bool[Tensor, "sentences size edges"]
    """Whether an edge continues what was begun before it."""


def edges(readings: Readings, tables: TermTables) -> Edges:
    """The first and the last case of `TermAutomaton.follow` in which a token leads into a term."""
    node, complete = readings.node, readings.complete(tables)
    tokens, targets, own, shadow = (each[node] for each in (tables.tokens, tables.targets, tables.own, tables.shadow))
    pending, free, continues = (
        each.unsqueeze(2) for each in (complete != 0, tables.free[node], tables.continues[node])
    )
    ends_word = tables.begins[tokens] | free
    met_now = pending & ~own & ends_word
    met = readings.met.unsqueeze(2) | torch.where(met_now, (complete & -complete).unsqueeze(2), 0)
    relevant = ((tables.wanted[targets] & ~met) != 0) & (tokens != PAD)
    possible = relevant & ~(pending & ~own & ~ends_word & continues)
    possible &= ~((shadow >= 0) & relevant.gather(2, shadow.clamp(min=0)))
    count = readings.count.unsqueeze(2) + met_now
    after = Readings(targets.flatten(1), met.flatten(1), count.flatten(1))
    return Edges(tokens, after, possible, own & tables.inner[node].unsqueeze(2))


def follow_others(
    readings: Readings, tokens: Int[Tensor, "sentences new"], roots: Int[Tensor, " sentences"], tables: TermTables
) -> Readings:
    """After a token that leads into no term, for the same number of readings and tokens."""
    complete = readings.complete(tables)
    ends_word = tables.begins[tokens] | tables.free[readings.node]
    met_now = (complete != 0) & ends_word
    stays = (complete != 0) & ~ends_word & tables.continues[readings.node]
    root = roots.unsqueeze(1) + tables.opens[tokens]
    return Readings(
        torch.where(stays, readings.node, root),
        readings.met | torch.where(met_now, complete & -complete, 0),
        readings.count + met_now,
    )
