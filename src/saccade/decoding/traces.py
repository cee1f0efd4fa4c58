"""Outputs read off the traces of a search, all sentences at once, from the last token back to the first."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.length import length_penalty
from saccade.decoding.ranking import on_grid
from saccade.sequences import EOS, Rows


class Trace(NamedTuple):
    """What a step leaves behind: the best continuations of each sentence, and which of them live on.

    The axes are [sentences, continuations], or for several steps [steps, sentences, continuations]. A continuation is
    named parent * vocabulary + token; the parent is the place of the hypothesis it continues. Scores are log P of all
    that is written, with this token. For `margin` see `shortcut.py`.
    """

    names: Int[Tensor, "... both"]
    scores: Float[Tensor, "... both"]
    onward: Int[Tensor, "... size"]
    margin: Float[Tensor, "..."]


@dataclass(frozen=True)
class Ends(Rows):
    """Where outputs end: after which step, as which of its continuations, with which score; the best first."""

    step: Int[Tensor, "sentences count"]
    place: Int[Tensor, "sentences count"]
    score: Float[Tensor, "sentences count"]
    finished: Bool[Tensor, "sentences count"]


def joined(parts: list[tuple[Int[Tensor, "..."], Trace]], sentences: int) -> Trace:
    """One trace of all steps and sentences from parts that follow each other, each of some of the sentences."""
    steps = sum(len(trace.names) for _, trace in parts)
    _, first = parts[0]
    whole = Trace(*(tensor.new_zeros(steps, sentences, *tensor.shape[2:]) for tensor in first))
    start = 0
    for rows, trace in parts:
        end = start + len(trace.names)
        for all_of_it, part in zip(whole, trace, strict=True):
            all_of_it[start:end, rows] = part
        start = end
    return whole


def outputs(
    trace: Trace, done: Int[Tensor, " sentences"], vocabulary: int, alpha: float, count: int
) -> list[list[Hypothesis]]:
    """The best `count` outputs of each sentence, of those that ended within the steps it took.

    Where none ended, what it had written when it had to stop.
    """
    ended, stopped = _ended(trace, done, vocabulary, alpha, count), _stopped(trace, done, vocabulary, alpha, count)
    none = ended.score[:, :1].isneginf()
    ends = Ends(
        *(torch.where(none, second, first) for first, second in zip(ended.tensors(), stopped.tensors(), strict=True))
    )
    tokens, log_probabilities = _read_back(trace, ends, vocabulary)
    lists = zip(
        *(each.tolist() for each in (tokens, log_probabilities, ends.step + 1, ends.score, ends.finished)), strict=True
    )
    return [
        [
            Hypothesis(tuple(written[:length]), sum(each[:length]), score, tuple(each[:length]), finished)
            for written, each, length, score, finished in zip(*sentence, strict=True)
            if score > -torch.inf
        ]
        for sentence in lists
    ]


def unclear(trace: Trace, done: Int[Tensor, " sentences"]) -> Bool[Tensor, " sentences"]:
    """Where a step could not tell which candidates were the best, or a score was not a number."""
    within = torch.arange(1, len(trace.margin) + 1).unsqueeze(1) <= done
    # Where both sides of a margin are minus infinity it is not a number, and nothing was overlooked that could be had.
    doubtful = (trace.margin <= 1) | trace.scores.isnan().any(dim=2)
    return (doubtful & within).any(dim=0)


def _ended(trace: Trace, done: Int[Tensor, " sentences"], vocabulary: int, alpha: float, count: int) -> Ends:
    steps, sentences, both = trace.names.shape
    lengths = torch.arange(1, steps + 1).view(-1, 1, 1)
    possible = (trace.names % vocabulary == EOS) & (lengths <= done.view(1, -1, 1))
    scores = trace.scores.masked_fill(~possible, -torch.inf) / length_penalty(lengths.double(), alpha)
    scores = scores.transpose(0, 1).flatten(1)
    # Of equal ones the earlier, and of the same step the better one, as the plain search merges them.
    order = on_grid(scores) * (steps * both) - torch.arange(steps * both)
    best = order.topk(count, dim=1).indices
    finished = torch.ones_like(best, dtype=torch.bool)
    return Ends(best // both, best % both, scores.gather(1, best), finished)


def _stopped(trace: Trace, done: Int[Tensor, " sentences"], vocabulary: int, alpha: float, count: int) -> Ends:
    rows = torch.arange(len(done))
    last = done - 1
    place = trace.onward[last, rows][:, :count]
    # Among those that live on, one that ended is an empty place: so few others can only be in a tiny vocabulary.
    ended = trace.names[last, rows] % vocabulary == EOS
    score = trace.scores[last, rows].masked_fill(ended, -torch.inf).gather(1, place)
    return Ends(
        last.unsqueeze(1).expand_as(place),
        place,
        score / length_penalty(done.double(), alpha).unsqueeze(1),
        torch.zeros_like(place, dtype=torch.bool),
    )


def _read_back(
    trace: Trace, ends: Ends, vocabulary: int
) -> tuple[Int[Tensor, "sentences count steps"], Float[Tensor, "sentences count steps"]]:
    """The tokens of each output and log P of each of them; what follows its end means nothing."""
    steps = int(ends.step.max()) + 1
    tokens = torch.zeros(*ends.step.shape, steps, dtype=torch.int64)
    totals = torch.zeros(*ends.step.shape, steps + 1, dtype=torch.float64)
    parents = torch.zeros_like(ends.step)
    for step in reversed(range(steps)):
        place = torch.where(ends.step == step, ends.place, trace.onward[step].gather(1, parents))
        names = trace.names[step].gather(1, place)
        tokens[:, :, step] = names % vocabulary
        totals[:, :, step + 1] = trace.scores[step].gather(1, place)
        parents = names // vocabulary
    return tokens, totals.diff(dim=2)
