"""RNNsearch of Bahdanau et al. 2015: its equations in plain loops, its sizes, how its weights begin."""

import math

import pytest
import torch
from tests.papers.plain_vectors import Vector, assert_begins, maxout, plus, sigma, tanh, times, widely_drawn

from saccade.errors import ConfigError
from saccade.models.rnnsearch import RNNsearch, RNNsearchConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS

SOURCE_WORDS, TARGET_WORDS = 19, 29
WIDTH, EMBEDDING, UNITS, INNER = 7, 5, 3, 11
SOURCE = [[5, 11, 4, 9, 9, EOS], [18, 7, EOS]]
READ = [[BOS, 6, 28, 5], [BOS, 4, 5, 4]]


def made(**changes) -> RNNsearch:
    torch.manual_seed(13)
    sizes = {"width": WIDTH, "embedding_width": EMBEDDING, "maxout_width": UNITS, "attention_width": INNER}
    return widely_drawn(RNNsearch(RNNsearchConfig(**{**sizes, **changes}), SOURCE_WORDS, TARGET_WORDS))


class Plain:
    """Appendix A, one number at a time."""

    def __init__(self, model: RNNsearch) -> None:
        self.config = model.config
        self.weights = {name: tensor.tolist() for name, tensor in model.state_dict().items()}

    def gru(self, cell: str, x: Vector, h: Vector, c: Vector | None = None) -> Vector:
        def gate(part: str, index: int) -> list[Vector]:
            return self.weights[f"{cell}.{part}"][index * WIDTH : (index + 1) * WIDTH]

        given = [plus(times(gate("inputs.weight", g), x), gate("inputs.bias", g)) for g in range(3)]
        if c is not None:
            given = [plus(given[g], times(gate("context.weight", g), c)) for g in range(3)]
        r, z = (sigma(plus(given[g], times(gate("recurrent", g), h))) for g in range(2))
        new = tanh(plus(given[2], times(gate("recurrent", 2), [a * b for a, b in zip(r, h, strict=True)])))
        return [(1 - z[i]) * h[i] + z[i] * new[i] for i in range(WIDTH)]

    def run(self, cell: str, tokens: list[int]) -> list[Vector]:
        states = [[0.0] * WIDTH]
        for token in tokens:
            states.append(self.gru(cell, self.weights["source_embedding.weight"][token], states[-1]))
        return states[1:]

    def annotations(self, tokens: list[int]) -> list[Vector]:
        backward = self.run("backward_encoder", tokens[::-1])[::-1]
        return [ahead + back for ahead, back in zip(self.run("forward_encoder", tokens), backward, strict=True)]

    def weights_of(self, s: Vector, annotations: list[Vector]) -> Vector:
        v, w, u = (self.weights[f"attention.score.{name}"] for name in ("vector", "query.weight", "key.weight"))
        scores = [times([v], tanh(plus(times(w, s), times(u, h))))[0] for h in annotations]
        total = sum(map(math.exp, scores))
        return [math.exp(score) / total for score in scores]

    def decode(self, source: list[int], tokens: list[int]) -> tuple[list[Vector], list[Vector]]:
        """The logits and the weights of each position."""
        if self.config.context == "last":
            annotations = [self.run("forward_encoder", source)[-1]]
            opening = annotations[0]
        else:
            annotations = self.annotations(source)
            opening = annotations[0][WIDTH:]
        s = tanh(plus(times(self.weights["opening.weight"], opening), self.weights["opening.bias"]))
        logits, looks = [], []
        for token in tokens:
            alpha = [1.0] if self.config.context == "last" else self.weights_of(s, annotations)
            looks.append(alpha)
            c = [sum(a * h[i] for a, h in zip(alpha, annotations, strict=True)) for i in range(len(annotations[0]))]
            y = self.weights["target_embedding.weight"][token]
            before, s = s, self.gru("decoder", y, s, c)
            t = plus(
                times(self.weights["maxout.state.weight"], before if self.config.output_state == "previous" else s),
                self.weights["maxout.state.bias"],
                times(self.weights["maxout.word.weight"], y),
                times(self.weights["maxout.context.weight"], c),
            )
            units = maxout(t)
            logits.append(times(self.weights["output.weight"], [*units, 1.0]))
        return logits, looks


VARIANTS = [{}, {"output_state": "previous"}, {"context": "last"}, {"context": "last", "output_state": "previous"}]


@pytest.mark.parametrize("changes", VARIANTS, ids=str)
@torch.no_grad()
def test_the_equations_with_teacher_forcing_and_word_by_word(changes):
    model = made(**changes)
    memory = model.encode(Sequences.of(SOURCE))
    at_once, state = model.decode(Sequences.of(READ), memory), model.start(memory)
    expected = [Plain(model).decode(source, reads)[0] for source, reads in zip(SOURCE, READ, strict=True)]
    for position in range(len(READ[0])):
        logits, state = model.step(torch.tensor([reads[position] for reads in READ]), state)
        for row in range(len(READ)):
            assert at_once[row, position].tolist() == pytest.approx(expected[row][position], abs=1e-12)
            assert logits[row].tolist() == pytest.approx(expected[row][position], abs=1e-12)


@torch.no_grad()
def test_alignments_are_the_weights_of_the_equations():
    model = made()
    target = Sequences.of([[*reads[1:], EOS] for reads in READ])
    found = model.align(target, model.encode(Sequences.of(SOURCE)))
    for row, (source, reads) in enumerate(zip(SOURCE, READ, strict=True)):
        for position, alpha in enumerate(Plain(model).decode(source, reads)[1]):
            assert found[row, position, : len(source)].tolist() == pytest.approx(alpha, abs=1e-12)


@torch.no_grad()
def test_before_anything_is_learned_every_word_of_the_source_is_worth_the_same():
    torch.manual_seed(13)
    model = RNNsearch(RNNsearchConfig(width=WIDTH), SOURCE_WORDS, TARGET_WORDS).eval()
    weights = model.align(Sequences.of([[6, EOS], [4, EOS]]), model.encode(Sequences.of(SOURCE)))
    assert torch.equal(weights[0], torch.full((2, 6), 1 / 6))
    torch.testing.assert_close(weights[1, :, :3], torch.full((2, 3), 1 / 3))


def test_sizes_are_those_of_the_paper():
    with torch.device("meta"):
        model = RNNsearch(RNNsearchConfig(), 30_000, 30_000)
    shapes = {name: tuple(tensor.shape) for name, tensor in model.named_parameters()}
    assert shapes["source_embedding.weight"] == shapes["target_embedding.weight"] == (30_000, 620)
    for name in ("forward_encoder", "backward_encoder", "decoder"):
        assert (shapes[f"{name}.inputs.weight"], shapes[f"{name}.recurrent"]) == ((3000, 620), (3000, 1000))
    assert shapes["decoder.context.weight"] == (3000, 2000)
    assert (shapes["attention.score.query.weight"], shapes["attention.score.key.weight"]) == (
        (1000, 1000),
        (1000, 2000),
    )
    assert shapes["attention.score.vector"] == (1000,)
    assert shapes["opening.weight"] == (1000, 1000)
    assert shapes["maxout.context.weight"] == (1000, 2000)  # two sums for each of 500 units
    assert shapes["output.weight"] == (30_000, 501)  # the last column is the bias


def test_without_attention_what_only_it_needed_is_gone():
    with torch.device("meta"):
        model = RNNsearch(RNNsearchConfig(context="last"), 30_000, 30_000)
    names = {name.split(".")[0] for name, _ in model.named_parameters()}
    assert not names & {"attention", "backward_encoder"}
    assert model.alignment_blocks == ()


def test_weights_begin_as_the_appendix_says():
    torch.manual_seed(5)
    model = RNNsearch(RNNsearchConfig(width=211), 499, 503)
    deviations = {
        "attention.score.vector": 0.0,
        "attention.score.query.weight": 0.001,
        "attention.score.key.weight": 0.001,
    }
    assert_begins(model, 211, lambda name: deviations.get(name, 0.01))


def test_a_score_that_multiplies_states_and_annotations_is_refused_since_these_are_twice_as_wide():
    with pytest.raises(ConfigError, match="both must be equally wide, but they have 7 and 14 numbers"):
        made(score="dot")
