"""Position by position and number by number: what the loops of several papers' tests have in common."""

from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor, nn

from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS

TARGETS = [[5, 8, EOS], [9, 4, 12, 7, 10, EOS], [6, EOS]]

Line = Sequence[int]
Plain = Callable[[nn.Module, Line, Line], Tensor]
"""The logits of one pair, by the equations; of saccade it uses the numbers alone."""


def logistic(x: Tensor) -> Tensor:
    return 1 / (1 + torch.exp(-x))


def lstm_cell(weights: dict[str, Tensor], layer: int, below: Tensor, hidden: Tensor, cell: Tensor):
    """One LSTM unit without peepholes; torch keeps the rows of its four gates in the order i, f, g, o."""
    total = (
        weights[f"weight_ih_l{layer}"] @ below
        + weights[f"bias_ih_l{layer}"]
        + weights[f"weight_hh_l{layer}"] @ hidden
        + weights[f"bias_hh_l{layer}"]
    )
    size = len(hidden)
    i, f, g, o = (total[part * size : (part + 1) * size] for part in range(4))
    cell = logistic(f) * cell + logistic(i) * torch.tanh(g)
    return logistic(o) * torch.tanh(cell), cell


def up_the_layers(weights: dict[str, Tensor], below: Tensor, states: list[tuple[Tensor, Tensor]]) -> Tensor:
    """One position through every layer; `states` hold what each carries on. Gives the top state."""
    for layer in range(len(states)):
        states[layer] = lstm_cell(weights, layer, below, *states[layer])
        below = states[layer][0]
    return below


def numbers_of(model: nn.Module) -> dict[str, Tensor]:
    return {name: tensor.detach() for name, tensor in model.named_parameters()}


def sides_of(numbers: dict[str, Tensor]) -> list[dict[str, Tensor]]:
    """The LSTMs of the encoder and of the decoder."""
    return [
        {name.split(".")[-1]: tensor for name, tensor in numbers.items() if name.startswith(f"{side}.program")}
        for side in ("encoder", "decoder")
    ]


def nothing(width: int, layers: int) -> list[tuple[Tensor, Tensor]]:
    zero = torch.zeros(width, dtype=torch.float64)
    return [(zero, zero)] * layers


def assert_all_at_once(model: nn.Module, plain: Plain, sources: Sequence[Line], targets: Sequence[Line]) -> None:
    target = Sequences.of(targets)
    logits = model.decode(target.reads, model.encode(Sequences.of(sources)))
    for row, (one, other) in enumerate(zip(sources, targets, strict=True)):
        torch.testing.assert_close(logits[row, : len(other)], plain(model, one, other), rtol=0, atol=1e-12)


def assert_step_by_step(model: nn.Module, plain: Plain, source: Line, target: Line) -> None:
    expected = plain(model, source, target)
    state = model.start(model.encode(Sequences.of([source])))
    for position, token in enumerate([BOS, *target[:-1]]):
        logits, state = model.step(torch.tensor([token]), state)
        torch.testing.assert_close(logits[0], expected[position], rtol=0, atol=1e-12)


def assert_begins_uniformly(model: nn.Module, bound: float) -> None:
    for name, parameter in model.named_parameters():
        if "bias_hh" in name:
            assert not parameter.any(), "torch's second bias must leave the first alone"
            continue
        assert parameter.abs().max() <= bound, name
        assert parameter.std().item() == pytest.approx(bound / 3**0.5, rel=0.15), name
