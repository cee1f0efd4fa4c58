"""The fast twin of `constrained_beam.py`: it finds the same outputs, for a batch at once; that file is the one to read.

It takes its steps as `beam_fast.py` does, and leaves backpointers. The candidates of a step are the tokens that lead
into terms, taken one by one, and the best of the others, taken from all hypotheses of a bank together without sorting
the vocabulary. Where these cannot tell which are the best, the sentence is searched again by `constrained_beam.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from saccade.decoding.beam import BeamConfig, best_reachable, deciding_score
from saccade.decoding.beam_backtrace import Backpointers, ambiguous, read_hypotheses
from saccade.decoding.beam_candidates import best_of_values, block_maxima, log_probabilities
from saccade.decoding.beam_fast import BeamState, after_given, initial_state, select_with_kernel, take_steps
from saccade.decoding.constrained_beam import (
    constrained_beam_search,
    limits_with_terms,
    shares_of_banks,
    with_places,
)
from saccade.decoding.constraints import Constraints, impossible
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.ranking import MARGIN, on_grid
from saccade.decoding.terms import START, TermAutomaton
from saccade.decoding.terms_fast import Readings, TermTables, edges, follow_others
from saccade.kernels import library_available_for
from saccade.kernels.beam_selection import Search, Terms
from saccade.models.contract import Transducer
from saccade.sequences import Sequences, TensorRows
from saccade.special_tokens import EOS, PAD


@dataclass(frozen=True)
class ConstrainedState(TensorRows):
    """What one step passes to the next: the state of plain search, and how far the terms of each hypothesis are.

    `begun` is the score with which the term in progress was begun; `lost` are the scores of hypotheses that ended
    without their terms and keep a place in their bank, which `lost_banks` has. Of each bank, `shares` has its number of
    places and `turns` its turn when they are dealt out; a turn more is for what is impossible. `sizes` are those of the
    beam that was asked for, which may have fewer places than there are banks.
    """

    beam: BeamState
    node: Int[Tensor, "sentences size"]
    met: Int[Tensor, "sentences size"]
    count: Int[Tensor, "sentences size"]
    begun: Float[Tensor, "sentences size"]
    lost: Float[Tensor, "sentences size"]
    lost_banks: Int[Tensor, "sentences size"]
    terms: Int[Tensor, " sentences"]
    roots: Int[Tensor, " sentences"]
    shares: Int[Tensor, "sentences turns"]
    turns: Int[Tensor, "sentences banks"]
    sizes: Int[Tensor, " sentences"]
    tables: TermTables

    @property
    def done(self) -> Int[Tensor, " sentences"]:
        """The length at which the search of a sentence was complete, and zero before that."""
        return self.beam.done

    @property
    def readings(self) -> Readings:
        """How far each hypothesis has been read."""
        return Readings(self.node, self.met, self.count)

    def for_kernels(self, config: BeamConfig) -> Search | None:
        """The same for a kernel, which overwrites it; there is one for a CPU."""
        plain = self.beam.for_kernels(config)
        if plain is None or self.done.is_cuda:
            return None
        carried = (self.node, self.met, self.count, self.begun, self.lost, self.lost_banks)
        fixed = (self.terms, self.roots, self.shares, self.turns, self.sizes)
        tables = self.tables
        followed = (tables.tokens, tables.targets, tables.own, tables.shadow, tables.wanted, tables.accepts)
        marks = (tables.free, tables.continues, tables.inner, tables.begins, tables.opens)
        return plain._replace(terms=Terms(*carried, *fixed, *followed, *marks))

    @classmethod
    def initial(cls, beam: BeamState, automata: Sequence[TermAutomaton], size: int) -> "ConstrainedState":
        """Before the first token, where a beam of `size` was asked for."""
        device, places = beam.alive.device, beam.reads.shape[1]
        tables = TermTables.of(automata, device)
        last = max(automaton.last_bank for automaton in automata)
        shares, turns = list[list[int]](), list[list[int]]()
        for automaton in automata:
            dealt = shares_of_banks(automaton, places)
            shares.append([*dealt.values(), *[0] * (last + 2 - len(dealt))])
            turn_of = {bank: turn for turn, bank in enumerate(dealt)}
            turns.append([turn_of.get(bank, last + 1) for bank in range(last + 1)])
        return cls(
            beam,
            (tables.roots + START).unsqueeze(1).repeat(1, places),
            torch.zeros_like(beam.reads),
            torch.zeros_like(beam.reads),
            torch.zeros_like(beam.alive),
            torch.full_like(beam.alive, -torch.inf),
            torch.zeros_like(beam.reads),
            torch.tensor([automaton.terms for automaton in automata], device=device),
            tables.roots,
            torch.tensor(shares, device=device),
            torch.tensor(turns, device=device),
            torch.full_like(beam.done, size),
            tables,
        )


class Pool(NamedTuple):
    """Candidates of each sentence in no order: id (parent * vocabulary + token), score, reading, score when begun."""

    ids: Int[Tensor, "sentences candidates"]
    scores: Float[Tensor, "sentences candidates"]
    node: Int[Tensor, "sentences candidates"]
    met: Int[Tensor, "sentences candidates"]
    number_met: Int[Tensor, "sentences candidates"]
    begun: Float[Tensor, "sentences candidates"]

    @classmethod
    def of(cls, ids: Tensor, scores: Tensor, readings: Readings, begun: Tensor) -> "Pool":
        """With the parts of the readings side by side."""
        return cls(ids, scores, readings.node, readings.met, readings.count, begun)

    @property
    def readings(self) -> Readings:
        """The readings after the candidates."""
        return Readings(self.node, self.met, self.number_met)


@torch.inference_mode()
def constrained_search(
    model: Transducer[Any, Any],
    source: Sequences,
    config: BeamConfig,
    automata: Sequence[TermAutomaton],
    prefix: Sequences | None = None,
) -> list[list[Hypothesis]]:
    """The outputs of `constrained_beam_search`, faster.

    A prefix that costs something and a coverage penalty are left to that function. Sentences whose terms need more
    places than the beam has are searched apart. An empty place reads PAD, so that a model may leave it out.
    """
    assert not model.training, "dropout would make the search random: call model.eval() first"
    constraints = Constraints.of(model, source, config.extra_length, prefix, config.unscored_prefix)
    if config.coverage or (prefix is not None and not constraints.given):
        return constrained_beam_search(model, source, config, automata, prefix)
    found: list[list[Hypothesis]] = [[] for _ in automata]
    by_size: dict[int, list[int]] = {}
    for row, automaton in enumerate(automata):
        by_size.setdefault(with_places(config, automaton).size, []).append(row)
    for rows in by_size.values():
        here = torch.tensor(rows, device=source.tokens.device)
        own_prefix = None if prefix is None else prefix.select(here)
        own = [automata[row] for row in rows]
        results = _search(model, source.select(here), config, own, own_prefix)
        for row, hypotheses in zip(rows, results, strict=True):
            found[row] = hypotheses
    return found


def _search(
    model: Transducer[Any, Any],
    source: Sequences,
    config: BeamConfig,
    automata: Sequence[TermAutomaton],
    prefix: Sequences | None,
) -> list[list[Hypothesis]]:
    asked, config = config, with_places(config, automata[0])
    constraints = limits_with_terms(model, source, config, automata, prefix)
    limits, given = constraints.limits, constraints.prefix.tokens
    capacity = int(limits.max())
    state = initial_state(model, source, given, config.size, capacity)
    beam, steps = after_given(BeamState.initial(limits, capacity, config), given, model.target_vocabulary)
    search = ConstrainedState.initial(beam, automata, asked.size)
    pointers, done = take_steps(model, state, search, config, constrained_step, steps)
    found = read_hypotheses(pointers, done, None, model.target_vocabulary, replace(config, ends="candidates"))
    for row in ambiguous(pointers, done).nonzero().squeeze(1).tolist():
        here = torch.tensor([row], device=source.tokens.device)
        own_prefix = None if prefix is None else prefix.select(here)
        [found[row]] = constrained_beam_search(model, source.select(here), asked, [automata[row]], own_prefix)
    if not all(found):
        raise impossible()
    return [hypotheses[: config.nbest] for hypotheses in found]


def constrained_step(
    model: Transducer[Any, Any], state: Any, search: ConstrainedState, config: BeamConfig
) -> tuple[Any, ConstrainedState, Backpointers]:
    """One step of every sentence. By a kernel, the state of the search is overwritten."""
    logits, state = model.step(search.beam.reads.flatten(), state)
    asked = search.for_kernels(config)
    if asked is not None and library_available_for(logits):
        parents, pointers = select_with_kernel(logits, asked)
    else:
        parents, search, pointers = select_with_terms(logits, search, config)
    return state.reorder(parents), search, pointers


def select_with_terms(
    logits: Float[Tensor, "rows vocabulary"], search: ConstrainedState, config: BeamConfig
) -> tuple[Int[Tensor, "sentences size"], ConstrainedState, Backpointers]:
    """The parents of the next hypotheses, the next state of the search, and the backpointers of this step."""
    beam, readings, tables = search.beam, search.readings, search.tables
    values = log_probabilities(logits)
    vocabulary = values.shape[1]
    ends = beam.alive + values[:, EOS].view_as(beam.alive)
    values[:, EOS] = -torch.inf
    pool, doubtful = _candidates(values, search, config.size)

    met = readings.count + (readings.complete(tables) != 0)
    has_all = met == search.terms.unsqueeze(1)
    lost = torch.cat([search.lost, ends.masked_fill(has_all, -torch.inf)], dim=1)
    lost_banks = torch.cat([search.lost_banks, 2 * met], dim=1)
    alive, kept = _places(pool, lost, lost_banks, search, config.size, vocabulary)
    chosen = Pool(*(each.gather(1, alive.clamp(max=each.shape[1] - 1)) for each in pool))
    empty = alive >= pool.ids.shape[1]
    ids, scores = chosen.ids.masked_fill(empty, 0), chosen.scores.masked_fill(empty, -torch.inf)
    parents, tokens = ids // vocabulary, (ids % vocabulary).masked_fill(empty, PAD)

    length = beam.length + 1
    outputs = ends.masked_fill(~has_all, -torch.inf)
    finished = torch.cat([beam.finished, on_grid(outputs / beam.penalties.gather(1, length.unsqueeze(1)))], dim=1)
    finished = finished.sort(dim=1, descending=True).values[:, : config.size]
    # As in `beam.py`: no live hypothesis can still displace the finished one that the stop rule looks at.
    bound = best_reachable(scores, beam.bounding_penalty(length, config))
    over = (deciding_score(finished, config) >= bound) | (length == beam.limits) | scores.isneginf().all(dim=1)
    done = torch.where(over & (beam.done == 0), length, beam.done)
    reads = tokens.masked_fill((done > 0).unsqueeze(1), PAD)
    search = replace(
        search,
        beam=replace(beam, reads=reads, alive=scores, finished=finished, length=length, done=done),
        node=torch.where(empty, search.roots.unsqueeze(1), chosen.node),
        met=chosen.met,
        count=chosen.number_met,
        begun=chosen.begun,
        lost=torch.cat([lost, torch.full_like(lost[:, :1], -torch.inf)], dim=1).gather(1, kept),
        lost_banks=torch.cat([lost_banks, lost_banks[:, :1]], dim=1).gather(1, kept),
    )
    places = torch.arange(config.size, device=ids.device)
    end_ids = (places * vocabulary + EOS).expand_as(ids)
    margin = torch.where(doubtful, 0.0, torch.inf).double()
    pointers = Backpointers(
        torch.cat([ids, end_ids], dim=1), torch.cat([scores, outputs], dim=1), places.expand_as(ids), margin
    )
    return parents, search, pointers


def _candidates(
    values: Float[Tensor, "rows vocabulary"], search: ConstrainedState, size: int
) -> tuple[Pool, Bool[Tensor, " sentences"]]:
    """All tokens that lead into terms and the best of the others, and where these others are in doubt.

    The log-probabilities are overwritten.
    """
    alive, readings, tables = search.beam.alive, search.readings, search.tables
    sentences, vocabulary = len(alive), values.shape[1]
    own_row = torch.arange(size, device=values.device).view(1, size, 1) * vocabulary

    into = edges(readings, tables)
    by_row = values.view(sentences, size, vocabulary)
    added = by_row.gather(2, into.tokens)
    # What leads into no term is left as it is: PAD, which nothing may be extended by, stands for it.
    by_row.scatter_(2, into.tokens.masked_fill(~into.possible, PAD), -torch.inf)
    scores = (alive.unsqueeze(2) + added).masked_fill(~into.possible, -torch.inf)
    begun = torch.where(into.goes_on, search.begun.unsqueeze(2), scores)
    parts = [Pool.of((own_row + into.tokens).flatten(1), scores.flatten(1), into.after, begun.flatten(1))]

    doubtful = torch.zeros(sentences, dtype=torch.bool, device=values.device)
    complete = readings.complete(tables) != 0
    # A word that goes on undoes a term that was complete: these hypotheses return to the bank below.
    undone = complete & ~tables.free[readings.node] & ~tables.continues[readings.node] & ~alive.isneginf()
    if _may_wait(values):
        rows = undone.flatten().nonzero().squeeze(1)
        own = values[rows]
        values[rows] = own.masked_fill(~tables.begins, -torch.inf)
    else:
        rows, chosen = torch.arange(len(values), device=values.device), undone.view(-1, 1)
        own = values.masked_fill(~chosen, -torch.inf)
        values.masked_fill_(chosen & ~tables.begins, -torch.inf)
    if len(rows):
        part, in_doubt = _best_of_rows(own.masked_fill(tables.begins, -torch.inf), rows, search, size)
        doubtful |= in_doubt
        parts.append(part)

    maxima = block_maxima(values)
    met = readings.count + complete
    for number in range((search.turns.shape[1] + 1) // 2):  # two banks for each number of terms, the last has one
        totals = alive.masked_fill(met != number, -torch.inf)
        if _may_wait(values) and bool(totals.isneginf().all()):
            continue
        ids, scores, _, margin = best_of_values(values, maxima, totals, size)
        doubtful |= margin <= 1
        after = follow_others(readings.at(ids // vocabulary), ids % vocabulary, search.roots, tables)
        parts.append(Pool.of(ids, scores, after, scores))
    return Pool(*(torch.cat(each, dim=1) for each in zip(*parts, strict=True))), doubtful


def _may_wait(values: Tensor) -> bool:
    """Whether to ask what there is to do. A GPU would have to be waited for: there, all is done without asking."""
    return not values.is_cuda


def _best_of_rows(
    values: Float[Tensor, "chosen vocabulary"], rows: Int[Tensor, " chosen"], search: ConstrainedState, size: int
) -> tuple[Pool, Bool[Tensor, " sentences"]]:
    """The best tokens of each of these rows, and where it is in doubt which they are."""
    alive, tables = search.beam.alive, search.tables
    vocabulary = values.shape[1]
    listed, count = min(size + MARGIN, vocabulary), min(size, vocabulary)
    best, tokens = values.topk(listed, dim=1)
    scores = alive.flatten()[rows].unsqueeze(1) + best
    edge, needed = on_grid(scores[:, -1]), on_grid(scores[:, count - 1])
    tied = (needed <= edge) & ~needed.isneginf() & (listed < vocabulary)
    sentence = rows // size
    doubtful = torch.zeros(len(alive), dtype=torch.bool, device=values.device)
    doubtful[sentence[tied]] = True

    width = size * listed
    places = ((rows % size) * listed).unsqueeze(1) + torch.arange(listed, device=rows.device)
    ids = torch.zeros(len(alive), width, dtype=torch.int64, device=rows.device)
    ids[sentence.unsqueeze(1), places] = (rows % size).unsqueeze(1) * vocabulary + tokens
    spread = torch.full((len(alive), width), -torch.inf, dtype=torch.float64, device=rows.device)
    spread[sentence.unsqueeze(1), places] = scores
    after = follow_others(search.readings.at(ids // vocabulary), ids % vocabulary, search.roots, tables)
    return Pool.of(ids, spread, after, spread), doubtful


def _places(
    pool: Pool,
    lost: Float[Tensor, "sentences lost"],
    lost_banks: Int[Tensor, "sentences lost"],
    search: ConstrainedState,
    size: int,
    vocabulary: int,
) -> tuple[Int[Tensor, "sentences size"], Int[Tensor, "sentences size"]]:
    """The candidates that are given places and the lost ones that keep theirs; an index past the end is an empty one.

    Everything is sorted by turn of the bank, then by rank within it, the least significant order first.
    """
    candidates = pool.ids.shape[1]
    scores = torch.cat([pool.scores, lost], dim=1)
    ids = torch.cat([pool.ids, torch.full_like(lost_banks, size * vocabulary)], dim=1)
    banks = torch.cat([pool.readings.banks(search.tables), lost_banks], dim=1)
    begun = torch.cat([on_grid(pool.begun), torch.zeros_like(lost)], dim=1)
    impossible_turn = search.shares.shape[1] - 1
    # What is impossible may have a bank that does not exist.
    turns = search.turns.gather(1, banks.clamp(max=search.turns.shape[1] - 1))
    turns = turns.masked_fill(scores.isneginf(), impossible_turn)

    order = (on_grid(scores) * (size * vocabulary + 1) - ids).sort(dim=1, descending=True, stable=True).indices
    in_progress = torch.where(banks % 2 == 1, begun, 0.0).gather(1, order)
    order = order.gather(1, in_progress.sort(dim=1, descending=True, stable=True).indices)
    turns, by_turn = turns.gather(1, order).sort(dim=1, stable=True)
    order = order.gather(1, by_turn)

    places = torch.arange(order.shape[1], device=order.device).expand_as(order)
    opens_bank = torch.cat([torch.ones_like(turns[:, :1], dtype=torch.bool), turns.diff(dim=1) != 0], dim=1)
    within = places - places.masked_fill(~opens_bank, 0).cummax(dim=1).values
    has_share = (within < search.shares.gather(1, turns)) & (turns != impossible_turn)
    is_lost = order >= candidates
    is_live = ~is_lost & (turns != impossible_turn)
    number = (is_live & has_share).sum(dim=1, keepdim=True) + (is_live & ~has_share).cumsum(dim=1)

    far = 2 * order.shape[1]
    may_live = is_live & (has_share | (number <= search.sizes.unsqueeze(1)))
    for_live = (places + far // 2 * ~has_share).masked_fill(~may_live, far)
    return (
        _first(for_live, order, size, far, candidates),
        _first(places.masked_fill(~(is_lost & has_share), far), order - candidates, size, far, lost.shape[1]),
    )


def _first(
    keys: Int[Tensor, "sentences all"], values: Int[Tensor, "sentences all"], size: int, far: int, none: int
) -> Int[Tensor, "sentences size"]:
    """The values with the smallest keys, in their order, and `none` where a key is `far`."""
    if keys.shape[1] < size:
        keys = torch.nn.functional.pad(keys, (0, size - keys.shape[1]), value=far)
        values = torch.nn.functional.pad(values, (0, size - values.shape[1]))
    smallest, places = keys.topk(size, dim=1, largest=False, sorted=True)
    return values.gather(1, places).masked_fill(smallest == far, none)
