"""T18: attention within a window costs less and reaches less far."""

import torch
from torch import Generator

from saccade.attention.attend import explicit, fused
from saccade.attention.masks import Visibility
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.curve_fitting import exponent
from saccade.claims.measuring.operation_counts import multiply_adds
from saccade.claims.measuring.plots import tick_only
from saccade.models.transformer import Encoder, TransformerConfig

LENGTHS = (64, 128, 256, 512)
WINDOW, WIDTH, FAR = 3, 16, 12
LAYERS = (1, 2, 3, 4, 5, 6)


def measure(generator: Generator, progress: Progress) -> Findings:
    """The block form against the masked form, its cost against the length, and how far several layers see."""
    differences, counts = [], []
    visibility = Visibility(window=WINDOW)
    for done, length in enumerate(LENGTHS):
        query, keys, values = (torch.randn(2, 3, length, WIDTH, generator=generator) for _ in range(3))
        masked = explicit(query, keys, values, visibility).context
        differences.append((fused(query, keys, values, visibility) - masked).abs().max().item())
        counts.append(float(multiply_adds(lambda q=query, k=keys, v=values: fused(q, k, v, visibility))))  # type: ignore[misc]
        progress((done + 1) / len(LENGTHS))
    reached = []
    for layers in LAYERS:
        encoder = Encoder(TransformerConfig(encoder_layers=layers, width=WIDTH, inner_width=32, heads=2, dropout=0.0))
        states = torch.randn(1, 2 * FAR + 1, WIDTH, generator=generator).requires_grad_()
        # Along a random direction: the plain sum of a normalised state is the same for every input.
        seen = encoder(states, visibility)[0, FAR] @ torch.randn(WIDTH, generator=generator)
        (gradient,) = torch.autograd.grad(seen, states)
        reached.append(float(gradient[0, : FAR + 1].norm(dim=1).count_nonzero() - 1))
    return {"difference": differences, "multiply-adds": counts, "reached": reached}


def judge(measured: Measured) -> Judgement:
    """Equal, linear, and no further than layers times window."""
    difference, growth = measured.largest("difference"), exponent(LENGTHS, measured.curve("multiply-adds"))
    reached = measured.curve("reached")
    because = (
        f"block form and masked form differ by at most {difference:.0e}; multiply-adds grow with exponent "
        f"{growth:.2f}; with a window of {WINDOW}, {', '.join(map(str, LAYERS))} layers see {listed(reached, 0)} "
        "positions back."
    )
    exact = reached == [float(min(layers * WINDOW, FAR)) for layers in LAYERS]
    return Judgement(Verdict.HOLDS if difference < 1e-5 and growth < 1.1 and exact else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Cost and reach."""
    cost, reach = figure.subplots(1, 2)
    cost.loglog(LENGTHS, measured.curve("multiply-adds"), "o-")
    cost.set(xlabel="tokens", ylabel="multiply-adds of the block form")
    tick_only(cost, LENGTHS)
    reach.plot(LAYERS, measured.curve("reached"), "o-")
    reach.axhline(FAR, linestyle=":", color="gray")
    reach.set(xlabel="layers", ylabel="positions seen to one side", ylim=(0, FAR + 1))


CLAIM = Claim(
    id="T18",
    title="Restricted attention",
    said="Vaswani et al. 2017, section 4 and Table 1",
    claim="Attention restricted to a window trades longer paths for a lower cost.",
    expected=Verdict.HOLDS,
    rule="The form that computes only blocks around the diagonal equals the masked one to 1e-5; its multiply-adds "
    "grow with an exponent below 1.1; by the gradient, L layers with a window of w see exactly L w positions "
    "to a side.",
    changed="The experiment: it had asked for the gradient of the sum of a normalised state, which is zero; now it "
    "is that of a random direction.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
