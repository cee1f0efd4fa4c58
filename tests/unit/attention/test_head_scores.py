"""Multi-head attention with every score: against plain loops over heads, queries and keys, and what must be equal."""

import math
from typing import get_args

import pytest
import torch

from saccade.attention.head_scores import HeadScores
from saccade.attention.masks import Visibility
from saccade.attention.multihead import MultiHeadAttention
from saccade.attention.scores import ScoreName, score

WIDTH, HEADS, KEY_WIDTH, VALUE_WIDTH, LENGTH = 10, 2, 3, 4, 5
NAMES = get_args(ScoreName)
MODULES = [name for name in NAMES if name != "scaled-dot"]


def attention(name: str | None) -> MultiHeadAttention:
    """Attention in double precision, with drawn parameters; None: the scaled dot product of the fused kernels."""
    scores = None
    if name is not None:
        scores = HeadScores([score(name, KEY_WIDTH, KEY_WIDTH, KEY_WIDTH, LENGTH) for _ in range(HEADS)])
    torch.manual_seed(3)  # the projections are the same whatever the score
    made = MultiHeadAttention(WIDTH, HEADS, KEY_WIDTH, VALUE_WIDTH, score=scores).double().eval()
    with torch.no_grad():
        for parameter in () if scores is None else scores.parameters():
            parameter.normal_()
    return made


def states() -> torch.Tensor:
    return torch.randn(2, LENGTH, WIDTH, dtype=torch.float64, generator=torch.Generator().manual_seed(5))


@pytest.mark.parametrize("name", NAMES)
@torch.no_grad()
def test_every_head_attends_with_the_score_of_its_own_by_plain_loops(name):
    made, given = attention(name), states()
    found = made.mix(*made.project(given), Visibility(causal=True))
    for row in range(2):
        for place in range(LENGTH):
            heads = []
            for head, scoring in enumerate(made.score.heads):
                keys, values = (slice(head * width, (head + 1) * width) for width in (KEY_WIDTH, VALUE_WIDTH))
                query = made.query.weight[keys] @ given[row, place]
                energies, vectors = [], []
                for other in range(place + 1):
                    # One key after the other, each at its place: a score by location counts them.
                    before = torch.stack([made.key.weight[keys] @ given[row, each] for each in range(other + 1)])
                    energies.append(
                        float(scoring(query.view(1, 1, -1), scoring.prepare(before.unsqueeze(0)))[0, 0, -1])
                    )
                    vectors.append(made.value.weight[values] @ given[row, other])
                total = sum(map(math.exp, energies))
                heads.append(sum(math.exp(e) / total * v for e, v in zip(energies, vectors, strict=True)))
            torch.testing.assert_close(found[row, place], made.output.weight @ torch.cat(heads))


@torch.no_grad()
def test_the_scaled_dot_product_as_a_score_is_that_of_the_fused_kernels():
    given, causal = states(), Visibility(causal=True)
    fused, explicit = attention(None), attention("scaled-dot")
    torch.testing.assert_close(fused.mix(*fused.project(given), causal), explicit.mix(*explicit.project(given), causal))


@torch.no_grad()
def test_dot_is_the_scaled_dot_product_of_longer_queries():
    given, causal = states(), Visibility(causal=True)
    fused, dot = attention(None), attention("dot")
    expected = fused.mix(*fused.project(given), causal)
    dot.query.weight.div_(math.sqrt(KEY_WIDTH))
    torch.testing.assert_close(dot.mix(*dot.project(given), causal), expected)


@torch.no_grad()
def test_general_with_the_identity_is_dot():
    given, causal = states(), Visibility(causal=True)
    dot, general = attention("dot"), attention("general")
    for head in general.score.heads:
        head.query.weight.copy_(torch.eye(KEY_WIDTH))
    torch.testing.assert_close(general.mix(*general.project(given), causal), dot.mix(*dot.project(given), causal))


@pytest.mark.parametrize("name", MODULES)
@torch.no_grad()
def test_places_of_a_cache_are_scored_as_their_positions(name):
    """Two hypotheses with the same past: each position stands at two places, and both have its score."""
    made = attention(name)
    queries, memory = made.project(states())
    at_positions = made.score(queries, memory.keys)
    at_places = made.score(queries, memory.keys.repeat_interleave(2, dim=2), places=2)
    torch.testing.assert_close(at_places, at_positions.repeat_interleave(2, dim=3))
