"""The memory network against its equations, written out for one position and one word at a time."""

import math

import pytest
import torch

from saccade.attention.recording import recording
from saccade.errors import ConfigError
from saccade.layers.question_memory import QuestionMemory
from saccade.models.memory_network import MemoryNetwork, MemoryNetworkConfig
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

WIDTH = 5
READS = [3, 7, 4, 9, 9, 12, 5, 8]
NOTHING = Sequences.of([[EOS]])


def made(**changes) -> MemoryNetwork:
    torch.manual_seed(3)
    sizes = {"width": WIDTH, "memory_size": 4, "hops": 3, "initial_deviation": 0.8, **changes}
    return MemoryNetwork(MemoryNetworkConfig(**sizes), 13, 17).double().eval()


def plain(model: MemoryNetwork, reads: list[int]) -> torch.Tensor:
    """The logits after the last of the words read."""
    weights, config = dict(model.named_parameters()), model.config
    layer_wise = config.tie == "layer-wise"
    u = torch.full((WIDTH,), 0.1, dtype=torch.float64)
    memory = list(reversed(reads))[: config.memory_size]
    for hop in range(config.hops):
        a, c = (0, 1) if layer_wise else (hop, hop + 1)
        keys = [weights[f"words.{a}"][word] + weights[f"times.{a}"][age] for age, word in enumerate(memory)]
        values = [weights[f"words.{c}"][word] + weights[f"times.{c}"][age] for age, word in enumerate(memory)]
        p = torch.stack([u.dot(key) for key in keys]).softmax(0)
        o = sum(weight * value for weight, value in zip(p, values, strict=True))
        u = (weights["carry.weight"] @ u if layer_wise else u) + o
        u = torch.cat([u[: WIDTH // 2].clamp(min=0), u[WIDTH // 2 :]])
    return (weights["output"] if layer_wise else weights[f"words.{config.hops}"]) @ u


@pytest.mark.parametrize("changes", [{}, {"tie": "adjacent"}, {"hops": 1, "memory_size": 11}], ids=str)
@torch.no_grad()
def test_equations_of_section_2_for_every_position(changes):
    model = made(**changes)
    memory = model.encode(NOTHING)
    logits = model.decode(Sequences.of([READS]), memory)[0]
    state = model.start(memory)
    for place, token in enumerate(READS):
        expected = plain(model, READS[: place + 1])
        torch.testing.assert_close(logits[place], expected, rtol=1e-10, atol=1e-10)
        stepped, state = model.step(torch.tensor([token]), state)
        torch.testing.assert_close(stepped[0], expected, rtol=1e-10, atol=1e-10)


@torch.no_grad()
def test_a_word_that_has_left_the_memory_is_forgotten():
    model = made(memory_size=3)
    memory = model.encode(NOTHING)
    first, other = ([word, *READS[1:]] for word in (3, 11))
    ours, theirs = (model.decode(Sequences.of([reads]), memory)[0] for reads in (first, other))
    assert not torch.allclose(ours[:3], theirs[:3])
    assert torch.equal(ours[3:], theirs[3:])


@torch.no_grad()
def test_every_hop_is_recorded():
    model = made()
    with recording(model) as record:
        model.decode(Sequences.of([READS]), model.encode(NOTHING))
    assert sorted(record) == ["hops.0", "hops.1", "hops.2"]
    for (weights,) in record.values():
        assert weights.shape == (1, 1, 8, 8)
        torch.testing.assert_close(weights.sum(-1), torch.ones(1, 1, 8, dtype=torch.float64))
        assert (weights[0, 0].triu(1) == 0).all()
        assert (weights[0, 0].tril(-4) == 0).all()


def test_section_2_2_layer_wise_hops_cost_no_parameters_and_adjacent_ones_share_half():
    def count(**changes) -> int:
        return sum(parameter.numel() for parameter in made(**changes).parameters())

    assert count(hops=2) == count(hops=7)
    assert count(hops=3, tie="adjacent") - count(hops=2, tie="adjacent") == (17 + 4) * WIDTH


def test_initial_weights():
    model = MemoryNetwork(MemoryNetworkConfig(), 13, 500)
    for parameter in model.parameters():
        assert parameter.std().item() == pytest.approx(0.05, rel=0.05)


def test_a_question_of_zeros_is_refused():
    with pytest.raises(ConfigError, match="`question` must not be 0"):
        MemoryNetworkConfig(question=0.0)


STORY = [[3, 7, 4, 0], [9, 2, 0, 0], [12, 5, 8, 11]]
QUESTION = [6, 9, 10]


def plain_answer(model: QuestionMemory, story: list[list[int]], question: list[int], width: int) -> torch.Tensor:
    """Sections 2 and 4.1, unit by unit: positions within a sentence, ages of sentences, hops, and the last product."""
    weights = {name: parameter.tolist() for name, parameter in model.named_parameters()}

    def vector(words: list[int], table: str) -> list[float]:
        count = len(words)
        places = [
            [(1 - j / count) - (k / width) * (1 - 2 * j / count) for k in range(1, width + 1)]
            for j in range(1, count + 1)
        ]
        return [sum(places[j][k] * weights[table][word][k] for j, word in enumerate(words)) for k in range(width)]

    sentences = [[word for word in words if word] for words in story]
    u = vector(question, "words.0")
    for hop in range(len(model.hops)):
        remembered = {
            side: [
                [
                    one + time
                    for one, time in zip(
                        vector(words, f"words.{table}"), weights[f"times.{table}"][len(sentences) - 1 - i], strict=True
                    )
                ]
                for i, words in enumerate(sentences)
            ]
            for side, table in (("key", hop), ("value", hop + 1))
        }
        scores = [math.exp(sum(a * b for a, b in zip(u, key, strict=True))) for key in remembered["key"]]
        o = [
            sum(score * value[k] for score, value in zip(scores, remembered["value"], strict=True)) / sum(scores)
            for k in range(width)
        ]
        u = [a + b for a, b in zip(u, o, strict=True)]
    last = weights[f"words.{len(model.hops)}"]
    return torch.tensor([sum(a * b for a, b in zip(u, row, strict=True)) for row in last], dtype=torch.float64)


@pytest.mark.parametrize("hops", [1, 3])
@torch.no_grad()
def test_questions_are_answered_by_the_equations_of_sections_2_and_4(hops):
    torch.manual_seed(5)
    model = QuestionMemory(13, WIDTH, hops, memory_size=7, initial_deviation=0.8).double()
    expected = plain_answer(model, STORY, QUESTION, WIDTH)
    alone = model(torch.tensor([STORY]), torch.tensor([QUESTION]))[0]
    torch.testing.assert_close(alone, expected, rtol=1e-10, atol=1e-10)
    # In a batch with a longer story it begins with an empty sentence, which changes nothing.
    longer = torch.tensor([[[0, 0, 0, 0], *STORY], [[1, 2, 0, 0], *STORY]])
    batch = model(longer, torch.tensor([[*QUESTION, 0]] * 2))
    torch.testing.assert_close(batch[0], expected, rtol=1e-10, atol=1e-10)
    assert not torch.allclose(batch[1], expected)
