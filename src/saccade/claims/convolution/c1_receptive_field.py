"""C1: how far a stack of convolutions sees, and how far one layer of attention."""

import torch
from torch import Generator, Tensor, nn

from saccade.attention.masks import Visibility
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.gradients import influence
from saccade.models.transformer import Encoder, TransformerConfig

DEPTHS = tuple(range(1, 13))
KERNELS = (3, 5)
LENGTH, WIDTH = 61, 8


def measure(generator: Generator, progress: Progress) -> Findings:
    """Counts the inputs whose gradient reaches the middle output, for stacks of 1 to 12 layers."""
    states = torch.randn(1, LENGTH, WIDTH, generator=generator)
    found: Findings = {}
    for kernel in KERNELS:
        layers = [nn.Conv1d(WIDTH, WIDTH, kernel, padding=kernel // 2) for _ in DEPTHS]
        fields: list[float] = []
        for depth in DEPTHS:
            fields.append(_field(_middle(layers[:depth], states)))
            progress(depth / len(DEPTHS))
        found[f"kernel {kernel}"] = fields
    config = TransformerConfig(encoder_layers=1, width=WIDTH, inner_width=16, heads=2, dropout=0.0)
    encoder = Encoder(config)
    found["attention"] = [_field(influence(lambda x: encoder(x, Visibility()), states)[LENGTH // 2])]
    return found


def _middle(layers: list[nn.Conv1d], states: Tensor) -> Tensor:
    """The norm of the gradient of the middle output with respect to each input; no other row is needed here."""
    states = states.clone().requires_grad_()
    x = states.transpose(1, 2)
    for layer in layers:
        x = layer(x).tanh()
    (gradient,) = torch.autograd.grad(x[0, :, LENGTH // 2].sum(), states)
    norms: Tensor = gradient[0].norm(dim=1)
    return norms


def _field(norms: Tensor) -> float:
    return float((norms > 0).sum())


def judge(measured: Measured) -> Judgement:
    """Compares with 1 + L (k - 1), exactly."""
    expected = {kernel: [min(1.0 + depth * (kernel - 1), LENGTH) for depth in DEPTHS] for kernel in KERNELS}
    equal = all(measured.curve(f"kernel {kernel}") == expected[kernel] for kernel in KERNELS)
    everywhere = measured.smallest("attention") == LENGTH
    shown = [
        f"kernel {kernel}: {listed([measured.curve(f'kernel {kernel}')[depth - 1] for depth in (1, 6, 12)], 0)}"
        for kernel in KERNELS
    ]
    because = (
        f"inputs that reach the middle output through 1, 6 and 12 layers: {'; '.join(shown)}. "
        f"One layer of attention: {measured.smallest('attention'):.0f} of {LENGTH}."
    )
    return Judgement(Verdict.HOLDS if equal and everywhere else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Field against depth."""
    axes = figure.subplots()
    for kernel in KERNELS:
        axes.plot(DEPTHS, measured.curve(f"kernel {kernel}"), "o-", label=f"convolution, kernel {kernel}")
    axes.plot([1], measured.curve("attention"), "D", label="attention")
    axes.set(xlabel="layers", ylabel="positions seen", ylim=(0, LENGTH + 5))
    axes.legend(loc="lower right")


CLAIM = Claim(
    id="C1",
    title="The receptive field of convolutions",
    said="Vaswani et al. 2017, section 2",
    claim="The number of operations a convolutional network needs to relate two positions grows with their distance.",
    expected=Verdict.HOLDS,
    rule="The gradient says that an output of L layers with kernels of width k sees exactly 1 + L (k - 1) positions, "
    "and an output of one attention layer all of them.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
