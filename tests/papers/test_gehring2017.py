"""ConvS2S against its equations, written out position by position, and against what the paper says of its sizes."""

import math

import pytest
import torch

from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.searcher import Searcher
from saccade.errors import ConfigError
from saccade.layers.weight_normalisation import NormalisedLinear
from saccade.models.convs2s import ConvS2S, ConvS2SConfig
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

SOURCE = Sequences.of([[5, 9, 7, 4, 6, EOS], [8, 4, EOS]])
TARGET = Sequences.of([[4, 7, EOS], [9, 5, 6, 8, EOS]])
HALF = math.sqrt(0.5)


def made(**changes) -> ConvS2S:
    torch.manual_seed(3)
    sizes = {"encoder_layers": 3, "decoder_layers": 2, "width": 5, "embedding_width": 7, "maximum_length": 11}
    model = ConvS2S(ConvS2SConfig(**{**sizes, **changes}), 13, 17).double().eval()
    with torch.no_grad():  # biases and magnitudes begin where they show little
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
    return model


class Plain:
    """The model as a reader of the paper would write it: one sentence, one position at a time, no padding anywhere."""

    def __init__(self, model: ConvS2S) -> None:
        self.weights = dict(model.named_parameters())
        self.config = model.config

    def matrix(self, name: str) -> torch.Tensor:
        if f"{name}.weight" in self.weights:
            return self.weights[f"{name}.weight"]
        lengths, directions = self.weights[f"{name}.length"], self.weights[f"{name}.direction"]
        return torch.stack([g * v / v.dot(v).sqrt() for g, v in zip(lengths, directions, strict=True)])

    def linear(self, name: str, vector: torch.Tensor) -> torch.Tensor:
        return self.matrix(name) @ vector + self.weights[f"{name}.bias"]

    def embed(self, side: str, tokens: list[int]) -> list[torch.Tensor]:
        words = self.weights[f"{side}_embedding.weight"]
        places = self.weights.get(f"{side}_places.table", torch.zeros(99, words.shape[1], dtype=words.dtype))
        return [words[token] + places[place] for place, token in enumerate(tokens)]

    def gated(self, layer: str, states: list[torch.Tensor], place: int, before: int, size: int) -> torch.Tensor:
        zero = torch.zeros_like(states[0])
        seen = range(place - before, place - before + size)
        window = torch.cat([states[other] if 0 <= other < len(states) else zero for other in seen])
        both = self.linear(f"{layer}.convolution.product", window)
        half = len(both) // 2
        return both[:half] * torch.sigmoid(both[half:])

    def past(self, layer: str, state: torch.Tensor) -> torch.Tensor:
        name = f"{layer}.residual"
        return self.linear(name, state) if f"{name}.bias" in self.weights else state

    def encode(self, tokens: list[int]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        embedded = self.embed("source", tokens)
        states = [self.linear("encoder.entrance", vector) for vector in embedded]
        for number, (_, size) in enumerate(self.config.shapes(self.config.encoder_layers)):
            layer = f"encoder.layers.{number}"
            states = [
                (self.gated(layer, states, place, (size - 1) // 2, size) + self.past(layer, states[place])) * HALF
                for place in range(len(states))
            ]
        keys = [self.linear("encoder.exit", state) for state in states]
        return keys, [key + vector for key, vector in zip(keys, embedded, strict=True)]

    def context(
        self, layer: str, state: torch.Tensor, g: torch.Tensor, source: list[int], extra: float
    ) -> torch.Tensor:
        keys, values = self.encode(source)
        query = (self.linear(f"{layer}.query", state) + g) * extra
        weights = torch.stack([query.dot(key) for key in keys]).softmax(0)
        found = sum(weight * value * extra for weight, value in zip(weights, values, strict=True))
        m = len(source)
        return self.linear(f"{layer}.context", found * m * math.sqrt(1 / m))

    def decode(self, reads: list[int], source: list[int]) -> torch.Tensor:
        embedded = self.embed("target", reads)
        states = [self.linear("decoder.entrance", vector) for vector in embedded]
        for number, (_, size) in enumerate(self.config.shapes(self.config.decoder_layers)):
            layer = f"decoder.layers.{number}"
            after = []
            for place, state in enumerate(states):
                new = self.gated(layer, states, place, size - 1, size)
                after.append(self.joined(layer, new, self.past(layer, state), embedded[place], source, number + 1))
            states = after
        return torch.stack([self.linear("output", self.linear("decoder.exit", state)) for state in states])

    def joined(self, layer, new, past, g, source, number) -> torch.Tensor:
        """The paper: residual sum, then attention. fairseq: attention on the gate's output, every sum scaled."""
        attends = number in self.config.attending
        if self.config.wiring == "paper":
            state = (new + past) * HALF
            return state + self.context(layer, state, g, source, 1.0) if attends else state
        if attends:
            new = (new + self.context(layer, new, g, source, HALF)) * HALF
        return (new + past) * HALF


FORMS = {
    "paper": {},
    "fairseq": {"wiring": "fairseq"},
    "no weight normalisation": {"weight_normalisation": False},
    "wide top": {"top_expansions": (1.4, 2.2), "top_kernel_widths": (1,), "kernel_width": 5},
    "attention in the first layer": {"attending_layers": (1,)},
    "no positions": {"source_positions": False, "target_positions": False},
}


def rows(sequences: Sequences) -> list[list[int]]:
    return [row[:length].tolist() for row, length in zip(sequences.tokens, sequences.lengths, strict=True)]


@pytest.mark.parametrize("form", FORMS)
@torch.no_grad()
def test_equations_of_sections_3_1_to_3_4(form):
    model = made(**FORMS[form])
    logits = model.decode(TARGET.reads, model.encode(SOURCE))
    for row, (source, reads) in enumerate(zip(rows(SOURCE), rows(TARGET.reads), strict=True)):
        expected = Plain(model).decode(reads, source)
        torch.testing.assert_close(logits[row, : len(reads)], expected, rtol=1e-10, atol=1e-10)


@torch.no_grad()
def test_steps_follow_the_same_equations():
    model = made()
    source, reads = rows(SOURCE)[0], [3, 4, 9, 16, 2]
    state = model.start(model.encode(Sequences.of([source])))
    expected = Plain(model).decode(reads, source)
    for place, token in enumerate(reads):
        logits, state = model.step(torch.tensor([token]), state)
        torch.testing.assert_close(logits[0], expected[place], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("wiring", "divisor"), [("paper", 2), ("fairseq", 4)])
def test_section_3_4_the_encoder_hears_each_attention_but_its_embeddings_hear_all(wiring, divisor):
    """Two attentions: the gradient through the keys is halved (fairseq: a quarter), that of the words is not."""
    model = made(wiring=wiring, dropout=0.0).train()
    source, reads = rows(SOURCE)[0], rows(TARGET.reads)[0]

    def gradients(logits: torch.Tensor) -> tuple[torch.Tensor, ...]:
        wanted = (model.encoder.exit.bias, model.decoder.exit.bias, model.source_embedding.weight)
        return torch.autograd.grad(logits.square().sum(), wanted)

    ours = gradients(model.decode(Sequences.of([reads]), model.encode(Sequences.of([source])))[0])
    plain = gradients(Plain(model).decode(reads, source))
    torch.testing.assert_close(ours[0] * divisor, plain[0])
    torch.testing.assert_close(ours[1], plain[1])
    # What words hear through the encoder is divided, what they hear as values is not: neither ratio holds for the sum.
    assert not torch.allclose(ours[2] * divisor, plain[2])
    assert not torch.allclose(ours[2], plain[2])


def spread(tensor: torch.Tensor) -> float:
    return tensor.std().item()


def test_section_3_5_initial_weights():
    torch.manual_seed(1)
    config = ConvS2SConfig(encoder_layers=1, decoder_layers=1, width=128, embedding_width=96, dropout=0.25)
    model = ConvS2S(config, 500, 600)
    assert spread(model.source_embedding.weight) == pytest.approx(0.1, rel=0.02)
    assert spread(model.target_places.table) == pytest.approx(0.1, rel=0.02)
    gate = model.encoder.layers[0].convolution.product
    assert spread(gate.weight) == pytest.approx(math.sqrt(4 * 0.75 / (3 * 128)), rel=0.02)
    assert spread(model.encoder.entrance.weight) == pytest.approx(math.sqrt(0.75 / 96), rel=0.02)
    assert spread(model.encoder.exit.weight) == pytest.approx(math.sqrt(1 / 128), rel=0.02)
    assert spread(model.output.weight) == pytest.approx(math.sqrt(0.75 / 96), rel=0.02)
    assert all((p == 0).all() for name, p in model.named_parameters() if name.endswith("bias"))


@torch.no_grad()
def test_section_3_4_the_stream_keeps_its_size_through_twenty_layers():
    """What the encoder gives is about as large as what it reads, with the initial weights and the scaled sums."""

    def growth(**changes) -> float:
        torch.manual_seed(2)
        config = ConvS2SConfig(encoder_layers=20, decoder_layers=1, width=64, dropout=0.0, **changes)
        model = ConvS2S(config, 500, 7)
        tokens = torch.randint(4, 500, (7, 29))
        embedded = model.source_embedding(tokens)
        return spread(model.encoder(embedded, torch.ones_like(tokens, dtype=torch.bool))) / spread(embedded)

    assert 1 / 3 < growth() < 3
    assert growth(wiring="unscaled") > 10


@pytest.mark.parametrize(("layers", "size", "seen"), [(6, 5, 25), (5, 5, 21), (4, 3, 9)])
def test_section_3_2_stacked_windows_see_so_many_inputs(layers, size, seen):
    config = ConvS2SConfig(encoder_layers=layers, decoder_layers=1, width=5, kernel_width=size)
    model = ConvS2S(config, 7, 7).double().eval()
    embedded = torch.randn(1, 41, 5, dtype=torch.float64, requires_grad=True)
    middle = model.encoder(embedded, torch.ones(1, 41, dtype=torch.bool))[0, 20]
    (gradient,) = torch.autograd.grad(middle.sum(), embedded)
    assert int((gradient[0].abs().sum(-1) > 0).sum()) == seen


def test_the_models_of_the_paper_have_these_layers():
    german = ConvS2SConfig(
        encoder_layers=15, decoder_layers=15, top_expansions=(1.5, 1.5, 1.5, 4.0, 4.0), top_kernel_widths=(1, 1)
    )
    assert german.shapes(15) == [(512, 3)] * 10 + [(768, 3)] * 3 + [(2048, 1)] * 2
    assert ConvS2SConfig().shapes(20) == [(512, 3)] * 20


def test_a_searcher_computes_normalised_weights_once():
    model = made()
    searcher = Searcher(model)
    assert all(m.frozen_weight is not None for m in searcher.model.modules() if isinstance(m, NormalisedLinear))
    assert all(m.frozen_weight is None for m in model.modules() if isinstance(m, NormalisedLinear))
    config = BeamConfig(size=3, nbest=2, extra_length=4)
    found, expected = searcher(SOURCE, config), beam_search(model, SOURCE, config)
    assert [[one.tokens for one in each] for each in found] == [[one.tokens for one in each] for each in expected]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kernel_width": 4}, "odd"),
        ({"attending_layers": ()}, "At least one must attend"),
        ({"attending_layers": (0,)}, "1 to 20"),
        ({"top_kernel_widths": (3,) * 21}, "no more layers"),
        ({"dropout": 1.0}, "Choose a share"),
        ({"width": 0}, "at least 1"),
    ],
)
def test_sizes_that_cannot_be_are_refused(changes, words):
    with pytest.raises(ConfigError, match=words):
        ConvS2SConfig(**changes)
