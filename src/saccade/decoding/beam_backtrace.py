"""Outputs read off the traces of a search, all sentences at once, from the last token back to the first."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.length import length_penalty
from saccade.decoding.ranking import on_grid
from saccade.sequences import EOS, TensorRows


class Trace(NamedTuple):
    """What a step leaves behind: the best continuations of each sentence, and which of them live on.

    The axes are [sentences, continuations], or for several steps [steps, sentences, continuations]. A continuation is
    named parent * vocabulary + token; the parent is the place of the hypothesis it continues. Scores are log P of all
    that is written, with this token. For `margin` see `beam_candidates.py`. Outputs are read off where the traces are.
    """

    names: Int[Tensor, "... both"]
    scores: Float[Tensor, "... both"]
    onward: Int[Tensor, "... size"]
    margin: Float[Tensor, "..."]


def packed(trace: Trace) -> Int[Tensor, "... columns"]:
    """A trace as one table, in which numbers of 64 bits stand as they are, whatever they mean."""
    names, scores, onward, margin = trace
    parts = [names, scores.view(torch.int64), onward, margin.view(torch.int64).unsqueeze(-1)]
    return torch.cat(parts, dim=-1)


def unpacked(table: Int[Tensor, "... columns"], size: int) -> Trace:
    """The trace in such a table, for `size` hypotheses of each sentence; nothing is copied."""
    names, scores, onward, margin = table.split_with_sizes((2 * size, 2 * size, size, 1), dim=-1)
    return Trace(names, scores.view(torch.float64), onward, margin.view(torch.float64).squeeze(-1))


@dataclass(frozen=True)
class Ends(TensorRows):
    """Where outputs end: after which step, as which of its continuations, with which score; the best first."""

    step: Int[Tensor, "sentences count"]
    place: Int[Tensor, "sentences count"]
    score: Float[Tensor, "sentences count"]
    finished: Bool[Tensor, "sentences count"]


def joined(parts: list[tuple[Int[Tensor, "..."], Trace]], sentences: int) -> Trace:
    """One trace of all steps and sentences from parts that follow each other, each of some of the sentences."""
    if len(parts) == 1:
        return parts[0][1]
    steps = sum(len(trace.names) for _, trace in parts)
    _, first = parts[0]
    whole = Trace(*(tensor.new_zeros(steps, sentences, *tensor.shape[2:]) for tensor in first))
    start = 0
    for rows, trace in parts:
        end = start + len(trace.names)
        for all_of_it, part in zip(whole, trace, strict=True):
            all_of_it[start:end].index_copy_(1, rows.to(part.device), part)
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
    within = torch.arange(1, len(trace.margin) + 1, device=done.device).unsqueeze(1) <= done
    # Where both sides of a margin are minus infinity it is not a number, and nothing was overlooked that could be had.
    doubtful = (trace.margin <= 1) | trace.scores.isnan().any(dim=2)
    return (doubtful & within).any(dim=0)


def _ended(trace: Trace, done: Int[Tensor, " sentences"], vocabulary: int, alpha: float, count: int) -> Ends:
    steps, sentences, both = trace.names.shape
    lengths = torch.arange(1, steps + 1, device=done.device).view(-1, 1, 1)
    possible = (trace.names % vocabulary == EOS) & (lengths <= done.view(1, -1, 1))
    scores = trace.scores.masked_fill(~possible, -torch.inf) / length_penalty(lengths.double(), alpha)
    scores = scores.transpose(0, 1).flatten(1)
    # Of equal ones the earlier, and of the same step the better one, as the plain search merges them.
    order = on_grid(scores) * (steps * both) - torch.arange(steps * both, device=done.device)
    best = order.topk(count, dim=1).indices
    finished = torch.ones_like(best, dtype=torch.bool)
    return Ends(best // both, best % both, scores.gather(1, best), finished)


def _stopped(trace: Trace, done: Int[Tensor, " sentences"], vocabulary: int, alpha: float, count: int) -> Ends:
    rows = torch.arange(len(done), device=done.device)
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
    """The tokens of each output and log P of each of them; what follows its end means nothing.

    An output passes through one live hypothesis of each step. Only which one has to be found step by step.
    """
    steps = int(ends.step.max()) + 1
    names, scores, onward = trace.names[:steps], trace.scores[:steps], trace.onward[:steps]
    place = ends.place.expand(steps, -1, -1)
    last = torch.arange(steps, device=place.device).view(-1, 1, 1) == ends.step
    before_end, before = names.gather(2, place) // vocabulary, names.gather(2, onward) // vocabulary
    through = [torch.zeros_like(ends.place)]
    for step in reversed(range(1, steps)):
        through.append(torch.where(last[step], before_end[step], before[step].gather(1, through[-1])))
    place = torch.where(last, place, onward.gather(2, torch.stack(through[::-1])))
    tokens, totals = names.gather(2, place) % vocabulary, scores.gather(2, place)
    first = totals.new_zeros(1, *totals.shape[1:])
    return tokens.permute(1, 2, 0), torch.cat([first, totals]).diff(dim=0).permute(1, 2, 0)
