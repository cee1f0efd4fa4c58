"""T17: at which length a Transformer no longer fits on a card, and from which attention is most of the work."""

from math import sqrt

import torch
from torch import Generator, Tensor

from saccade.attention.masks import Visibility
from saccade.attention.recording import recording
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.kept_memory import kept_bytes
from saccade.claims.measuring.operation_counts import products
from saccade.models.transformer import Encoder, TransformerConfig

LENGTHS = (128, 256, 512)
WIDTH, HEADS, LAYERS = 512, 8, 6
"""Of the paper's base model, of whose encoder one layer is measured."""
CARD = 16e9
"""Bytes of the cards that the paper's models were trained on."""
FEW, MANY = 1_000, 10_000
"""What "a few thousand" may mean."""
FORMS = ("written out", "fused")


def measure(generator: Generator, progress: Progress) -> Findings:
    """Bytes kept for the way back, and the work between positions relative to that at positions."""
    config = TransformerConfig(encoder_layers=1, width=WIDTH, inner_width=4 * WIDTH, heads=HEADS, dropout=0.0)
    encoder = Encoder(config)
    kept: dict[str, list[float]] = {form: [] for form in FORMS}
    shares = []
    for done, length in enumerate(LENGTHS):
        states = torch.randn(1, length, WIDTH, generator=generator)

        def written_out(states: Tensor = states) -> Tensor:
            with recording(encoder):
                result: Tensor = encoder(states, Visibility())
            return result

        def fused(states: Tensor = states) -> Tensor:
            result: Tensor = encoder(states, Visibility())
            return result

        for form, compute in zip(FORMS, (written_out, fused), strict=True):
            kept[form].append(float(kept_bytes(compute)))
        counts = products(written_out)
        shares.append(counts["bmm"] / (sum(counts.values()) - counts["bmm"]))
        progress((done + 1) / len(LENGTHS))
    found: Findings = {f"{form}, bytes": values for form, values in kept.items()}
    found |= {f"{form}, longest": longest(values) for form, values in kept.items()}
    # Work between positions is quadratic and that at positions linear, so that their ratio is a line through zero.
    found["as much work"] = LENGTHS[-1] / shares[-1]
    return found


def longest(kept: list[float]) -> float:
    """The length at which all layers fill the card, by the parabola through three lengths."""
    one, two, three = LENGTHS
    first, second = (kept[1] - kept[0]) / (two - one), (kept[2] - kept[1]) / (three - two)
    square = (second - first) / (three - one)
    slope = first - square * (one + two)
    constant = kept[0] - slope * one - square * one * one
    room = CARD / LAYERS - constant
    if square < 1e-6 * slope:
        return room / slope
    return (sqrt(slope * slope + 4 * square * room) - slope) / (2 * square)


def judge(measured: Measured) -> Judgement:
    """Does it stop at a few thousand?"""
    reach = {form: measured.mean(f"{form}, longest") for form in FORMS}
    because = (
        f"trained on one sentence at a time, the {LAYERS} layers of the paper's base encoder fill {CARD / 1e9:.0f} GB "
        f"at {reach['written out']:,.0f} tokens with the weights of attention written out and at {reach['fused']:,.0f} "
        f"tokens with fused attention. From {measured.mean('as much work'):,.0f} tokens on attention is more work than "
        "everything else in its layer, and twice the length is four times the work."
    )
    within = [FEW <= reach[form] <= MANY for form in FORMS]
    verdict = Verdict.HOLDS if all(within) else Verdict.CAVEAT if any(within) else Verdict.FAILS
    return Judgement(verdict, because)


def plot(figure: Figure, measured: Measured) -> None:
    """What each form keeps, and where it ends."""
    axes = figure.subplots()
    for form in FORMS:
        lengths = (*LENGTHS, measured.mean(f"{form}, longest"))
        kept = [LAYERS * value / 1e9 for value in measured.curve(f"{form}, bytes")]
        axes.loglog(lengths, (*kept, CARD / 1e9), "o-", label=form)
    axes.axhline(CARD / 1e9, linestyle=":", color="gray", label="a card")
    axes.set(xlabel="tokens", ylabel="GB kept for the way back")
    axes.legend()


CLAIM = Claim(
    id="T17",
    title="Where the square begins to hurt",
    said="Vaswani et al. 2017, section 4; introductions to long contexts",
    claim="The quadratic cost of attention limits the context of a Transformer to a few thousand tokens.",
    expected=Verdict.CAVEAT,
    rule="What the six layers of the paper's base encoder keep for the way back, extended from 128, 256 and 512 "
    "tokens by the parabola through them, fills a card of 16 GB between 1,000 and 10,000 tokens, both with "
    "the weights of attention written out and with fused attention; a caveat if that is so in one of the two "
    "forms only; does not hold if in neither. The length from which attention is most of the work is "
    "reported.",
    changed="Rule and experiment. It held because attention overtakes the rest of its layer at six widths, counted "
    "in multiply-adds (6.0 d for d = 8, 16 and 32). That more work is needed does not show that a context "
    "is limited; memory, which limits it, was not looked at.",
    cost="seconds",
    seeds=1,
    measure=measure,
    judge=judge,
    plot=plot,
)
