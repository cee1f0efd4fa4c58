"""T22: whether all positions are equally near to each other."""

import torch
from torch import Generator, Tensor

from saccade.attention.masks import Visibility
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.gradients import influence
from saccade.layers.position import sinusoids
from saccade.models.transformer import Encoder, TransformerConfig

LENGTH, WIDTH, SENTENCES = 16, 32, 24
KINDS = ("without positions", "with positions")


def measure(generator: Generator, progress: Progress) -> Findings:
    """The norm of d out_i / d in_j by distance, averaged over sentences, in a network as it starts.

    Queries and keys are the same projection here, so that what resembles each other also attends to each other: at
    random they would not know a neighbour's position from any other.
    """
    encoder = Encoder(TransformerConfig(encoder_layers=1, width=WIDTH, inner_width=64, heads=1, dropout=0.0))
    with torch.no_grad():
        encoder.get_parameter("layers.0.self_attention.key.weight").copy_(
            encoder.get_parameter("layers.0.self_attention.query.weight")
        )
    place = torch.arange(LENGTH)
    distance = (place.unsqueeze(1) - place).abs()
    found: Findings = {}
    for done, kind in enumerate(KINDS):
        total = torch.zeros(LENGTH, LENGTH)
        for _ in range(SENTENCES):
            words = torch.randn(1, LENGTH, WIDTH, generator=generator)
            total += influence(lambda x: _read(encoder, x), words + sinusoids(LENGTH, WIDTH) * done)
        found[kind] = [(total[distance == away].mean() / SENTENCES).item() for away in range(1, LENGTH)]
        progress((done + 1) / 2)
    return found


def _read(encoder: Encoder, states: Tensor) -> Tensor:
    result: Tensor = encoder(states, Visibility())
    return result


def judge(measured: Measured) -> Judgement:
    """Flat without positions; is it with them?"""
    curves = {kind: measured.curve(kind) for kind in KINDS}
    # Near the far end there are few pairs; half the length has enough of them.
    spread = {kind: max(curve[: LENGTH // 2]) / min(curve[: LENGTH // 2]) for kind, curve in curves.items()}
    because = (
        f"largest over smallest influence at distances 1 to {LENGTH // 2}: {spread[KINDS[0]]:.2f} without positions, "
        f"{spread[KINDS[1]]:.2f} with sinusoids added."
    )
    if spread[KINDS[0]] > 1.2:
        return Judgement(Verdict.FAILS, because)
    return Judgement(Verdict.CAVEAT if spread[KINDS[1]] > 1.2 else Verdict.HOLDS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Influence against distance."""
    axes = figure.subplots()
    for kind in KINDS:
        axes.plot(range(1, LENGTH), measured.curve(kind), "o-", label=kind)
    axes.set(xlabel="distance", ylabel="influence of one position on another", ylim=(0, None))
    axes.legend()


CLAIM = Claim(
    id="T22",
    title="Equally near to every word",
    said="a long introduction to attention",
    claim="In self-attention any two words are equally far apart; what is near depends on what is relevant alone.",
    expected=Verdict.CAVEAT,
    rule="At the start, the influence of one position on another varies by less than a factor of 1.2 over distances of "
    "1 to 8 without positions (else the claim does not hold); a caveat if it varies by more once sinusoids are added.",
    cost="seconds",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
