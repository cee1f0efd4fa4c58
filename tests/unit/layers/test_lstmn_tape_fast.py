"""The program with its own gradient against the readable loop and automatic differentiation."""

import pytest
import torch
from torch import nn

from saccade.attention.recording import recording
from saccade.layers.lstmn_tape import DeepFusion, SourceTape, Tape, TapeLayer

BATCH, LENGTH, INPUTS, WIDTH, SOURCE = 2, 5, 3, 4, 7


class Reader(nn.Module):
    """A layer as a module whose name nobody asks: recording it makes it take the readable path."""

    def __init__(self, layer: TapeLayer) -> None:
        super().__init__()
        self.layer = layer


def everything(layer: TapeLayer, watched: bool, deep: bool) -> list[torch.Tensor]:
    """The outputs of a layer, and the gradients of a function of all of them."""
    generator = torch.Generator().manual_seed(5)

    def drawn(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64).requires_grad_()

    inputs, hidden, memory = drawn(BATCH, LENGTH, INPUTS), drawn(BATCH, SOURCE, WIDTH), drawn(BATCH, SOURCE, WIDTH)
    real = torch.arange(SOURCE) < torch.tensor([[SOURCE], [4]])
    blank = Tape.blank(layer.recurrent.weight, BATCH)

    def run() -> tuple[torch.Tensor, Tape]:
        if deep:
            return layer.fused(inputs, blank, layer.prepare_source(hidden, memory, real))
        return layer(inputs, blank)

    if watched:
        with recording(Reader(layer)) as record:
            states, tape = run()
        assert len(record["layer.reader"]) == LENGTH
    else:
        states, tape = run()
    outputs = [states, tape.slots, tape.read, tape.source_read]
    wanted = [inputs, *([hidden, memory] if deep else []), *layer.parameters()]
    if not deep:
        wanted = [tensor for tensor in wanted if tensor is not None]
    total = sum((output * torch.linspace(-1, 1, output.numel()).view(output.shape)).sum() for output in outputs)
    return [*outputs, *torch.autograd.grad(total, wanted)]


@pytest.mark.parametrize("deep", [False, True], ids=["own tape", "deep fusion"])
def test_outputs_and_all_gradients_are_those_of_the_readable_loop(deep):
    torch.manual_seed(3)
    layer = (DeepFusion if deep else TapeLayer)(INPUTS, WIDTH).double()
    for ours, theirs in zip(everything(layer, False, deep), everything(layer, True, deep), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)


def test_a_source_that_ends_sooner_gives_no_gradient_to_its_padding():
    torch.manual_seed(3)
    layer = DeepFusion(INPUTS, WIDTH).double()
    slots = torch.randn(BATCH, SOURCE, 3 * WIDTH, dtype=torch.float64, requires_grad=True)
    real = torch.arange(SOURCE) < torch.tensor([[SOURCE], [4]])
    inputs = torch.randn(BATCH, LENGTH, INPUTS, dtype=torch.float64)
    states, _ = layer.fused(inputs, Tape.blank(layer.recurrent.weight, BATCH), SourceTape(slots, real))
    (gradient,) = torch.autograd.grad(states.sum(), slots)
    assert (gradient[~real] == 0).all()
    assert (gradient[real].abs().sum(-1) > 0).all()
