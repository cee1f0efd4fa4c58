"""The live figures of the course compute what saccade and torch compute, and every picture has one."""

import re

import pytest
import torch
from tests.course.chapters import COURSE
from tests.page_modules import run_in_node
from tools import course_live
from tools.course.catalogue import FIGURES
from tools.course.language_models import counted
from tools.course.transformer import parts_of
from torch.nn import functional

from saccade.attention.alignment import Hard, LocalMonotonic, Sigmoid, Soft
from saccade.attention.sparse_alignment import Sparsemax, TopK
from saccade.models.transformer import Transformer, TransformerConfig

READ = ("the cat sleeps", "the dog sleeps", "the cat eats the fish", "a dog eats", "a dog eats a fish")
SCORES = [0.3, 1.9, 1.2, -0.4, 1.1]
SIZES = {"layers": 2, "width": 12, "inner": 20, "heads": 3, "vocabulary": 31}

SCRIPT = """
import { recalled, written } from "course/after-the-paper";
import { reached } from "course/convolution";
import { counted, probabilities, sentencesOf } from "course/counting-words";
import { codes, decoded, encoded } from "course/encoder-decoder";
import { FIGURES } from "course/figures";
import { slopes } from "course/forgetting";
import { likeness } from "course/heads-and-positions";
import { drawn, lossAndGradient } from "course/perceptrons";
import { states } from "course/recurrence";
import { ALIGNMENTS } from "course/scores-and-alignments";
import { counts } from "course/the-transformer";
import { atLength } from "course/what-each-idea-bought";

export default ({ text, scores, sizes, keys, values }) => {
  const read = counted(sentencesOf(text));
  const probability = probabilities(read, true);
  const weights = drawn(3, 5);
  const rows = (list) => list.map((row) => Float64Array.from(row));
  return {
    names: Object.keys(FIGURES),
    counting: read.words.map((before) => [...read.words, "end"].map((word) => probability(before, word))),
    weights,
    learning: lossAndGradient(weights, [0, 1, 1, 0]),
    states: states([0, 1, 0, 0.5], -0.7, true),
    slopes: slopes(0.9, 6),
    back: [8, 512].map((width) => decoded(codes(width), encoded(codes(width), "bottlenecks"), 11)),
    alignments: Object.fromEntries(Object.entries(ALIGNMENTS).map(([name, align]) => [name, align(scores)])),
    reached: [reached(3, 3, false, 6), reached(5, 2, true, 6)],
    likeness: [...likeness(5, 8)],
    counts: counts(sizes),
    lengths: ["2 n + 11", "n + 8", "33"].map((formula) => atLength(formula, 20)),
    learned: [...written(rows(keys), rows(values), true)],
    recalled: recalled(4, 16, true),
  };
}
"""


@pytest.fixture(scope="module")
def pairs():
    generator = torch.Generator().manual_seed(4)
    return torch.randn(5, 3, generator=generator), torch.randn(5, 2, generator=generator)


@pytest.fixture(scope="module")
def live(pairs):
    keys, values = pairs
    given = {"text": ". ".join(READ), "scores": SCORES, "sizes": SIZES}
    return run_in_node(SCRIPT, given | {"keys": keys.tolist(), "values": values.tolist()})


def test_every_picture_of_the_course_comes_alive(live):
    script = (COURSE / "live.js").read_text(encoding="utf-8")
    views = re.findall(r'^    "?([a-z-]+)"?: "[a-z]+\.html#', script, re.MULTILINE)
    assert sorted([*live["names"], *views]) == sorted(FIGURES)


def test_counts_are_smoothed_as_the_n_gram_model_smooths_them(live):
    words, table = counted(READ)
    assert len(live["counting"]) == len(words)
    assert torch.tensor(live["counting"]) == pytest.approx(torch.tensor(table), abs=1e-6)


def test_a_network_of_three_units_learns_by_the_gradient_of_torch(live):
    weights = {name: torch.tensor(value, requires_grad=True) for name, value in live["weights"].items()}
    cases = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    hidden = torch.relu(cases @ weights["inner"].mT + weights["bias"])
    loss = (hidden @ weights["outer"] + weights["last"] - torch.tensor([0.0, 1.0, 1.0, 0.0])).square().mean()
    loss.backward()
    assert live["learning"]["loss"] == pytest.approx(loss.item(), abs=1e-6)
    for name, weight in weights.items():
        torch.testing.assert_close(torch.tensor(live["learning"]["gradient"][name]), weight.grad)


def test_a_state_and_its_slope_are_those_of_torch(live):
    state, states = torch.tensor(0.0), []
    for word in (0.0, 1.0, 0.0, 0.5):
        state = torch.tanh(word - 0.7 * state)
        states.append(state.item())
    assert live["states"] == pytest.approx(states, abs=1e-6)
    first = torch.tanh(torch.tensor(1.0)).requires_grad_()
    state, slopes = first, [1.0]
    for _ in range(6):
        state = torch.tanh(0.9 * state)
        slopes.append(torch.autograd.grad(state, first, retain_graph=True)[0].item())
    assert live["slopes"] == pytest.approx(slopes, abs=1e-6)


def test_a_wide_vector_gives_back_what_a_narrow_one_cannot(live):
    narrow, wide = live["back"]
    assert wide == "bottlenecks"
    assert narrow != wide


def test_alignments_are_those_of_saccade(live):
    real, query, place = torch.ones(1, 5, dtype=torch.bool), torch.zeros(1, 1, 1), torch.tensor([[1]])
    kinds = [Soft(), Hard(), LocalMonotonic(1), TopK(2), Sparsemax(), Sigmoid()]
    assert list(live["alignments"]) == [kind.name for kind in kinds]
    for kind in kinds:
        expected = kind.eval()(torch.tensor([[SCORES]]), real, query, place)
        assert live["alignments"][kind.name] == pytest.approx(expected.flatten().tolist(), abs=1e-6)


def test_layers_of_a_kernel_are_convolutions(live):
    plain, dilated = live["reached"]
    for rows, kernel, apart in ((plain, [1, 2, 1], [1, 1, 1]), (dilated, [1, 4, 6, 4, 1], [1, 2])):
        weights = torch.tensor([[kernel]]) / sum(kernel)
        reached = functional.one_hot(torch.tensor([[6]]), 13).float()
        for row, dilation in zip(rows, apart, strict=True):
            reached = functional.conv1d(reached, weights, padding=dilation * (len(kernel) // 2), dilation=dilation)
            assert row == pytest.approx(reached.flatten().tolist(), abs=1e-6)


def test_positions_as_far_apart_are_as_alike(live):
    table = torch.tensor(live["likeness"]).view(5, 5)
    torch.testing.assert_close(table.diagonal(), torch.ones(5))
    torch.testing.assert_close(table[0, 2], table[2, 4])
    assert table[0, 2] < 0.9


def test_weights_are_counted_as_the_model_has_them(live):
    config = TransformerConfig(encoder_layers=2, decoder_layers=2, width=12, inner_width=20, heads=3)
    assert live["counts"] == parts_of(Transformer(config, 31, 31))


def test_measured_rows_are_those_of_the_lineage(live):
    assert live["lengths"] == [51, 28, 33]
    systems = course_live.measured_systems()
    assert [systems[0]["system"], systems[-1]["system"]] == ["RCTM II (2013)", "Transformer (2017)"]
    assert all({"BLEU, test 2016", "perplexity", "sequential operations"} <= set(row) for row in systems)


def test_a_state_that_learns_takes_the_steps_of_the_chapter(live, pairs):
    weights = torch.zeros(3, 2)
    for key, value in zip(*pairs, strict=True):
        weights = weights - torch.outer(key, key @ weights - value)
    assert live["learned"] == pytest.approx(weights.flatten().tolist(), abs=1e-4)
    assert live["recalled"]["list"] == 1
    assert live["recalled"]["learns"] > live["recalled"]["sum"]
