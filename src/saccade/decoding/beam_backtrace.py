"""Backpointers of a beam search, and the outputs read from them: all sentences at once, from last token to first."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from saccade.decoding.beam import BeamConfig
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.ranking import best_first, on_grid
from saccade.sequences import TensorRows
from saccade.special_tokens import EOS


class Backpointers(NamedTuple):
    """The best candidates of each sentence at a step, and which of them stay alive.

    The axes are [sentences, candidates], or for several steps [steps, sentences, candidates]. The id of a candidate is
    parent * vocabulary + token, where the parent is the place of the hypothesis it extends. Scores are log P of the
    output up to and including this token. `alive` are the places of the candidates that are extended further. For
    `margin` see `beam_candidates.py`.
    """

    ids: Int[Tensor, "... both"]
    scores: Float[Tensor, "... both"]
    alive: Int[Tensor, "... size"]
    margin: Float[Tensor, "..."]


def to_table(pointers: Backpointers) -> Int[Tensor, "... columns"]:
    """Backpointers as one table of 64-bit integers; floating-point columns keep their bits."""
    ids, scores, alive, margin = pointers
    parts = [ids, scores.view(torch.int64), alive, margin.view(torch.int64).unsqueeze(-1)]
    return torch.cat(parts, dim=-1)


def from_table(table: Int[Tensor, "... columns"], size: int) -> Backpointers:
    """The backpointers in such a table, for a beam of `size`; nothing is copied."""
    ids, scores, alive, margin = table.split_with_sizes((2 * size, 2 * size, size, 1), dim=-1)
    return Backpointers(ids, scores.view(torch.float64), alive, margin.view(torch.float64).squeeze(-1))


@dataclass(frozen=True)
class Endings(TensorRows):
    """Where outputs end: at which step, as which of its candidates, with which score; the best first."""

    step: Int[Tensor, "sentences count"]
    place: Int[Tensor, "sentences count"]
    score: Float[Tensor, "sentences count"]
    finished: Bool[Tensor, "sentences count"]


def concatenate(parts: list[tuple[Int[Tensor, "..."], Backpointers]], sentences: int) -> Backpointers:
    """The backpointers of all steps and sentences from consecutive parts, each with the sentences it covers."""
    if len(parts) == 1:
        return parts[0][1]
    steps = sum(len(pointers.ids) for _, pointers in parts)
    _, first = parts[0]
    complete = Backpointers(*(tensor.new_zeros(steps, sentences, *tensor.shape[2:]) for tensor in first))
    start = 0
    for rows, pointers in parts:
        end = start + len(pointers.ids)
        for result, part in zip(complete, pointers, strict=True):
            result[start:end].index_copy_(1, rows.to(part.device), part)
        start = end
    return complete


def read_hypotheses(
    pointers: Backpointers,
    done: Int[Tensor, " sentences"],
    limits: Int[Tensor, " sentences"] | None,
    vocabulary: int,
    config: BeamConfig,
) -> list[list[Hypothesis]]:
    """The best outputs of each sentence among those that ended within its first `done` steps.

    Where none ended, the unfinished outputs at the last of these steps. By some stop rules they are among the others
    where that is the limit.
    """
    endings = _ended(pointers, done, vocabulary, config)
    none = endings.score[:, :1].isneginf()
    limits = limits if config.limit_finishes else None
    # Mostly every sentence has an output that ended.
    if limits is not None or bool(none.any()):
        unfinished = _unfinished(pointers, done, vocabulary, config)
        if limits is not None:
            endings = _merged(endings, unfinished, done == limits)
        both = zip(endings.tensors(), unfinished.tensors(), strict=True)
        endings = Endings(*(torch.where(none, second, first) for first, second in both))
    tokens, log_probabilities = _follow_back(pointers, endings, vocabulary)
    columns = (tokens, log_probabilities, endings.step + 1, endings.score, endings.finished)
    return [
        [
            Hypothesis(tuple(written[:length]), sum(each[:length]), score, tuple(each[:length]), finished)
            for written, each, length, score, finished in zip(*sentence, strict=True)
            if score > -torch.inf
        ]
        for sentence in zip(*(column.tolist() for column in columns), strict=True)
    ]


def ambiguous(pointers: Backpointers, done: Int[Tensor, " sentences"]) -> Bool[Tensor, " sentences"]:
    """Sentences for which a step could not tell which candidates were the best, or a score was not a number."""
    within = torch.arange(1, len(pointers.margin) + 1, device=done.device).unsqueeze(1) <= done
    # A margin between two minus infinities is NaN and not ambiguous: every candidate missed was impossible.
    doubtful = (pointers.margin <= 1) | pointers.scores.isnan().any(dim=2)
    return (doubtful & within).any(dim=0)


def _ended(pointers: Backpointers, done: Int[Tensor, " sentences"], vocabulary: int, config: BeamConfig) -> Endings:
    steps, sentences, both = pointers.ids.shape
    lengths = torch.arange(1, steps + 1, device=done.device).view(-1, 1, 1)
    possible = (pointers.ids % vocabulary == EOS) & (lengths <= done.view(1, -1, 1))
    possible &= torch.arange(both, device=done.device) < config.ending
    scores = pointers.scores.masked_fill(~possible, -torch.inf) / config.penalty(lengths.double())
    scores = scores.transpose(0, 1).flatten(1)
    # Ties go to the earlier step and then to the better candidate of the step, as in `Beam.merge`.
    order = on_grid(scores) * (steps * both) - torch.arange(steps * both, device=done.device)
    best = order.topk(config.final, dim=1).indices
    finished = torch.ones_like(best, dtype=torch.bool)
    return Endings(best // both, best % both, scores.gather(1, best), finished)


def _unfinished(
    pointers: Backpointers, done: Int[Tensor, " sentences"], vocabulary: int, config: BeamConfig
) -> Endings:
    rows = torch.arange(len(done), device=done.device)
    last = done - 1
    place = pointers.alive[last, rows][:, : config.final]
    # An ended candidate among those alive is an empty place: it is there only where the vocabulary is tiny.
    ended = pointers.ids[last, rows] % vocabulary == EOS
    score = pointers.scores[last, rows].masked_fill(ended, -torch.inf).gather(1, place)
    return Endings(
        last.unsqueeze(1).expand_as(place),
        place,
        score / config.penalty(done.double()).unsqueeze(1),
        torch.zeros_like(place, dtype=torch.bool),
    )


def _merged(ended: Endings, unfinished: Endings, at_limit: Bool[Tensor, " sentences"]) -> Endings:
    """The best of both, of the second where the limit was reached; ties go to the first."""
    cut = replace(unfinished, score=unfinished.score.masked_fill(~at_limit.unsqueeze(1), -torch.inf))
    both = Endings(*(torch.cat(pair, dim=1) for pair in zip(ended.tensors(), cut.tensors(), strict=True)))
    best = best_first(both.score, ended.score.shape[1])
    return Endings(*(column.gather(1, best) for column in both.tensors()))


def _follow_back(
    pointers: Backpointers, endings: Endings, vocabulary: int
) -> tuple[Int[Tensor, "sentences count steps"], Float[Tensor, "sentences count steps"]]:
    """The tokens of each output and log P of each token; values after its end are meaningless.

    An output passes through one live hypothesis at each step. Only finding which one needs a loop over the steps.
    """
    steps = int(endings.step.max()) + 1
    ids, scores, alive = pointers.ids[:steps], pointers.scores[:steps], pointers.alive[:steps]
    place = endings.place.expand(steps, -1, -1)
    last = torch.arange(steps, device=place.device).view(-1, 1, 1) == endings.step
    parent_of_ending, parent = ids.gather(2, place) // vocabulary, ids.gather(2, alive) // vocabulary
    path = [torch.zeros_like(endings.place)]
    for step in reversed(range(1, steps)):
        path.append(torch.where(last[step], parent_of_ending[step], parent[step].gather(1, path[-1])))
    place = torch.where(last, place, alive.gather(2, torch.stack(path[::-1])))
    tokens, totals = ids.gather(2, place) % vocabulary, scores.gather(2, place)
    zero = totals.new_zeros(1, *totals.shape[1:])
    return tokens.permute(1, 2, 0), torch.cat([zero, totals]).diff(dim=0).permute(1, 2, 0)
