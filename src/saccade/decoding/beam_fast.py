"""Beam search made for speed. What it finds is what `beam.py` finds; that one is for reading.

Three things cost time in the plain search that this one does without. Hypotheses are not copied from step to step:
each step leaves a `Trace` of who continued whom, and outputs are read off the traces at the end. The state of the
model is asked to `reorder`, which a state can do without moving its keys and values. And nothing in a step depends on
a number that the processor would have to read back from the device, so that a GPU runs on without being waited for;
`beam_cuda_graph.py` records the step there once and plays it again.

Where a step cannot tell the better of two candidates without sorting the whole vocabulary, the sentence is searched
again by the plain search. That is rare: it takes nine candidates within a few hundred-thousandths of a nat.
"""

from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.beam_backtrace import Trace, joined, outputs, unclear
from saccade.decoding.beam_candidates import continuations
from saccade.decoding.constraints import Constraints, impossible
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.length import length_penalty
from saccade.decoding.ranking import MARGIN, STEPS_PER_NAT, on_grid
from saccade.kernels import triton_available_for
from saccade.models.contract import Transducer
from saccade.sequences import BOS, EOS, PAD, Sequences, TensorRows


@dataclass(frozen=True)
class Standing(TensorRows):
    """Where the search of each sentence stands: everything that one step hands to the next but the model's state.

    `finished` holds the best scores of outputs that ended, on the grid. `done` is the length at which nothing more
    could be found, zero before that; a sentence that is done is carried along and no longer looked at. `penalties`
    are the length penalties of every length, and `largest` that of the limit.
    """

    reads: Int[Tensor, "sentences size"]
    alive: Float[Tensor, "sentences size"]
    finished: Float[Tensor, "sentences size"]
    length: Int[Tensor, " sentences"]
    done: Int[Tensor, " sentences"]
    limits: Int[Tensor, " sentences"]
    penalties: Float[Tensor, "sentences lengths"]
    largest: Float[Tensor, " sentences"]

    @classmethod
    def seed(cls, limits: Int[Tensor, " sentences"], capacity: int, config: BeamConfig) -> "Standing":
        """One live hypothesis of each sentence, in which nothing is written yet."""
        sentences, size, device = len(limits), config.size, limits.device
        empty = torch.full((sentences, size), -torch.inf, dtype=torch.float64, device=device)
        alive = empty.clone()
        alive[:, 0] = 0.0
        reads = torch.full((sentences, size), BOS, device=device)
        lengths = torch.arange(capacity + 1, dtype=torch.float64, device=device)
        penalties = length_penalty(lengths, config.alpha).repeat(sentences, 1)
        largest = penalties.gather(1, limits.unsqueeze(1)).squeeze(1)
        return cls(reads, alive, empty, torch.zeros_like(limits), torch.zeros_like(limits), limits, penalties, largest)


def advance(
    model: Transducer[Any, Any], state: Any, standing: Standing, config: BeamConfig
) -> tuple[Any, Standing, Trace]:
    """One step of every sentence. Shapes do not change, and no number is read back from a GPU.

    The state and, on a GPU, the standing are used up.
    """
    logits, state = model.step(standing.reads.flatten(), state)
    if triton_available_for(logits):
        parents, trace = _selected(logits, standing, config)
    else:
        parents, standing, trace = choose(logits, standing, config)
    return state.reorder(parents), standing, trace


def choose(
    logits: Float[Tensor, "rows vocabulary"], standing: Standing, config: BeamConfig
) -> tuple[Int[Tensor, "sentences size"], Standing, Trace]:
    """Whom the next hypotheses continue, where the search stands with them, and the trace of the step."""
    vocabulary = logits.shape[1]
    names, scores, ranks, margin = continuations(logits, standing.alive, 2 * config.size)
    length = standing.length + 1

    tokens = names % vocabulary
    ends = tokens == EOS
    finished = standing.finished
    # Most steps see no end. A GPU would have to be asked, and it is sooner to do what may be in vain.
    if ends.is_cuda or bool(ends.any()):
        penalty = standing.penalties.gather(1, length.unsqueeze(1))
        ended = on_grid(scores.masked_fill(~ends, -torch.inf) / penalty)
        # A GPU sorts a dozen numbers sooner than it selects from them.
        finished = torch.cat([finished, ended], dim=1).sort(dim=1, descending=True).values[:, : config.size]
        # What ended does not go on: it comes last, as an empty place, reached only where the vocabulary is tiny.
        ranks, open_scores = ranks.masked_fill(ends, -torch.inf), scores.masked_fill(ends, -torch.inf)
        onward = ranks.sort(dim=1, descending=True).indices[:, : config.size]
    else:
        open_scores, onward = scores, _first(config.size, scores)
    alive = open_scores.gather(1, onward)
    parents = names.gather(1, onward) // vocabulary

    # As in the plain search: nothing alive can still displace an output that would be returned.
    bound = on_grid(alive.amax(dim=1) / standing.largest)
    over = (finished[:, config.final - 1] >= bound) | (length == standing.limits)
    standing = replace(
        standing,
        reads=tokens.gather(1, onward),
        alive=alive,
        finished=finished,
        length=length,
        done=torch.where(over & (standing.done == 0), length, standing.done),
    )
    return parents, standing, Trace(names, scores, onward, margin)


def _selected(
    logits: Float[Tensor, "rows vocabulary"], standing: Standing, config: BeamConfig
) -> tuple[Int[Tensor, "sentences size"], Trace]:
    """The same by one program, which changes the standing where it is."""
    from saccade.kernels.beam_step import Bounds, Progress, Tokens, select

    progress = Progress(standing.reads, standing.alive, standing.finished, standing.length, standing.done)
    bounds = Bounds(standing.limits, standing.penalties, standing.largest)
    tokens = Tokens(padding=PAD, end=EOS, start=BOS)
    *trace, parents = select(logits, progress, bounds, tokens, MARGIN, config.final, STEPS_PER_NAT)
    return parents, Trace(*trace)


def _first(size: int, scores: Float[Tensor, "sentences both"]) -> Int[Tensor, "sentences size"]:
    return torch.arange(size, device=scores.device).expand(len(scores), size)


@torch.inference_mode()
def fast_search(
    model: Transducer[Any, Any], source: Sequences, config: BeamConfig, prefix: Sequences | None = None
) -> list[list[Hypothesis]]:
    """What `beam_search` finds, sooner. A forced beginning and a coverage penalty are left to that one."""
    assert not model.training, "dropout would make the search random: call model.eval() first"
    if prefix is not None or config.coverage or not len(source):
        return beam_search(model, source, config, prefix)
    limits = Constraints.of(model, source, config.extra_length, None).limits
    batch, size = len(source), config.size
    capacity = int(limits.max())
    state = model.start(model.encode(source)).branch(batch, size, capacity)
    standing = Standing.seed(limits, capacity, config)

    rows, done = torch.arange(batch), torch.zeros(batch, dtype=torch.int64)
    parts: list[tuple[Tensor, Trace]] = []
    steps: list[Trace] = []
    while True:
        state, standing, trace = advance(model, state, standing, config)
        steps.append(trace)
        left = (standing.done == 0).nonzero().squeeze(1)
        # Copying the state of those who stay costs about as much as carrying a few of the others along.
        if len(left) > _WORTH_KEEPING * len(rows):
            continue
        parts.append((rows, Trace(*(torch.stack(each).cpu() for each in zip(*steps, strict=True)))))
        done[rows] = standing.done.cpu()
        if not len(left):
            break
        rows, steps = rows[left.cpu()], []
        state, standing = state.keep(left, size), standing.select(left)

    return settled(joined(parts, batch), done, model, source, config)


_WORTH_KEEPING = 0.75


def settled(
    trace: Trace, done: Int[Tensor, " sentences"], model: Transducer[Any, Any], source: Sequences, config: BeamConfig
) -> list[list[Hypothesis]]:
    """The outputs the traces lead to; a sentence for which they are in doubt is searched again, plainly."""
    found = outputs(trace, done, model.target_vocabulary, config.alpha, config.final)
    again = unclear(trace, done).nonzero().squeeze(1)
    if len(again):
        plainly = beam_search(model, source.select(again.to(source.tokens.device)), config)
        for place, hypotheses in zip(again.tolist(), plainly, strict=True):
            found[place] = hypotheses
    if not all(found):
        raise impossible()
    return [hypotheses[: config.nbest] for hypotheses in found]
