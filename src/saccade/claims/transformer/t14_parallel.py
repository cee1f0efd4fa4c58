"""T14: few steps in a row are not little work."""

import torch
from torch import Generator

from saccade.attention.masks import Visibility
from saccade.attention.recording import recording
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.curve_fitting import exponent
from saccade.claims.measuring.operation_counts import longest_chain, products
from saccade.claims.measuring.plots import tick_only
from saccade.models.transformer import Encoder, TransformerConfig

LENGTHS = (32, 64, 128, 256, 512)
LAYERS = (1, 2, 4)
WIDTH = 16


def measure(generator: Generator, progress: Progress) -> Findings:
    """The longest chain of operations and the multiply-adds of an encoder, against length and depth."""
    found: dict[str, list[float]] = {"chain": [], "mixing": [], "whole": [], "chain by layers": []}
    for done, length in enumerate(LENGTHS):
        encoder = _encoder(1)
        states = torch.randn(1, length, WIDTH, generator=generator)
        with recording(encoder):
            counts = products(lambda e=encoder, s=states: e(s, Visibility()))  # type: ignore[misc]
            found["chain"].append(float(longest_chain(encoder(states, Visibility()).sum())))
        found["mixing"].append(float(counts["bmm"]))
        found["whole"].append(float(sum(counts.values())))
        progress((done + 1) / len(LENGTHS))
    states = torch.randn(1, 8, WIDTH, generator=generator)
    for layers in LAYERS:
        found["chain by layers"].append(float(longest_chain(_encoder(layers)(states, Visibility()).sum())))
    return dict(found)


def _encoder(layers: int) -> Encoder:
    return Encoder(TransformerConfig(encoder_layers=layers, width=WIDTH, inner_width=4 * WIDTH, heads=2, dropout=0.0))


def judge(measured: Measured) -> Judgement:
    """Constant chain, quadratic work."""
    chain, mixing = measured.curve("chain"), exponent(LENGTHS, measured.curve("mixing"))
    because = (
        f"for {LENGTHS[0]} and {LENGTHS[-1]} tokens, one layer: chain {chain[0]:.0f} and {chain[-1]:.0f} operations, "
        f"multiply-adds {measured.curve('whole')[0]:,.0f} and {measured.curve('whole')[-1]:,.0f}, those between "
        f"positions with exponent {mixing:.2f}; chains of {', '.join(map(str, LAYERS))} layers: "
        f"{', '.join(f'{value:.0f}' for value in measured.curve('chain by layers'))}."
    )
    constant = min(chain) == max(chain)
    if constant and mixing > 1.9:
        return Judgement(Verdict.CAVEAT, because)
    return Judgement(Verdict.HOLDS if constant else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Both against length."""
    chain, work = figure.subplots(1, 2)
    chain.semilogx(LENGTHS, measured.curve("chain"), "o-")
    chain.set(xlabel="tokens", ylabel="longest chain of operations", ylim=(0, None))
    work.loglog(LENGTHS, measured.curve("whole"), "o-", label="whole layer")
    work.loglog(LENGTHS, measured.curve("mixing"), "o-", label="between positions")
    work.set(xlabel="tokens", ylabel="multiply-adds")
    work.legend()
    for axes in (chain, work):
        tick_only(axes, LENGTHS)


CLAIM = Claim(
    id="T14",
    title="Fully parallel",
    said="introductions to the Transformer, some of which write O(1)",
    claim="A Transformer reads a whole sentence at once, in constant time.",
    expected=Verdict.CAVEAT,
    rule="Holds with a caveat if the longest chain of operations of a layer is the same for every length while its "
    "multiply-adds between positions grow with an exponent above 1.9; holds if they do not; does not hold if the chain "
    "grows.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
