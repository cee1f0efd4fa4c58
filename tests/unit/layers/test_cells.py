"""Each unit against its equation, written out number by number, and against torch's own where torch has it."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.attention.recording import recording
from saccade.layers.cells import (
    DECODER_CELLS,
    ENCODER_CELLS,
    BahdanauGRU,
    Cell,
    ChoGRU,
    LSTMCell,
    ResetAfterGRU,
    TanhCell,
    TorchGRU,
    read_both_ways,
)

INPUT, WIDTH, CONTEXT, BATCH, LENGTH = 5, 7, 3, 2, 11


def noisy(cell: Cell) -> Cell:
    torch.manual_seed(7)
    cell = cell.double()
    with torch.no_grad():
        for parameter in cell.parameters():
            parameter.normal_()
    return cell


def sums(cell: Cell, x: list[float], h: list[float]) -> list[list[tuple[float, float]]]:
    """For each gate and unit: what the input gives with its bias, and what the state gives."""
    w, b, u = (tensor.tolist() for tensor in (cell.inputs.weight, cell.inputs.bias, cell.recurrent))
    rows = [
        (sum(a * c for a, c in zip(w[i], x, strict=True)) + b[i], sum(a * c for a, c in zip(u[i], h, strict=True)))
        for i in range(len(w))
    ]
    return [rows[start : start + cell.width] for start in range(0, len(rows), cell.width)]


def sigma(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def plain_step(cell: Cell, x: list[float], h: list[float], c: list[float]) -> tuple[list[float], list[float]]:
    """One position by the equations of lineage, one number at a time; c is the LSTM's cell."""
    parts = sums(cell, x, h)
    units = range(cell.width)
    if isinstance(cell, TanhCell):
        return [math.tanh(sum(parts[0][i])) for i in units], c
    if isinstance(cell, LSTMCell):
        input_, forget, output = ([sigma(sum(parts[gate][i])) for i in units] for gate in range(3))
        c = [forget[i] * c[i] + input_[i] * math.tanh(sum(parts[3][i])) for i in units]
        return [output[i] * math.tanh(c[i]) for i in units], c
    reset, update = ([sigma(sum(parts[gate][i])) for i in units] for gate in range(2))
    if isinstance(cell, ResetAfterGRU):
        bias = cell.inner_bias.tolist() if isinstance(cell, TorchGRU) else [0.0] * cell.width
        new = [math.tanh(parts[2][i][0] + reset[i] * (parts[2][i][1] + bias[i])) for i in units]
    else:
        closed = sums(cell, x, [reset[i] * h[i] for i in units])
        new = [math.tanh(sum(closed[2][i])) for i in units]
    if isinstance(cell, BahdanauGRU):
        return [(1 - update[i]) * h[i] + update[i] * new[i] for i in units], c
    return [update[i] * h[i] + (1 - update[i]) * new[i] for i in units], c


@pytest.mark.parametrize("kind", [TanhCell, ChoGRU, BahdanauGRU, ResetAfterGRU, TorchGRU, LSTMCell])
@torch.no_grad()
def test_a_sequence_is_read_as_the_equations_say(kind):
    cell = noisy(kind(INPUT, WIDTH))
    inputs = torch.randn(BATCH, LENGTH, INPUT, dtype=torch.float64)
    states = cell.hidden(cell.read(cell.project(inputs), cell.initial_state(inputs)))
    for row in range(BATCH):
        h, c = [0.0] * WIDTH, [0.0] * WIDTH
        for position in range(LENGTH):
            h, c = plain_step(cell, inputs[row, position].tolist(), h, c)
            assert states[row, position].tolist() == pytest.approx(h, abs=1e-12)


@torch.no_grad()
def test_torchs_unit_is_torchs():
    cell = noisy(TorchGRU(INPUT, WIDTH))
    theirs = torch.nn.GRU(INPUT, WIDTH, batch_first=True).double()
    theirs.weight_ih_l0.copy_(cell.inputs.weight)
    theirs.weight_hh_l0.copy_(cell.recurrent)
    theirs.bias_ih_l0.copy_(cell.inputs.bias)
    theirs.bias_hh_l0.zero_()
    theirs.bias_hh_l0[2 * WIDTH :] = cell.inner_bias
    inputs = torch.randn(BATCH, LENGTH, INPUT, dtype=torch.float64)
    torch.testing.assert_close(cell.read(cell.project(inputs), cell.initial_state(inputs)), theirs(inputs)[0])


@torch.no_grad()
def test_the_lstm_is_torchs_with_the_gates_in_another_order():
    cell = noisy(LSTMCell(INPUT, WIDTH))
    theirs = torch.nn.LSTM(INPUT, WIDTH, batch_first=True).double()

    def reordered(rows: torch.Tensor) -> torch.Tensor:
        input_, forget, output, candidate = rows.split(WIDTH)
        return torch.cat([input_, forget, candidate, output])

    theirs.weight_ih_l0.copy_(reordered(cell.inputs.weight))
    theirs.weight_hh_l0.copy_(reordered(cell.recurrent))
    theirs.bias_ih_l0.copy_(reordered(cell.inputs.bias))
    theirs.bias_hh_l0.zero_()
    inputs = torch.randn(BATCH, LENGTH, INPUT, dtype=torch.float64)
    states = cell.read(cell.project(inputs), cell.initial_state(inputs))
    torch.testing.assert_close(cell.hidden(states), theirs(inputs)[0])
    torch.testing.assert_close(states[:, -1, WIDTH:], theirs(inputs)[1][1][0])


def test_chos_and_bahdanaus_units_are_one_with_the_update_gate_turned_round():
    cho, bahdanau = noisy(ChoGRU(INPUT, WIDTH)), noisy(BahdanauGRU(INPUT, WIDTH))
    with torch.no_grad():
        for parameter in (bahdanau.inputs.weight, bahdanau.inputs.bias, bahdanau.recurrent):
            parameter[WIDTH : 2 * WIDTH] *= -1
    inputs = torch.randn(BATCH, LENGTH, INPUT, dtype=torch.float64)
    ours, theirs = (cell.read(cell.project(inputs), cell.initial_state(inputs)) for cell in (cho, bahdanau))
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("name", DECODER_CELLS)
@torch.no_grad()
def test_a_context_is_heard_beside_the_input_and_in_chos_decoder_inside_the_reset_gate(name):
    cell = noisy(DECODER_CELLS[name](INPUT, WIDTH, CONTEXT))
    x, c = (torch.randn(BATCH, size, dtype=torch.float64) for size in (INPUT, CONTEXT))
    before = torch.randn(BATCH, cell.carries * WIDTH, dtype=torch.float64)
    after = cell.step(cell.project(x), before, cell.project_context(c))
    heard = c @ cell.context.weight.T
    if name == "gru-cho":
        given, state = cell.project(x), before @ cell.recurrent.T
        reset, update = (given + state + heard)[:, : 2 * WIDTH].sigmoid().split(WIDTH, dim=1)
        new = torch.tanh(given[:, 2 * WIDTH :] + reset * (state + heard)[:, 2 * WIDTH :])
        expected = update * before + (1 - update) * new
    elif name == "gru-torch":
        beside, inside = heard.clone(), heard[:, 2 * WIDTH :]
        beside[:, 2 * WIDTH :] = 0
        cell.inner_bias.data = cell.inner_bias + inside[0]
        rows = [cell.step((cell.project(x) + beside)[:1], before[:1])]
        cell.inner_bias.data = cell.inner_bias - inside[0] + inside[1]
        expected = torch.cat([*rows, cell.step((cell.project(x) + beside)[1:], before[1:])])
    else:
        expected = cell.step(cell.project(x) + heard, before)
    torch.testing.assert_close(after, expected)


@pytest.mark.parametrize("name", DECODER_CELLS)
@torch.no_grad()
def test_reading_is_one_step_after_another(name):
    cell = noisy(DECODER_CELLS[name](INPUT, WIDTH, CONTEXT))
    projected = cell.project(torch.randn(BATCH, LENGTH, INPUT, dtype=torch.float64))
    context = cell.project_context(torch.randn(BATCH, CONTEXT, dtype=torch.float64))
    state = cell.state_from_hidden(torch.randn(BATCH, WIDTH, dtype=torch.float64))
    at_once = cell.read(projected, state, context)
    for position in range(LENGTH):
        state = cell.step(projected[:, position], state, context)
        torch.testing.assert_close(at_once[:, position], state)


@settings(max_examples=25, deadline=None)
@given(
    cho=st.booleans(),
    batch=st.integers(1, 4),
    length=st.integers(1, 6),
    width=st.integers(1, 6),
    with_context=st.booleans(),
)
def test_the_quick_way_has_the_states_and_gradients_of_the_readable_one(cho, batch, length, width, with_context):
    kind = ChoGRU if cho else BahdanauGRU
    cell = noisy(kind(INPUT, width, CONTEXT))
    inputs = torch.randn(batch, length, INPUT, dtype=torch.float64)
    state = torch.randn(batch, width, dtype=torch.float64, requires_grad=True)
    context = torch.randn(batch, CONTEXT, dtype=torch.float64) if with_context else None
    share = torch.randn(batch, length, width, dtype=torch.float64)

    def outcome() -> list[torch.Tensor]:
        heard = None if context is None else cell.project_context(context)
        states = cell.read(cell.project(inputs), state, heard)
        wanted = [state, *(p for p in cell.parameters() if context is not None or p is not cell.context.weight)]
        return [states, *torch.autograd.grad((states * share).sum(), wanted)]

    quick = outcome()
    with recording(cell):  # while somebody looks, the readable way is taken
        readable = outcome()
    for ours, theirs in zip(quick, readable, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_somebody_who_looks_sees_every_position_in_the_graph_of_the_gradient():
    cell = ChoGRU(INPUT, WIDTH)
    inputs = torch.randn(BATCH, LENGTH, INPUT)
    with recording(cell):
        states = cell.read(cell.project(inputs), cell.initial_state(inputs))
    assert states.grad_fn.name() == "StackBackward0"
    assert len(states.grad_fn.next_functions) == LENGTH


@pytest.mark.parametrize("name", ENCODER_CELLS)
@torch.no_grad()
def test_both_ways_are_a_reading_of_each_row_and_of_the_row_turned_round(name):
    there, back = noisy(ENCODER_CELLS[name](INPUT, WIDTH)), noisy(ENCODER_CELLS[name](INPUT, WIDTH))
    back.recurrent.mul_(-0.5)
    lengths = torch.tensor([11, 1, 4])
    inputs = torch.randn(3, 11, INPUT, dtype=torch.float64)
    left, right = read_both_ways(there, back, inputs, lengths)
    for row, length in enumerate(lengths.tolist()):
        real = inputs[row : row + 1, :length]
        ahead = there.hidden(there.read(there.project(real), there.initial_state(real)))
        turned = back.hidden(back.read(back.project(real.flip(1)), back.initial_state(real))).flip(1)
        torch.testing.assert_close(left[row, :length], ahead[0])
        torch.testing.assert_close(right[row, :length], turned[0])


def test_recurrent_matrices_start_orthogonal_and_the_rest_as_small_noise():
    torch.manual_seed(3)
    cell = ChoGRU(97, 101, 89, deviation=0.02)
    for matrix in cell.recurrent.detach().split(101):
        torch.testing.assert_close(matrix @ matrix.T, torch.eye(101), atol=1e-5, rtol=0)
    for matrix in (cell.inputs.weight, cell.context.weight):
        assert matrix.std().item() == pytest.approx(0.02, rel=0.05)
    assert not cell.inputs.bias.any()


def test_a_recurrence_keeps_its_precision_where_products_are_in_bfloat16():
    torch.manual_seed(3)
    cell = ChoGRU(INPUT, WIDTH)
    inputs = torch.randn(BATCH, LENGTH, INPUT)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        states = cell.read(cell.project(inputs), cell.initial_state(inputs))
        with recording(cell):
            readable = cell.read(cell.project(inputs), cell.initial_state(inputs))
    assert states.dtype == readable.dtype == torch.float32
    torch.testing.assert_close(states, readable)
