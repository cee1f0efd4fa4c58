"""The LSTMN against its equations, written out position by position with lists for tapes."""

import pytest
import torch

from saccade.attention.recording import recording
from saccade.errors import ConfigError
from saccade.models.lstmn import LSTMN, LSTMNConfig
from saccade.models.lstmn_language_model import LSTMNLanguageModel, LSTMNLanguageModelConfig
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

SOURCE = Sequences.of([[5, 9, 7, 4, 6, EOS], [8, 4, EOS]])
TARGET = Sequences.of([[4, 7, EOS], [9, 5, 6, 8, EOS]])
WIDTH, EMBEDDING = 5, 3


class Plain:
    """One sentence at a time; a tape is a list of pairs (h, c)."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.weights = {name: parameter.detach() for name, parameter in model.named_parameters()}

    def __getitem__(self, name: str) -> torch.Tensor:
        return self.weights[name]

    def read(self, reader: str, asked: torch.Tensor, before: torch.Tensor, tape: list) -> tuple:
        scores = []
        for hidden, _ in tape:
            inner = self[f"{reader}.key.weight"] @ hidden + asked + self[f"{reader}.before.weight"] @ before
            scores.append(self[f"{reader}.vector"].dot(torch.tanh(inner)))
        weights = torch.stack(scores).softmax(0)
        return tuple(sum(weight * slot[side] for weight, slot in zip(weights, tape, strict=True)) for side in (0, 1))

    def layer(self, name: str, inputs: list, source: list | None = None, shallow: bool = False) -> list:
        """The tape after all inputs, without the slot of zeros it began with."""
        zero = torch.zeros(WIDTH, dtype=torch.float64)
        tape, read, source_read = [(zero, zero)], zero, zero
        for x in inputs:
            asked = self[f"{name}.asked.weight"] @ x
            driven = self[f"{name}.driven.weight"] @ x + self[f"{name}.driven.bias"]
            if shallow:
                context = self.bahdanau(f"{name}.attention.score", tape[-1][0], [hidden for hidden, _ in source])
                asked = asked + self[f"{name}.context_asked.weight"] @ context
                driven = driven + self[f"{name}.context_driven.weight"] @ context
            read, memory_read = self.read(f"{name}.reader", asked, read, tape)
            i, f, o, candidate = (driven + self[f"{name}.recurrent.weight"] @ read).split(WIDTH)
            memory = torch.sigmoid(f) * memory_read + torch.sigmoid(i) * torch.tanh(candidate)
            if source is not None and not shallow:
                asked = self[f"{name}.source_asked.weight"] @ x
                source_read, found = self.read(f"{name}.source_reader", asked, source_read, source)
                gate = self[f"{name}.source_gate.weight"] @ source_read + self[f"{name}.source_driven.weight"] @ x
                memory = memory + torch.sigmoid(gate + self[f"{name}.source_driven.bias"]) * found
            tape.append((torch.sigmoid(o) * torch.tanh(memory), memory))
        return tape[1:]

    def bahdanau(self, name: str, query: torch.Tensor, keys: list) -> torch.Tensor:
        inner = [torch.tanh(self[f"{name}.query.weight"] @ query + self[f"{name}.key.weight"] @ key) for key in keys]
        weights = torch.stack([self[f"{name}.vector"].dot(each) for each in inner]).softmax(0)
        return sum(weight * key for weight, key in zip(weights, keys, strict=True))

    def logits(self, tape: list) -> torch.Tensor:
        return torch.stack([self["output.weight"] @ hidden + self["output.bias"] for hidden, _ in tape])


def hidden_of(tape: list) -> list:
    return [hidden for hidden, _ in tape]


def rows(sequences: Sequences) -> list[list[int]]:
    return [row[:length].tolist() for row, length in zip(sequences.tokens, sequences.lengths, strict=True)]


def translator(**changes) -> LSTMN:
    torch.manual_seed(3)
    sizes = {"width": WIDTH, "embedding_width": EMBEDDING, "initial_range": 0.9, **changes}
    return LSTMN(LSTMNConfig(**sizes), 13, 17).double().eval()


def language_model(**changes) -> LSTMNLanguageModel:
    torch.manual_seed(3)
    sizes = {"width": WIDTH, "embedding_width": EMBEDDING, "initial_range": 0.9, **changes}
    return LSTMNLanguageModel(LSTMNLanguageModelConfig(**sizes), 13, 17).double().eval()


def expected_translation(model: LSTMN, source: list[int], reads: list[int]) -> torch.Tensor:
    plain, shallow, layers = Plain(model), model.config.fusion == "shallow", model.config.layers
    inputs, tapes = [plain["source_embedding.weight"][token] for token in source], []
    for place in range(layers):
        tapes.append(plain.layer(f"encoder.layers.{place}", inputs))
        inputs = hidden_of(tapes[-1])
    inputs = [plain["target_embedding.weight"][token] for token in reads]
    for place in range(layers):
        if shallow:
            tape = plain.layer(f"decoder.layers.{place}", inputs, None if place else tapes[-1], shallow=not place)
        else:
            tape = plain.layer(f"decoder.layers.{place}", inputs, tapes[place])
        inputs = hidden_of(tape)
    return plain.logits(tape)


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("fusion", ["shallow", "deep"])
@torch.no_grad()
def test_equations_of_section_4(fusion, layers):
    model = translator(fusion=fusion, layers=layers)
    logits = model.decode(TARGET.reads, model.encode(SOURCE))
    for row, (source, reads) in enumerate(zip(rows(SOURCE), rows(TARGET.reads), strict=True)):
        expected = expected_translation(model, source, reads)
        torch.testing.assert_close(logits[row, : len(reads)], expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("fusion", ["shallow", "deep"])
@torch.no_grad()
def test_steps_follow_the_equations_of_section_4(fusion):
    model = translator(fusion=fusion, layers=2)
    source, reads = rows(SOURCE)[0], [3, 4, 9, 16, 2]
    expected = expected_translation(model, source, reads)
    state = model.start(model.encode(Sequences.of([source])))
    for place, token in enumerate(reads):
        logits, state = model.step(torch.tensor([token]), state)
        torch.testing.assert_close(logits[0], expected[place], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("layers", "skip"), [(1, False), (3, False), (3, True)])
@torch.no_grad()
def test_equations_of_section_3(layers, skip):
    model = language_model(layers=layers, skip_connections=skip)
    plain, reads = Plain(model), [3, 4, 9, 16, 2, 5, 5]
    words = [plain["embedding.weight"][token] for token in reads]
    inputs = words
    for place in range(layers):
        tape = plain.layer(f"layers.{place}", inputs)
        inputs = hidden_of(tape)
        if skip:
            inputs = [torch.cat(both) for both in zip(inputs, words, strict=True)]
    expected = plain.logits(tape)
    nothing = model.encode(Sequences.of([[EOS]]))
    logits = model.decode(Sequences.of([reads]), nothing)[0]
    torch.testing.assert_close(logits, expected, rtol=1e-10, atol=1e-10)
    state = model.start(nothing)
    for place, token in enumerate(reads):
        logits, state = model.step(torch.tensor([token]), state)
        torch.testing.assert_close(logits[0], expected[place], rtol=1e-10, atol=1e-10)


@torch.no_grad()
def test_a_position_looks_at_every_slot_before_it_and_at_the_slot_of_zeros():
    model = language_model()
    with recording(model) as record:
        model.decode(Sequences.of([[3, 4, 5, 6]]), model.encode(Sequences.of([[EOS]])))
    looked = record["layers.0.reader"]
    assert [tuple(weights.shape) for weights in looked] == [(1, 1, 1, slots) for slots in (1, 2, 3, 4)]
    for weights in looked:
        assert weights.sum().item() == pytest.approx(1)


def test_all_weights_begin_within_the_range_of_the_authors_code():
    model = LSTMNLanguageModel(LSTMNLanguageModelConfig(width=67, embedding_width=31, initial_range=0.05), 13, 101)
    for parameter in model.parameters():
        assert parameter.abs().max() <= 0.05
    weights = torch.cat([parameter.flatten() for parameter in model.parameters()])
    assert weights.std().item() == pytest.approx(0.05 / 3**0.5, rel=0.02)


@pytest.mark.parametrize("config", [LSTMNConfig, LSTMNLanguageModelConfig])
def test_weights_of_another_width_begin_so_that_sums_vary_as_much(config):
    assert config().largest_weight == pytest.approx(0.05)
    assert config(width=75).largest_weight == pytest.approx(0.1)


def test_a_narrow_reader_begins_within_its_own_range():
    model = LSTMN(LSTMNConfig(width=75), 13, 101)
    assert 0.099 < max(parameter.abs().max().item() for parameter in model.parameters()) <= 0.1


def test_the_language_model_has_the_size_of_the_paper():
    config = LSTMNLanguageModelConfig()
    assert (config.embedding_width, config.width) == (150, 300)


def test_an_attention_that_deep_fusion_has_no_place_for_is_refused():
    with pytest.raises(ConfigError, match="`fusion` 'shallow'"):
        LSTMNConfig(score="general")
    with pytest.raises(ConfigError, match="would never learn"):
        LSTMNConfig(fusion="shallow", alignment="diagonal")
