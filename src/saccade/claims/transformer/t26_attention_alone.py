"""T26: in a Transformer nothing but attention carries anything from one position to another."""

import torch
from torch import Generator, Tensor, nn

from saccade.attention.masks import Visibility
from saccade.attention.multihead import MultiHeadAttention
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.gradients import influence
from saccade.models.transformer import Encoder, Transformer, TransformerConfig

LENGTH, WIDTH = 7, 12
RECURRENT = (nn.RNNBase, nn.RNNCellBase)
CONVOLUTIONAL = (nn.modules.conv._ConvNd, nn.Unfold)


def measure(generator: Generator, progress: Progress) -> Findings:
    """Looks through all modules of the paper's model; then takes attention out of an encoder and asks the gradient."""
    with torch.device("meta"):
        modules = list(Transformer(TransformerConfig(), 101, 101).modules())
    encoder = Encoder(TransformerConfig(encoder_layers=3, width=WIDTH, inner_width=24, heads=3, dropout=0.0))
    states = torch.randn(1, LENGTH, WIDTH, generator=generator)

    def whole(x: Tensor) -> Tensor:
        result: Tensor = encoder(x, Visibility())
        return result

    before = influence(whole, states)
    for module in encoder.modules():
        if isinstance(module, MultiHeadAttention):
            nn.init.zeros_(module.output.weight)
    after = influence(whole, states)
    elsewhere = ~torch.eye(LENGTH, dtype=torch.bool)
    progress(1.0)
    return {
        "recurrent": float(sum(isinstance(module, RECURRENT) for module in modules)),
        "convolutional": float(sum(isinstance(module, CONVOLUTIONAL) for module in modules)),
        "attention": float(sum(isinstance(module, MultiHeadAttention) for module in modules)),
        "smallest with": before[elsewhere].min().item(),
        "largest without": after[elsewhere].max().item(),
        "with": before.tolist(),
        "without": after.tolist(),
    }


def judge(measured: Measured) -> Judgement:
    """No such modules, and no way between positions once attention is gone."""
    others = measured.largest("recurrent") + measured.largest("convolutional")
    with_, without = measured.smallest("smallest with"), measured.largest("largest without")
    because = (
        f"the base model has {measured.largest('attention'):.0f} attentions and {others:.0f} recurrent or "
        f"convolutional modules; between different positions the gradient is at least {with_:.1e} with attention and "
        f"at most {without:.0e} without."
    )
    return Judgement(Verdict.HOLDS if others == 0 and without == 0 < with_ else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Who influences whom, with attention and without."""
    for axes, name in zip(figure.subplots(1, 2), ("with", "without"), strict=True):
        axes.imshow(measured.matrix(name), cmap="viridis", vmin=0, vmax=1)
        axes.set(title=f"{name} attention", xlabel="input position", ylabel="output position")


CLAIM = Claim(
    id="T26",
    title="Attention alone",
    said="Vaswani et al. 2017, abstract and section 2",
    claim="The Transformer relies on attention alone, without recurrence or convolution.",
    expected=Verdict.HOLDS,
    rule="No module of the built model is recurrent or convolutional; with the output of every attention set to zero, "
    "the gradient between different positions of an encoder is exactly zero, and with attention it is nowhere.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
