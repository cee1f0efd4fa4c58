"""Everything between two calls of the model in a beam search, in one kernel, an instance for each sentence.

In torch it is a hundred small kernels a step, each finished before the next is launched. The readable version of this
kernel is in `decoding/beam_candidates.py` and `decoding/beam_fast.py`: the same candidates by the same rule,
scores in double precision, and the same test for ties that might reach beyond what was looked at.

A candidate and its number travel as one whole number of 64 bits, ordered as the candidates are: so the best of many is
one maximum, its number comes with it, and striking it out is one comparison.
"""

import torch
import triton
import triton.language as tl
from jaxtyping import Float
from torch import Tensor

from saccade.kernels.beam_selection import Search, Selected
from saccade.kernels.block_maxima import block_maxima


def select(logits: Float[Tensor, "rows vocabulary"], search: Search) -> Selected:
    """One step of the search."""
    assert search.terms is None, "terms are followed by `constrained_beam_fast.py`"
    progress, bounds, tokens, rules, beyond, steps_per_nat, _ = search
    (sentences, size), vocabulary = progress.alive.shape, logits.shape[1]
    assert size * vocabulary < 2**31, "a candidate's number must fit into half of 64 bits"
    normaliser, maxima = block_maxima(logits, _BLOCK, (tokens.padding, tokens.start))
    blocks, listed = maxima.shape[1], min(2 * size + beyond, size * vocabulary)

    def room(columns: int, dtype: torch.dtype) -> Tensor:
        return torch.empty(sentences, columns, dtype=dtype, device=logits.device)

    names, scores = room(2 * size, torch.int64), room(2 * size, torch.float64)
    onward, parents = room(size, torch.int64), room(size, torch.int64)
    margin = room(1, torch.float64).squeeze(1)
    wide = triton.next_power_of_2(size * blocks)
    _select[(sentences,)](
        logits, normaliser, maxima, *progress, *bounds, names, scores, onward, margin, parents,
        vocabulary, blocks, logits.stride(0), bounds.penalties.stride(0), rules.deciding, rules.ending,
        float(steps_per_nat), *tokens, CURRENT_LENGTH=rules.current_length,
        SIZE=size, LISTED=listed, ALL=listed == size * vocabulary, WIDE=wide, BLOCK=_BLOCK,
        SLOTS=triton.next_power_of_2(listed), BOTH=triton.next_power_of_2(2 * size),
        PLACES=triton.next_power_of_2(size), num_warps=_WARPS if wide <= 4096 else 4 * _WARPS,
    )  # fmt: skip
    return Selected(names, scores, onward, margin, parents)


_BLOCK, _WARPS = 64, 4


@triton.jit
def _ordered(values, numbers):
    """Whole numbers in the order of the values; of equal values, the one with the smaller number is the larger."""
    bits = values.to(tl.int32, bitcast=True)
    bits = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
    return (bits.to(tl.int64) << 32) | (0x7FFFFFFF - numbers).to(tl.int64)


@triton.jit
def _number(ordered):
    return 0x7FFFFFFF - (ordered & 0x7FFFFFFF).to(tl.int32)


@triton.jit
def _nothing(like):
    """Smaller than whatever was made of a value."""
    return tl.full(like.shape, -9223372036854775807, tl.int64)


@triton.jit
def _largest(ordered, slots, COUNT: tl.constexpr):
    """The largest few, in order; where there are not so many, nothing."""
    found = _nothing(slots)
    for place in range(0, COUNT):
        top = tl.max(ordered, axis=0)
        found = tl.where(slots == place, top, found)
        ordered = tl.where(ordered == top, _nothing(ordered), ordered)
    return found


@triton.jit
def _on_grid(scores, steps_per_nat):
    # Numbers this large have no digits after the point: adding one rounds, half to even, and taking it away is exact.
    return (scores * steps_per_nat + 6755399441055744.0) - 6755399441055744.0


@triton.jit
def _at(places, wanted, values, nothing):
    """For each wanted place, the value that is there."""
    there = wanted[:, None] == places[None, :]
    return tl.max(tl.where(there, values[None, :], nothing), axis=1)


@triton.jit
def _select(
    logits, normaliser, maxima, reads, alive, finished, length, done, limits, penalties, largest,
    names_out, scores_out, onward_out, margin_out, parents_out,
    vocabulary, blocks, row_stride, penalty_stride, deciding, ending, steps_per_nat, padding, end, start,
    CURRENT_LENGTH: tl.constexpr,
    SIZE: tl.constexpr, LISTED: tl.constexpr, ALL: tl.constexpr, WIDE: tl.constexpr, BLOCK: tl.constexpr,
    SLOTS: tl.constexpr, BOTH: tl.constexpr, PLACES: tl.constexpr,
):  # fmt: skip
    sentence = tl.program_id(0).to(tl.int64)
    first = sentence * SIZE
    never: tl.constexpr = float("-inf")
    places, both, slots = tl.arange(0, PLACES), tl.arange(0, BOTH), tl.arange(0, SLOTS)
    totals = tl.load(alive + first + places, mask=places < SIZE, other=never)
    norms = tl.load(normaliser + first + places, mask=places < SIZE, other=0.0)
    # What is far from the sentence's best is not picked, and what is near it needs few digits: single precision does.
    best = tl.maximum(tl.max(totals, axis=0), -1e30)

    # The best continuations can only lie in as many blocks, those with the best maxima.
    numbers = tl.arange(0, WIDE)
    inside = numbers < SIZE * blocks
    whose = numbers // blocks
    total = tl.load(alive + first + whose, mask=inside, other=0.0)
    norm = tl.load(normaliser + first + whose, mask=inside, other=0.0)
    highest = tl.load(maxima + first * blocks + numbers, mask=inside, other=never) + (total - norm - best).to(
        tl.float32
    )
    ordered = _ordered(highest, numbers)
    picked = _largest(tl.where(inside, ordered, _nothing(ordered)), slots, LISTED)

    whose = _number(picked) // blocks
    there = picked > _nothing(picked)
    total = tl.load(alive + first + whose, mask=there, other=0.0)
    norm = tl.load(normaliser + first + whose, mask=there, other=0.0)
    tokens = (_number(picked) - whose * blocks)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    possible = there[:, None] & (tokens < vocabulary) & (tokens != padding) & (tokens != start)
    near = tl.load(logits + (first + whose)[:, None] * row_stride + tokens, mask=possible, other=never).to(tl.float32)
    ordered = _ordered(near + (total - norm - best).to(tl.float32)[:, None], whose[:, None] * vocabulary + tokens)
    ordered = tl.reshape(tl.where(possible, ordered, _nothing(ordered)), (SLOTS * BLOCK,))
    picked = _largest(ordered, slots, LISTED)

    # The few that are left are ordered in double precision: a total grows with the output, its differences do not.
    there = picked > _nothing(picked)
    names = tl.where(there, _number(picked), 0)
    whose = names // vocabulary
    total = tl.load(alive + first + whose, mask=there, other=0.0)
    norm = tl.load(normaliser + first + whose, mask=there, other=0.0)
    logit = tl.load(logits + (first + whose) * row_stride + names - whose * vocabulary, mask=there, other=never)
    scores = logit.to(tl.float64) + (total - norm)
    grid = _on_grid(scores, steps_per_nat)
    ranks = grid * (SIZE * vocabulary) - names
    before = (ranks[None, :] > ranks[:, None]) | (
        (ranks[None, :] == ranks[:, None]) & (slots[None, :] < slots[:, None])
    )
    order = tl.sum(before.to(tl.int32), axis=1)
    names, scores = _at(order, both, names, 0), _at(order, both, scores, never)
    # Where the last is impossible, or all were looked at, nothing was overlooked that could be had.
    LOOKED_BEYOND: tl.constexpr = 0 if ALL else LISTED
    worst = tl.max(tl.where(order == 2 * SIZE - 1, grid, never), axis=0)
    edge = tl.maximum(tl.min(tl.where(slots < LOOKED_BEYOND, grid, float("inf")), axis=0), -1e300)
    margin = tl.where((worst > never) & (edge < float("inf")), worst - edge, float("inf"))
    # A score that is not a number was not compared with anything.
    sound = (norms > never) & (norms < float("inf"))
    margin = tl.where(tl.sum(sound.to(tl.int32), axis=0) < PLACES, 0.0, margin)

    # Those that end join the finished ones, of which the best stay.
    now = tl.load(length + sentence) + 1
    whose = names // vocabulary
    tokens = names - whose * vocabulary
    kept = both < 2 * SIZE
    ends, opens = kept & (tokens == end), kept & (tokens != end)
    penalty = tl.load(penalties + sentence * penalty_stride + now)
    ended = _on_grid(tl.where(ends & (both < ending), scores, never) / penalty, steps_per_nat)
    old = tl.load(finished + first + places, mask=places < SIZE, other=never)
    old_place = tl.sum((ended[None, :] > old[:, None]).to(tl.int32), axis=1) + tl.sum(
        ((old[None, :] > old[:, None]) | ((old[None, :] == old[:, None]) & (places[None, :] < places[:, None]))).to(
            tl.int32
        ),
        axis=1,
    )
    new_place = tl.sum((old[None, :] >= ended[:, None]).to(tl.int32), axis=1) + tl.sum(
        ((ended[None, :] > ended[:, None]) | ((ended[None, :] == ended[:, None]) & (both[None, :] < both[:, None]))).to(
            tl.int32
        ),
        axis=1,
    )
    settled = tl.maximum(_at(old_place, places, old, never), _at(new_place, places, ended, never))

    # The others live on in their order; what ended comes last, as an empty place.
    open_before = tl.sum((opens[None, :] & (both[None, :] < both[:, None])).to(tl.int32), axis=1)
    ended_before = tl.sum((ends[None, :] & (both[None, :] < both[:, None])).to(tl.int32), axis=1)
    unended = tl.sum(opens.to(tl.int32), axis=0)
    line = tl.where(ends, unended + ended_before, tl.where(kept, open_before, 2 * SIZE))
    onward = _at(line, places, both, 0)
    living = _at(line, places, tl.where(ends, never, scores), never)
    parents, written = _at(line, places, whose, 0), _at(line, places, tokens, 0)

    # Nothing alive can still displace the finished output that the stop rule looks at.
    hopes = tl.minimum(tl.max(tl.where(places < SIZE, living, never), axis=0), -1e-30)  # ALMOST_CERTAIN of beam.py
    bound = _on_grid(hopes / (penalty if CURRENT_LENGTH else tl.load(largest + sentence)), steps_per_nat)
    last = tl.max(tl.where(places == deciding - 1, settled, never), axis=0)
    least = tl.min(tl.where((places < SIZE) & (settled > never), settled, float("inf")), axis=0)
    last = tl.where(deciding > 0, last, tl.where(least < float("inf"), least, never))
    over = (last >= bound) | (now == tl.load(limits + sentence))
    was = tl.load(done + sentence)
    # All reads must be done before the first overwrite.
    tl.debug_barrier()
    tl.store(done + sentence, tl.where(over & (was == 0), now, was))
    tl.store(length + sentence, now)
    tl.store(margin_out + sentence, margin)
    tl.store(names_out + first * 2 + both, names.to(tl.int64), mask=kept)
    tl.store(scores_out + first * 2 + both, scores, mask=kept)
    mine = places < SIZE
    tl.store(onward_out + first + places, onward.to(tl.int64), mask=mine)
    tl.store(parents_out + first + places, parents.to(tl.int64), mask=mine)
    tl.store(reads + first + places, written.to(tl.int64), mask=mine)
    tl.store(alive + first + places, living, mask=mine)
    tl.store(finished + first + places, settled, mask=mine)
