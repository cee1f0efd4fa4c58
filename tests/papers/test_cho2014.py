"""The RNN Encoder-Decoder of Cho et al. 2014: its equations in plain loops, its sizes, how its weights begin."""

import math

import pytest
import torch
from tests.papers.plain_vectors import Vector, assert_begins, maxout, plus, sigma, tanh, times, widely_drawn

from saccade.models.rnn_encoder_decoder import RNNEncoderDecoder, RNNEncoderDecoderConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS

SOURCE_WORDS, TARGET_WORDS = 19, 29
WIDTH, RANK, UNITS = 7, 5, 3
SOURCE = [[5, 11, 4, 9, EOS], [18, EOS]]
READ = [[BOS, 6, 28], [BOS, 4, 5]]


@pytest.fixture
def model() -> RNNEncoderDecoder:
    torch.manual_seed(13)
    config = RNNEncoderDecoderConfig(width=WIDTH, rank=RANK, maxout_width=UNITS)
    return widely_drawn(RNNEncoderDecoder(config, SOURCE_WORDS, TARGET_WORDS))


class Plain:
    """The equations of section 2 and of the appendix, one number at a time."""

    def __init__(self, model: RNNEncoderDecoder) -> None:
        self.weights = {name: tensor.tolist() for name, tensor in model.state_dict().items()}

    def gate(self, cell: str, part: str, gate: int) -> list[Vector]:
        return self.weights[f"{cell}.{part}"][gate * WIDTH : (gate + 1) * WIDTH]

    def encode(self, tokens: list[int]) -> Vector:
        h = [0.0] * WIDTH
        for token in tokens:
            e = self.weights["source_embedding.weight"][token]
            w = [
                plus(times(self.gate("encoder", "inputs.weight", g), e), self.gate("encoder", "inputs.bias", g))
                for g in range(3)
            ]
            u = [self.gate("encoder", "recurrent", g) for g in range(3)]
            r, z = (sigma(plus(w[g], times(u[g], h))) for g in range(2))
            new = tanh(plus(w[2], times(u[2], [a * b for a, b in zip(r, h, strict=True)])))
            h = [z[i] * h[i] + (1 - z[i]) * new[i] for i in range(WIDTH)]
        return tanh(plus(times(self.weights["summary.weight"], h), self.weights["summary.bias"]))

    def decode(self, tokens: list[int], c: Vector) -> list[Vector]:
        h = tanh(plus(times(self.weights["opening.weight"], c), self.weights["opening.bias"]))
        logits = []
        for position, token in enumerate(tokens):
            e = [0.0] * RANK if position == 0 else self.weights["target_embedding.weight"][token]
            w = [
                plus(times(self.gate("decoder", "inputs.weight", g), e), self.gate("decoder", "inputs.bias", g))
                for g in range(3)
            ]
            heard = [
                plus(
                    times(self.gate("decoder", "recurrent", g), h), times(self.gate("decoder", "context.weight", g), c)
                )
                for g in range(3)
            ]
            r, z = (sigma(plus(w[g], heard[g])) for g in range(2))
            new = tanh([w[2][i] + r[i] * heard[2][i] for i in range(WIDTH)])
            h = [z[i] * h[i] + (1 - z[i]) * new[i] for i in range(WIDTH)]
            s = plus(
                times(self.weights["maxout.state.weight"], h),
                self.weights["maxout.state.bias"],
                times(self.weights["maxout.word.weight"], e),
                times(self.weights["maxout.context.weight"], c),
            )
            units = maxout(s)
            narrow = times(self.weights["to_rank.weight"], units)
            logits.append(times(self.weights["output.weight"], [*narrow, 1.0]))
        return logits


@torch.no_grad()
def test_the_equations_with_teacher_forcing(model):
    memory = model.encode(Sequences.of(SOURCE))
    logits = model.decode(Sequences.of(READ), memory)
    plain = Plain(model)
    for row, (source, reads) in enumerate(zip(SOURCE, READ, strict=True)):
        c = plain.encode(source)
        assert memory.context[row].tolist() == pytest.approx(c, abs=1e-12)
        for position, expected in enumerate(plain.decode(reads, c)):
            assert logits[row, position].tolist() == pytest.approx(expected, abs=1e-12)


@torch.no_grad()
def test_the_equations_word_by_word(model):
    state = model.start(model.encode(Sequences.of(SOURCE)))
    plain = Plain(model)
    expected = [plain.decode(reads, plain.encode(source)) for source, reads in zip(SOURCE, READ, strict=True)]
    for position in range(len(READ[0])):
        logits, state = model.step(torch.tensor([reads[position] for reads in READ]), state)
        for row in range(len(READ)):
            assert logits[row].tolist() == pytest.approx(expected[row][position], abs=1e-12)


@torch.no_grad()
def test_the_context_is_heard_at_every_word_and_by_the_output_too(model):
    """With the decoder deaf to c but for the output layer, and the output layer deaf but for the decoder."""
    memory = model.encode(Sequences.of(SOURCE))
    other = model.encode(Sequences.of(SOURCE[::-1]))
    for deaf in (model.decoder.context.weight, model.maxout.context.weight):
        before = deaf.clone()
        deaf.zero_()
        difference = model.decode(Sequences.of(READ), memory) - model.decode(Sequences.of(READ), other)
        assert (difference.abs().amax(-1) > 1e-6).all()
        deaf.copy_(before)


def test_sizes_are_those_of_the_paper():
    with torch.device("meta"):
        model = RNNEncoderDecoder(RNNEncoderDecoderConfig(), 15_000, 15_000)
    shapes = {name: tuple(tensor.shape) for name, tensor in model.named_parameters()}
    assert shapes["encoder.recurrent"] == shapes["decoder.recurrent"] == (3000, 1000)
    assert shapes["source_embedding.weight"] == shapes["target_embedding.weight"] == (15_000, 100)
    assert shapes["maxout.state.weight"] == (1000, 1000)  # two sums for each of 500 units
    assert (shapes["to_rank.weight"], shapes["output.weight"]) == (
        (100, 500),
        (15_000, 101),
    )  # the last column is the bias
    words = 2 * 15_000 * 100
    encoder = 3 * (1000 * 100 + 1000 + 1000 * 1000)
    between = 2 * (1000 * 1000 + 1000)
    decoder = encoder + 3 * 1000 * 1000
    output = 1000 * (1000 + 1 + 100 + 1000) + 100 * 500 + 15_000 * 101
    assert sum(math.prod(shape) for shape in shapes.values()) == words + encoder + between + decoder + output


def test_recurrent_matrices_begin_orthogonal_and_all_others_with_a_deviation_of_one_hundredth():
    torch.manual_seed(5)
    model = RNNEncoderDecoder(RNNEncoderDecoderConfig(width=211, rank=97), 499, 503)
    assert_begins(model, 211, lambda _: 0.01)
