"""torch's recurrent stacks behind states whose first axis is the batch."""

import math

import pytest
import torch

from saccade.layers.rnn import Carry, RNNStack

INPUT, WIDTH, LAYERS = 3, 5, 2
LENGTHS = torch.tensor([7, 1, 4])


def made(kind, **changes) -> RNNStack:
    torch.manual_seed(7)
    return RNNStack(kind, INPUT, WIDTH, LAYERS, **changes).double().eval()


@pytest.fixture
def inputs() -> torch.Tensor:
    torch.manual_seed(11)
    return torch.randn(3, 7, INPUT, dtype=torch.float64)


def carried(carry: Carry) -> list[torch.Tensor]:
    return [tensor for tensor in (carry.hidden, carry.cell) if tensor is not None]


@pytest.mark.parametrize("kind", ["tanh", "lstm", "gru"])
@torch.no_grad()
def test_padded_rows_are_read_as_each_would_be_alone(kind, inputs):
    stack = made(kind)
    states, carry = stack.read(inputs, LENGTHS)
    assert carry.hidden.shape == (3, LAYERS, WIDTH)
    assert (carry.cell is not None) == (kind == "lstm")
    for row, length in enumerate(LENGTHS.tolist()):
        alone = inputs[row : row + 1, :length]
        expected, after = stack(alone, stack.initial_state(alone))
        torch.testing.assert_close(states[row, :length], expected[0])
        assert not states[row, length:].any()
        for ours, theirs in zip(carried(carry), carried(after), strict=True):
            torch.testing.assert_close(ours[row], theirs[0])


@pytest.mark.parametrize("kind", ["tanh", "lstm", "gru"])
@torch.no_grad()
def test_positions_one_by_one_are_all_positions_at_once(kind, inputs):
    stack = made(kind)
    at_once, end = stack(inputs, stack.initial_state(inputs))
    carry = stack.initial_state(inputs)
    for position in range(inputs.shape[1]):
        states, carry = stack(inputs[:, position : position + 1], carry)
        torch.testing.assert_close(states[:, 0], at_once[:, position])
    for ours, theirs in zip(carried(carry), carried(end), strict=True):
        torch.testing.assert_close(ours, theirs)


@torch.no_grad()
def test_selecting_rows_of_what_is_carried_commutes_with_reading(inputs):
    stack = made("lstm")
    rows = torch.tensor([2, 0, 0])
    _, carry = stack(inputs[:, :3], stack.initial_state(inputs))
    states, _ = stack(inputs[:, 3:], carry)
    selected, _ = stack(inputs[rows, 3:], carry.select(rows))
    torch.testing.assert_close(selected, states[rows])


@torch.no_grad()
def test_both_directions_stand_side_by_side_and_both_end_where_they_should(inputs):
    stack = RNNStack("lstm", INPUT, WIDTH, both_directions=True).double().eval()
    states, carry = stack.read(inputs, LENGTHS)
    assert states.shape == (3, 7, 2 * WIDTH)
    for row, length in enumerate(LENGTHS.tolist()):
        torch.testing.assert_close(carry.hidden[row, 0], states[row, length - 1, :WIDTH])
        torch.testing.assert_close(carry.hidden[row, 1], states[row, 0, WIDTH:])


@torch.no_grad()
def test_the_equations_of_one_tanh_layer():
    stack = RNNStack("tanh", 2, 1).double()
    program = stack.program
    inputs = torch.tensor([[[0.3, -0.7], [1.1, 0.2]]], dtype=torch.float64)
    states, _ = stack(inputs, stack.initial_state(inputs))
    w, u = program.weight_ih_l0[0].tolist(), program.weight_hh_l0.item()
    b = program.bias_ih_l0.item() + program.bias_hh_l0.item()
    h = 0.0
    for position in range(2):
        x = inputs[0, position].tolist()
        h = math.tanh(w[0] * x[0] + w[1] * x[1] + u * h + b)
        assert states[0, position].item() == pytest.approx(h)


def test_dropout_is_between_layers_and_a_single_layer_has_none():
    inputs = torch.randn(2, 4, INPUT)
    single, double = (RNNStack("lstm", INPUT, WIDTH, layers, dropout=0.5).train() for layers in (1, 2))
    for stack, random in ((single, False), (double, True)):
        first, second = (stack(inputs, stack.initial_state(inputs))[0] for _ in range(2))
        assert torch.equal(first, second) != random


@pytest.mark.parametrize("kind", ["tanh", "lstm", "gru"])
@torch.no_grad()
def test_autocast_leaves_the_recurrence_its_precision(kind, inputs):
    stack, inputs = made(kind).float(), inputs.float()
    read, carry = stack.read(inputs, LENGTHS)
    on, _ = stack(inputs, carry)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(stack.read(inputs, LENGTHS)[0], read)
        assert torch.equal(stack(inputs, carry)[0], on)


@pytest.mark.parametrize("learning", [True, False])
@torch.no_grad()
def test_digits_are_dropped_only_while_a_model_learns(learning, inputs, monkeypatch):
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)
    stack, seen = made("lstm").train(learning), []
    stack.program.register_forward_hook(lambda *_: seen.append(torch.backends.cudnn.allow_tf32))
    _, carry = stack.read(inputs, LENGTHS)
    stack(inputs, carry)
    assert seen == [learning, learning]
    assert torch.backends.cudnn.allow_tf32


@pytest.mark.parametrize("kind", ["tanh", "lstm", "gru"])
@torch.no_grad()
def test_on_a_gpu_a_row_does_not_depend_on_how_many_there_are(kind, gpu):
    torch.manual_seed(13)
    stack, many = RNNStack(kind, 97, 211, LAYERS).eval().to(gpu), torch.randn(67, 11, 97, device=gpu)
    together, _ = stack(many, stack.initial_state(many))
    for row in (0, 31, 66):
        alone, _ = stack(many[row : row + 1], stack.initial_state(many[:1]))
        assert (together[row] - alone[0]).abs().max() < 2e-6


@pytest.mark.parametrize("kind", ["tanh", "lstm", "gru"])
@torch.no_grad()
def test_autocast_leaves_the_recurrence_its_precision_on_a_gpu(kind, inputs, gpu):
    stack, inputs = made(kind).float().to(gpu), inputs.float().to(gpu)
    read, carry = stack.read(inputs, LENGTHS)
    on, _ = stack(inputs, carry)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        assert torch.equal(stack.read(inputs, LENGTHS)[0], read)
        assert torch.equal(stack(inputs, carry)[0], on)
