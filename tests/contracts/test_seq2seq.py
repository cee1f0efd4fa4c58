"""Every architecture of the catalogue, in every variant it has, held to the contract of models/contract.py."""

from dataclasses import dataclass
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load, save

from saccade.attention.recording import recording
from saccade.models.catalogue import ARCHITECTURES, build
from saccade.models.contract import Seq2Seq
from saccade.sequences import EOS, PAD, Sequences

VOCABULARY = 31

SMALL: dict[str, dict[str, dict[str, Any]]] = {
    "transformer": {
        "paper": {},
        "pre-norm": {"norm": "pre"},
        "learned positions": {"positions": "learned"},
        "tensor2tensor": {
            "norm": "pre",
            "positions": "tensor2tensor",
            "attention_bias": True,
            "start_of_target": "zero",
            "target_space_rows": 2,
            "initialisation": "tensor2tensor",
        },
        "row B": {"key_width": 5, "value_width": 11},
        "window": {"attention_window": 2},
        "untied": {"tie": "none"},
        "tied target": {"tie": "target"},
        "tied embeddings": {"tie": "embeddings"},
    }
}
SIZES = {
    "transformer": {"encoder_layers": 2, "decoder_layers": 3, "width": 21, "heads": 3, "inner_width": 37},
}


@dataclass(frozen=True)
class Case:
    architecture: str
    variant: str

    def model(self, **changes: Any) -> Seq2Seq[Any, Any]:
        settings_ = {**SIZES[self.architecture], **SMALL[self.architecture][self.variant], **changes}
        torch.manual_seed(5)
        config = ARCHITECTURES[self.architecture].config(**settings_)
        return build(self.architecture, config, VOCABULARY, VOCABULARY).eval()


CASES = [Case(name, variant) for name in ARCHITECTURES for variant in SMALL[name]]


@pytest.fixture(params=CASES, ids=lambda case: f"{case.architecture}: {case.variant}")
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


@pytest.fixture
def model(case: Case) -> Seq2Seq[Any, Any]:
    return case.model()


def sentence(*tokens: int) -> list[int]:
    return [*tokens, EOS]


SOURCE = Sequences.of([sentence(*range(5, 22)), sentence(7, 4, 9), sentence(8)])
TARGET = Sequences.of([sentence(6, 5), sentence(*range(9, 20)), sentence(30, 4, 4, 4)])


def close(first: torch.Tensor, second: torch.Tensor, tolerance: float = 1e-5) -> bool:
    return first.shape == second.shape and torch.allclose(first, second, rtol=0, atol=tolerance)


def test_every_architecture_has_variants_here():
    assert set(SMALL) == set(SIZES) == set(ARCHITECTURES)


@torch.no_grad()
def test_steps_give_what_decoding_at_once_gives(model):
    memory = model.encode(SOURCE)
    at_once = model.decode(TARGET.reads, memory)
    state = model.start(memory)
    for position in range(TARGET.tokens.shape[1]):
        logits, state = model.step(TARGET.reads.tokens[:, position], state)
        assert close(logits, at_once[:, position])


@torch.no_grad()
def test_a_later_target_token_changes_no_earlier_logit(model):
    memory = model.encode(SOURCE)
    before = model.decode(TARGET.reads, memory)
    changed = TARGET.reads.tokens.clone()
    changed[:, 4] = (changed[:, 4] + 1) % VOCABULARY
    after = model.decode(Sequences(changed, TARGET.lengths), memory)
    assert torch.equal(before[:, :4], after[:, :4])
    assert not close(before[:, 4:], after[:, 4:])


@torch.no_grad()
def test_what_stands_on_source_padding_changes_nothing(model):
    garbage = SOURCE.tokens.masked_fill(~SOURCE.mask, 17)
    expected = model.decode(TARGET.reads, model.encode(SOURCE))
    assert torch.equal(expected, model.decode(TARGET.reads, model.encode(Sequences(garbage, SOURCE.lengths))))


@torch.no_grad()
def test_more_padding_changes_nothing(model):
    wider = torch.nn.functional.pad(SOURCE.tokens, (0, 7), value=PAD)
    expected = model.decode(TARGET.reads, model.encode(SOURCE))
    assert close(expected, model.decode(TARGET.reads, model.encode(Sequences(wider, SOURCE.lengths))))


@settings(max_examples=8, deadline=None)
@given(order=st.permutations(range(3)), repeats=st.integers(1, 3))
@torch.no_grad()
def test_batch_mates_and_their_order_change_nothing(order, repeats):
    for case in CASES:
        model = case.model()
        rows = torch.tensor(list(order) * repeats)
        expected = model.decode(TARGET.reads, model.encode(SOURCE))
        together = model.decode(TARGET.select(rows).reads, model.encode(SOURCE.select(rows)))
        for place, row in enumerate(rows.tolist()):
            length = TARGET.lengths[row]
            assert close(together[place, :length], expected[row, :length]), case
            alone = model.encode(Sequences.of([SOURCE.tokens[row, : SOURCE.lengths[row]].tolist()]))
            assert close(
                model.decode(TARGET.reads.select(torch.tensor([row])), alone)[0, :length], expected[row, :length]
            ), case


@torch.no_grad()
def test_select_commutes_with_step(model):
    rows = torch.tensor([2, 0, 0, 1])
    _, state = model.step(TARGET.reads.tokens[:, 0], model.start(model.encode(SOURCE)))
    token = torch.tensor([4, 9, 13])
    logits, after = model.step(token, state)
    selected_logits, selected_after = model.step(token[rows], state.select(rows))
    assert close(selected_logits, logits[rows])
    following, _ = model.step(token[rows], after.select(rows))
    following_selected, _ = model.step(token[rows], selected_after)
    assert close(following, following_selected)


@torch.no_grad()
def test_alignment_rows_sum_to_one_and_vanish_on_padding(model):
    weights = model.align(TARGET, model.encode(SOURCE))
    assert weights.shape == (3, TARGET.tokens.shape[1], SOURCE.tokens.shape[1])
    assert close(weights.sum(-1), torch.ones(weights.shape[:2]))
    assert (weights.masked_select(~SOURCE.mask.unsqueeze(1)) == 0).all()


@torch.no_grad()
def test_recording_changes_no_output_and_sees_every_attention(model):
    expected = model.decode(TARGET.reads, model.encode(SOURCE))
    with recording(model) as record:
        watched = model.decode(TARGET.reads, model.encode(SOURCE))
    assert close(watched, expected)
    for name in model.alignment_blocks:
        assert len(record[name]) == 1
    assert all((weights >= 0).all() for kept in record.values() for weights in kept)


def test_gradients_reach_every_parameter(case):
    model = case.model(dropout=0.0).train()
    model.decode(TARGET.reads, model.encode(SOURCE)).logsumexp(-1).sum().backward()
    unreached = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    # A bias on keys adds the same number to every score of a query: softmax cannot feel it.
    assert [name for name in unreached if not name.endswith("attention.key.bias")] == []


@torch.no_grad()
def test_saving_and_loading_is_the_identity(model):
    data = save({name: tensor.clone() for name, tensor in model.state_dict().items()})
    expected = model.decode(TARGET.reads, model.encode(SOURCE))
    for parameter in model.parameters():
        parameter.zero_()
    model.load_state_dict(load(data))
    assert torch.equal(model.decode(TARGET.reads, model.encode(SOURCE)), expected)
