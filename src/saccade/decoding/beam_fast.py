"""The fast twin of `beam.py`: it finds the same outputs; that file is the one to read.

It avoids three costs. Hypotheses are not copied from step to step: each step leaves backpointers, and outputs are read
from them at the end. The model's state is asked to `reorder`, which a state can do without moving its keys and values.
And no step needs a number from the GPU on the CPU, so a GPU is never kept waiting; `beam_cuda_graph.py` captures the
step there once and replays it.

Where a step cannot tell which candidates are the best without sorting the whole vocabulary, the sentence is searched
again by `beam.py`. This is rare: it takes nine candidates within a few 1e-5 of a nat.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from saccade.cancellation import check_search
from saccade.decoding.beam import BeamConfig, beam_search, best_reachable, deciding_score
from saccade.decoding.beam_backtrace import Backpointers, ambiguous, concatenate, read_hypotheses
from saccade.decoding.beam_candidates import best_candidates
from saccade.decoding.constraints import Constraints, OutputConstraint, impossible
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.ranking import MARGIN, STEPS_PER_NAT, on_grid
from saccade.kernels import library_available_for, triton_available_for
from saccade.kernels.beam_selection import Bounds, Progress, Rules, Search, Tokens
from saccade.models.capabilities import CompilesSearch
from saccade.models.contract import Transducer
from saccade.sequences import Sequences, TensorRows
from saccade.special_tokens import BOS, EOS, PAD

Step = Callable[[Transducer[Any, Any], Any, Any, BeamConfig], tuple[Any, Any, Backpointers]]
"""Takes one step: from a model, its state and that of the search to both states one token later, and backpointers."""


@runtime_checkable
class SearchState(Protocol):
    """What one step of a search passes to the next: what `take_steps` needs of it, whatever kind of search it is."""

    @property
    def done(self) -> Int[Tensor, " sentences"]:
        """The length at which the search of a sentence was complete, and zero before that."""

    def for_kernels(self, config: BeamConfig) -> Search | None:
        """The same tensors as a kernel takes and overwrites them; None where no kernel can do this search."""

    def select(self, rows: Int[Tensor, " rows"]) -> "SearchState":
        """That of these sentences."""


@dataclass(frozen=True)
class BeamState(TensorRows):
    """What one step of the search passes to the next, apart from the model's own state.

    `reads` are the tokens the model reads next and `alive` the scores of the live hypotheses. `finished` holds the best
    scores of outputs that ended, on the grid. `done` is the length at which the search of a sentence was complete, and
    zero before that; a complete sentence stays in the batch and is ignored. `penalties` are the length penalties of
    every length. `largest` is what the stop rule divides by, unless it goes by the current length: the penalty of the
    length limit or, with "first-finished", next to nothing. `rules`, if there are any, say what each hypothesis may
    write next.
    """

    reads: Int[Tensor, "sentences size"]
    alive: Float[Tensor, "sentences size"]
    finished: Float[Tensor, "sentences size"]
    length: Int[Tensor, " sentences"]
    done: Int[Tensor, " sentences"]
    limits: Int[Tensor, " sentences"]
    penalties: Float[Tensor, "sentences lengths"]
    largest: Float[Tensor, " sentences"]
    rules: OutputConstraint | None = None

    @classmethod
    def initial(cls, limits: Int[Tensor, " sentences"], capacity: int, config: BeamConfig) -> "BeamState":
        """One live hypothesis of each sentence, with no token yet."""
        sentences, size, device = len(limits), config.size, limits.device
        empty = torch.full((sentences, size), -torch.inf, dtype=torch.float64, device=device)
        alive = empty.clone()
        alive[:, 0] = 0.0
        reads = torch.full((sentences, size), BOS, device=device)
        lengths = torch.arange(capacity + 1, dtype=torch.float64, device=device)
        penalties = config.penalty(lengths).repeat(sentences, 1)
        largest = penalties.gather(1, limits.unsqueeze(1)).squeeze(1)
        if config.stop == "first-finished":
            largest = config.bounding_penalty(0, limits)
        return cls(reads, alive, empty, torch.zeros_like(limits), torch.zeros_like(limits), limits, penalties, largest)

    def bounding_penalty(self, length: Int[Tensor, " sentences"], config: BeamConfig) -> Float[Tensor, " sentences"]:
        """What the stop rule divides the best live score by, when so many tokens are written."""
        if config.stop == "current-length":
            return self.penalties.gather(1, length.unsqueeze(1)).squeeze(1)
        return self.largest

    def for_kernels(self, config: BeamConfig) -> Search | None:
        """The same tensors as a kernel takes and overwrites them; None with rules, which no kernel knows."""
        if self.rules is not None:
            return None
        return Search(
            Progress(self.reads, self.alive, self.finished, self.length, self.done),
            Bounds(self.limits, self.penalties, self.largest),
            Tokens(padding=PAD, end=EOS, start=BOS),
            Rules(config.deciding, config.ending, current_length=config.stop == "current-length"),
            MARGIN,
            STEPS_PER_NAT,
        )


def beam_step(
    model: Transducer[Any, Any], state: Any, beam: BeamState, config: BeamConfig
) -> tuple[Any, BeamState, Backpointers]:
    """One step of every sentence. Shapes do not change, and the CPU does not wait for a GPU.

    The model's state and, by a kernel, the beam state are overwritten.
    """
    logits, state = model.step(beam.reads.flatten(), state)
    search = beam.for_kernels(config)
    if search is not None and (triton_available_for(logits) or library_available_for(logits)):
        parents, pointers = select_with_kernel(logits, search)
    else:
        parents, beam, pointers = select_candidates(logits, beam, config)
    return state.reorder(parents), beam, pointers


def some_steps(
    model: Transducer[Any, Any], state: Any, beam: SearchState, config: BeamConfig, step: Step, enough: int
) -> tuple[Any, SearchState, Backpointers]:
    """Several steps of every sentence by one call of compiled code, where it knows model and search; else one `step`.

    That call returns early once at most `enough` sentences are not complete. The backpointers have an axis of steps in
    front.
    """
    search = beam.for_kernels(config)
    if search is not None and isinstance(model, CompilesSearch) and not beam.done.is_cuda:
        most = min(_STEPS_AT_ONCE, int((search.bounds.limits - search.progress.length).max()))
        found = model.compiled_steps(state, search, most, enough)
        if found is not None:
            state, (*parts, _) = found
            return state, beam, Backpointers(*parts)
    state, beam, pointers = step(model, state, beam, config)
    return state, beam, _with_axis(pointers)


def _with_axis(pointers: Backpointers) -> Backpointers:
    return Backpointers(*(each.unsqueeze(0) for each in pointers))


# A call of compiled code cannot be interrupted, so it must be short.
_STEPS_AT_ONCE = 16


def select_candidates(
    logits: Float[Tensor, "rows vocabulary"], beam: BeamState, config: BeamConfig
) -> tuple[Int[Tensor, "sentences size"], BeamState, Backpointers]:
    """The parents of the next hypotheses, the next beam state, and the backpointers of this step."""
    vocabulary = logits.shape[1]
    allowed = None if beam.rules is None else beam.rules.allowed(beam.limits - beam.length).flatten(0, 1)
    ids, scores, ranks, margin = best_candidates(logits, beam.alive, 2 * config.size, allowed)
    length = beam.length + 1

    tokens = ids % vocabulary
    ends = tokens == EOS
    finished = beam.finished
    # Most steps see no EOS. On a GPU, asking would make the CPU wait: the work is done without asking.
    if ends.is_cuda or bool(ends.any()):
        penalty = beam.penalties.gather(1, length.unsqueeze(1))
        counted = ends & (torch.arange(ends.shape[1], device=ends.device) < config.ending)
        ended = on_grid(scores.masked_fill(~counted, -torch.inf) / penalty)
        # On a GPU, sorting a dozen numbers is faster than topk.
        finished = torch.cat([finished, ended], dim=1).sort(dim=1, descending=True).values[:, : config.size]
        # An ended candidate is not extended: it sorts last, as an empty place, reached only in a tiny vocabulary.
        ranks, open_scores = ranks.masked_fill(ends, -torch.inf), scores.masked_fill(ends, -torch.inf)
        alive = ranks.sort(dim=1, descending=True).indices[:, : config.size]
    else:
        open_scores, alive = scores, _first_places(config.size, scores)
    alive_scores = open_scores.gather(1, alive)
    parents = ids.gather(1, alive) // vocabulary

    # As in `beam.py`: no live hypothesis can still displace the finished one that the stop rule looks at.
    bound = best_reachable(alive_scores, beam.bounding_penalty(length, config))
    over = (deciding_score(finished, config) >= bound) | (length == beam.limits)
    reads = tokens.gather(1, alive)
    beam = replace(
        beam,
        reads=reads,
        alive=alive_scores,
        finished=finished,
        length=length,
        done=torch.where(over & (beam.done == 0), length, beam.done),
        rules=None if beam.rules is None else beam.rules.follow(parents, reads),
    )
    return parents, beam, Backpointers(ids, scores, alive, margin)


def select_with_kernel(
    logits: Float[Tensor, "rows vocabulary"], search: Search
) -> tuple[Int[Tensor, "sentences size"], Backpointers]:
    """The parents and the backpointers by one kernel, which updates the state of the search in place."""
    if logits.is_cuda:
        from saccade.kernels.beam_step import select
    else:
        from saccade.kernels.beam_step_cpu import select

    *pointers, parents = select(logits, search)
    return parents, Backpointers(*pointers)


def _first_places(size: int, scores: Float[Tensor, "sentences both"]) -> Int[Tensor, "sentences size"]:
    return torch.arange(size, device=scores.device).expand(len(scores), size)


@torch.inference_mode()
def fast_search(
    model: Transducer[Any, Any],
    source: Sequences,
    config: BeamConfig,
    prefix: Sequences | None = None,
    rules: OutputConstraint | None = None,
) -> list[list[Hypothesis]]:
    """The outputs of `beam_search`, faster.

    With a coverage penalty, or a prefix that counts in the score, it calls `beam_search`.
    """
    assert not model.training, "dropout would make the search random: call model.eval() first"
    if not len(source):
        return []
    constraints = Constraints.of(model, source, config.extra_length, prefix, config.unscored_prefix)
    if config.coverage or (prefix is not None and not constraints.given):
        return beam_search(model, source, config, prefix, rules)
    limits, given = constraints.limits, constraints.prefix.tokens
    capacity = int(limits.max())
    state = initial_state(model, source, given, config.size, capacity)
    beam = BeamState.initial(limits, capacity, config)
    if rules is not None:
        beam = replace(beam, rules=rules.branch(config.size))
    beam, steps = after_given(beam, given, model.target_vocabulary)
    pointers, done = take_steps(model, state, beam, config, beam_step, steps)
    return collect_hypotheses(pointers, done, limits, model, source, config, rules, prefix)


def initial_state(
    model: Transducer[Any, Any], source: Sequences, given: Int[Tensor, "sentences given"], size: int, capacity: int
) -> Any:
    """The model's state of `size` hypotheses of each source, all of which begin with the tokens that are given.

    The last of these is what the model reads next.
    """
    state = model.start(model.encode(source)).branch(len(source), size, capacity)
    places = torch.arange(size, device=given.device).expand(len(given), size)
    reads = torch.full_like(source.lengths, BOS)
    for tokens in given.T:
        _, state = model.step(reads.unsqueeze(1).expand_as(places).flatten(), state)
        state, reads = state.reorder(places), tokens
    return state


def after_given(
    beam: BeamState, given: Int[Tensor, "sentences given"], vocabulary: int
) -> tuple[BeamState, list[Backpointers]]:
    """The beam after steps in which every sentence is given its token, and the backpointers of these steps.

    They cost nothing: the one hypothesis that is alive stays so.
    """
    sentences, size = beam.reads.shape
    places = _first_places(size, beam.alive)
    scores = torch.cat([beam.alive, torch.full_like(beam.alive, -torch.inf)], dim=1)
    margin = torch.full_like(scores[:, 0], torch.inf)
    steps = []
    for tokens in given.T:
        reads = tokens.unsqueeze(1).expand(sentences, size)
        ids = torch.cat([places * vocabulary + reads, torch.full_like(reads, PAD)], dim=1)
        steps.append(Backpointers(ids, scores, places, margin))
        rules = None if beam.rules is None else beam.rules.follow(places, reads)
        beam = replace(beam, reads=reads.clone(), length=beam.length + 1, rules=rules)
    return beam, steps


def take_steps(
    model: Transducer[Any, Any],
    state: Any,
    beam: SearchState,
    config: BeamConfig,
    step: Step,
    given: Sequence[Backpointers] = (),
) -> tuple[Backpointers, Int[Tensor, " sentences"]]:
    """Takes steps until every sentence is complete: their backpointers, and the length at which each was complete.

    `given` are the backpointers of steps that were taken before. A search that is cancelled stops between two calls.
    """
    batch = len(beam.done)
    rows, done = torch.arange(batch), torch.zeros(batch, dtype=torch.int64)
    parts: list[tuple[Tensor, Backpointers]] = []
    taken = [_with_axis(pointers) for pointers in given]
    while True:
        check_search()
        # Copying the state of the sentences that are left costs about as much as carrying a few complete ones along.
        enough = int(_SHRINK_BELOW * len(rows))
        state, beam, pointers = some_steps(model, state, beam, config, step, enough)
        taken.append(pointers)
        left = (beam.done == 0).nonzero().squeeze(1)
        if len(left) > enough:
            continue
        parts.append((rows, Backpointers(*(torch.cat(each).cpu() for each in zip(*taken, strict=True)))))
        done[rows] = beam.done.cpu()
        if not len(left):
            return concatenate(parts, batch), done
        rows, taken = rows[left.cpu()], []
        state, beam = state.keep(left, config.size), beam.select(left)


# The share of sentences still searched below which the batch is made smaller.
_SHRINK_BELOW = 0.75


def collect_hypotheses(
    pointers: Backpointers,
    done: Int[Tensor, " sentences"],
    limits: Int[Tensor, " sentences"],
    model: Transducer[Any, Any],
    source: Sequences,
    config: BeamConfig,
    rules: OutputConstraint | None = None,
    prefix: Sequences | None = None,
) -> list[list[Hypothesis]]:
    """The outputs the backpointers lead to; sentences for which they are ambiguous are searched again by `beam.py`."""
    found = read_hypotheses(pointers, done, limits.to(done.device), model.target_vocabulary, config)
    again = ambiguous(pointers, done).nonzero().squeeze(1)
    if len(again):
        rows = again.to(source.tokens.device)
        repeated = beam_search(
            model,
            source.select(rows),
            config,
            None if prefix is None else prefix.select(rows),
            None if rules is None else rules.select(rows),
        )
        for place, hypotheses in zip(again.tolist(), repeated, strict=True):
            found[place] = hypotheses
    if not all(found):
        raise impossible()
    return [hypotheses[: config.nbest] for hypotheses in found]
