"""Beam search for outputs that contain given terms, written to be read; `constrained_beam_fast.py` is its fast twin.

Plain beam search would lose a hypothesis as soon as it begins a term that the model does not expect. Here hypotheses
compete only within banks (Hokamp and Liu 2017; Post and Vilar 2018): bank 2n has those in which n terms are met, bank
2n + 1 those that have met n and begun another. The banks share the places of the beam:

    places      are dealt out to the banks in turn, so that each has one at least, for which there may have to be more
                than the beam has; what a bank leaves empty goes to the others, first to the one whose hypotheses have
                all terms, as long as there are fewer hypotheses than the beam has places
    a term      that has been begun is ranked by the score it was begun with, because what counts is where it was begun:
                its other tokens cost what they cost, and a fresh beginning would always look better
    an end      with all terms is an output; an end without them is lost, but it keeps its place in its bank as long as
                nothing better comes. So the search does not go on with continuations of a sentence that is over.

With a beam that holds every hypothesis, the best output is the most probable one of all that contain the terms. A
sentence is searched alone here, one after another.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.cancellation import check_search
from saccade.decoding.beam import BeamConfig, best_reachable, deciding_score, rerank_by_coverage
from saccade.decoding.constraints import Constraints, impossible
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.ranking import STEPS_PER_NAT, best_first, on_grid
from saccade.decoding.terms import START, Reading, TermAutomaton
from saccade.errors import InputError
from saccade.models.contract import Transducer
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS


@dataclass(frozen=True)
class Live:
    """A hypothesis that can be extended; `begun` is the score it had when the term in progress was begun."""

    tokens: tuple[int, ...] = ()
    log_probabilities: tuple[float, ...] = ()
    score: float = 0.0
    reading: Reading = Reading(START, 0)
    begun: float = 0.0
    parent: int = 0


@torch.inference_mode()
def constrained_beam_search(
    model: Transducer[Any, Any],
    source: Sequences,
    config: BeamConfig,
    automata: Sequence[TermAutomaton],
    prefix: Sequences | None = None,
) -> list[list[Hypothesis]]:
    """The n-best list of every source, each output of which contains the terms of its automaton.

    Unfinished outputs, which may lack terms, are returned only where no output with all terms ends within the limit.
    """
    assert not model.training, "dropout would make the search random: call model.eval() first"
    results = []
    for row, automaton in enumerate(automata):
        here = torch.tensor([row], device=source.tokens.device)
        own_prefix = None if prefix is None else prefix.select(here)
        results.append(_search(model, source.select(here), config, automaton, own_prefix))
    return results


LEAST_ROOM = 10
"""Tokens that an output with terms may be longer than its source, where half of the source is less."""


def with_places(config: BeamConfig, automaton: TermAutomaton) -> BeamConfig:
    """The search with a beam in which every bank has a place."""
    return replace(config, size=max(config.size, len(automaton.banks)))


def limits_with_terms(
    model: Transducer[Any, Any],
    source: Sequences,
    config: BeamConfig,
    automata: Sequence[TermAutomaton],
    prefix: Sequences | None = None,
) -> Constraints:
    """Length limits with as much room after the terms as after a source, and less of it than in plain search.

    What lacks a term may not end. With much room it goes on and on, since a length penalty forgives it every token, and
    in the end it is taken for better than an output of the right length.
    """
    constraints = Constraints.of(model, source, config.extra_length, prefix, config.unscored_prefix)
    needed = torch.tensor([automaton.shortest + 1 for automaton in automata], device=source.tokens.device)
    if int(needed.max()) > model.maximum_length:
        raise InputError(
            f"the terms of an output must have at most {model.maximum_length - 1} tokens, which is what this model "
            f"writes, but have {int(needed.max()) - 1}. Leave some out."
        )
    least = torch.maximum(torch.maximum(source.lengths, constraints.prefix.lengths + 1), needed)
    room = (source.lengths // 2).clamp(min=LEAST_ROOM).clamp(max=config.extra_length)
    return replace(constraints, limits=(least + room).clamp(max=model.maximum_length))


def _search(
    model: Transducer[Any, Any],
    source: Sequences,
    config: BeamConfig,
    automaton: TermAutomaton,
    prefix: Sequences | None,
) -> list[Hypothesis]:
    size, config = config.size, with_places(config, automaton)
    constraints = limits_with_terms(model, source, config, [automaton], prefix)
    limit, device = int(constraints.limits), source.tokens.device
    memory = model.encode(source)
    state = model.start(memory)
    begin, finished = Live(), list[Hypothesis]()
    for token in constraints.prefix.tokens[0, : min(constraints.unscored, int(constraints.prefix.lengths))].tolist():
        # The language of an output is given before it begins: terms are read from what follows.
        _, state = model.step(torch.tensor([(begin.tokens or (BOS,))[-1]], device=device), state)
        begin = replace(begin, tokens=(*begin.tokens, token), log_probabilities=(*begin.log_probabilities, 0.0))
    alive = [begin]
    lost = list[tuple[int, float]]()  # bank and score of hypotheses that ended without their terms
    for length in count(len(begin.tokens) + 1):
        check_search()
        reads = torch.tensor([(one.tokens or (BOS,))[-1] for one in alive], device=device)
        logits, state = model.step(reads, state)
        log_probabilities = constraints.log_probabilities(logits, position=length - 1).double()
        log_probabilities.nan_to_num_(nan=-torch.inf, neginf=-torch.inf)

        for parent, hypothesis in enumerate(alive):
            end = _extended(hypothesis, parent, EOS, float(log_probabilities[parent, EOS]), automaton)
            if end.score == -torch.inf:
                continue
            bank = automaton.bank(hypothesis.reading)
            if bank == automaton.last_bank:
                finished.append(_output(end, config, finished=True))
            else:
                lost.append((bank // 2 * 2, end.score))
        finished = _ranked(finished)[: config.size]

        candidates = _candidates(alive, log_probabilities, automaton, config.size)
        alive, lost = _given_places(candidates, lost, shares_of_banks(automaton, config.size), automaton, size)
        if length == limit or not alive or _complete(alive, finished, limit, config):
            break
        state = state.select(torch.tensor([one.parent for one in alive], device=device))

    outputs = finished or [_output(one, config, finished=False) for one in alive]
    if not outputs:
        raise impossible()
    [reranked] = rerank_by_coverage(model, source, memory, [outputs[: config.final]], config.coverage)
    return reranked[: config.nbest]


def _extended(hypothesis: Live, parent: int, token: int, added: float, automaton: TermAutomaton) -> Live:
    reading, score = automaton.follow(hypothesis.reading, token), hypothesis.score + added
    # Whether the token continues what was begun before it, rather than beginning something.
    node = hypothesis.reading.node
    continues = node > START and automaton.edges[node].get(token) == reading.node
    return Live(
        (*hypothesis.tokens, token),
        (*hypothesis.log_probabilities, added),
        score,
        reading,
        hypothesis.begun if continues else score,
        parent,
    )


def _candidates(
    alive: list[Live], log_probabilities: Float[Tensor, "live vocabulary"], automaton: TermAutomaton, size: int
) -> list[Live]:
    """Extensions of the live hypotheses: all that lead into a term, and the best of the others.

    Of the others, those that begin a new word and those that do not may go to different banks. `size` of each kind are
    enough, since not more than these can be given places.
    """
    candidates = []
    for parent, hypothesis in enumerate(alive):
        into_terms = {*automaton.edges[hypothesis.reading.node], *automaton.edges[0]}
        order = best_first(hypothesis.score + log_probabilities[parent : parent + 1], log_probabilities.shape[1])
        tokens = [token for token in order[0].tolist() if token not in into_terms and token != EOS]
        kinds = [[token for token in tokens if automaton.marks.begins[token] is begins] for begins in (True, False)]
        for token in (*into_terms, *kinds[0][:size], *kinds[1][:size]):
            candidate = _extended(hypothesis, parent, token, float(log_probabilities[parent, token]), automaton)
            if candidate.score > -torch.inf:
                candidates.append(candidate)
    return candidates


def _given_places(
    candidates: list[Live],
    lost: list[tuple[int, float]],
    shares: dict[int, int],
    automaton: TermAutomaton,
    size: int,
) -> tuple[list[Live], list[tuple[int, float]]]:
    """The candidates that stay alive and the lost ones that keep a place in their bank.

    More than `size` stay alive only where that many have a share in the places of their bank.
    """
    chosen, others, still_lost = list[Live](), list[Live](), list[tuple[int, float]]()
    for bank, share in shares.items():
        members: list[Live | tuple[int, float]] = [one for one in candidates if automaton.bank(one.reading) == bank]
        members += [one for one in lost if one[0] == bank]
        members.sort(key=lambda one: _rank(one, bank))  # noqa: B023
        for place, one in enumerate(members):
            if isinstance(one, Live):
                (chosen if place < share else others).append(one)
            elif place < share:
                still_lost.append(one)
    return chosen + others[: max(0, size - len(chosen))], still_lost


def _rank(one: Live | tuple[int, float], bank: int) -> tuple[float, float, bool, int, int]:
    """Better first: by the score a term was begun with where one is in progress, then by score, parent and token.

    A lost one comes after live ones of the same score.
    """
    if not isinstance(one, Live):
        return (0.0, -_grid(one[1]), True, 0, 0)
    return (-_grid(one.begun) if bank % 2 else 0.0, -_grid(one.score), False, one.parent, one.tokens[-1])


def shares_of_banks(automaton: TermAutomaton, size: int) -> dict[int, int]:
    """How many of `size` places each bank has: they are dealt out in turn."""
    banks = automaton.banks
    return {bank: size // len(banks) + (place < size % len(banks)) for place, bank in enumerate(banks)}


def _complete(alive: list[Live], finished: list[Hypothesis], limit: int, config: BeamConfig) -> bool:
    """Whether no live hypothesis can still displace the finished one that the stop rule looks at, as in `beam.py`."""
    scores = torch.full((1, config.size), -torch.inf, dtype=torch.float64)
    scores[0, : len(finished)] = torch.tensor([one.score for one in finished], dtype=torch.float64)
    hopes = torch.tensor([[one.score for one in alive]], dtype=torch.float64)
    bound = best_reachable(hopes, config.bounding_penalty(len(alive[0].tokens), limit))
    return bool(on_grid(deciding_score(scores, config)) >= bound)


def _grid(score: float) -> float:
    """As `ranking.on_grid`, for one number."""
    return float(round(score * STEPS_PER_NAT)) if score > -torch.inf else score


def _ranked(outputs: list[Hypothesis]) -> list[Hypothesis]:
    return sorted(outputs, key=lambda one: -_grid(one.score))


def _output(one: Live, config: BeamConfig, *, finished: bool) -> Hypothesis:
    score = one.score / config.penalty(len(one.tokens))
    return Hypothesis(one.tokens, one.score, score, one.log_probabilities, finished)
