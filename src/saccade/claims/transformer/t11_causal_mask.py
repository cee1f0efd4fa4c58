"""T11: the mask of the decoder lets a position see only what was written before it."""

import torch
from torch import Generator

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.models.transformer import Transformer, TransformerConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS

LENGTH, VOCABULARY = 13, 29


def measure(generator: Generator, progress: Progress) -> Findings:
    """Changes one token of the target after another and looks which positions' scores move."""
    config = TransformerConfig(encoder_layers=1, decoder_layers=3, width=24, inner_width=48, heads=3)
    model = Transformer(config, VOCABULARY, VOCABULARY).eval()
    tokens = torch.randint(4, VOCABULARY, (LENGTH,), generator=generator)
    tokens[0] = BOS
    with torch.no_grad():
        memory = model.encode(Sequences.of([[5, 9, 4, EOS]] * (LENGTH + 1)))
        # Row 0 stays as it is; in row p + 1 the token at position p is another one.
        reads = tokens.repeat(LENGTH + 1, 1)
        places = torch.arange(LENGTH)
        reads[places + 1, places] = (reads[places + 1, places] - 4 + 1) % (VOCABULARY - 4) + 4
        scores = model.decode(Sequences(reads, torch.full((LENGTH + 1,), LENGTH)), memory)
    moved = (scores[1:] - scores[0]).abs().amax(dim=-1)
    progress(1.0)
    return {
        "past moved": moved.tril(diagonal=-1).max().item(),
        "present and future moved least": (moved + torch.ones_like(moved).tril(diagonal=-1) * 1e9).min().item(),
        "moved": moved.tolist(),
    }


def judge(measured: Measured) -> Judgement:
    """Nothing before the change, something from it on."""
    past, later = measured.largest("past moved"), measured.smallest("present and future moved least")
    because = (
        f"changing a token moves scores before it by at most {past:.0e}, and every score from it on by at least "
        f"{later:.0e}."
    )
    return Judgement(Verdict.HOLDS if past <= 1e-6 < later else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Which scores move when a token changes."""
    axes = figure.subplots()
    image = axes.imshow(measured.matrix("moved"), cmap="viridis")
    axes.set(xticks=range(0, LENGTH, 3), yticks=range(0, LENGTH, 3))
    axes.set(xlabel="position whose scores are looked at", ylabel="position whose token changes")
    figure.colorbar(image, ax=axes, label="largest change")


CLAIM = Claim(
    id="T11",
    title="The causal mask",
    said="Vaswani et al. 2017, section 3.2.3",
    claim="The decoder's mask keeps every position from seeing what comes after it.",
    expected=Verdict.HOLDS,
    rule="Changing a token of the target changes no score before its position by more than 1e-6, and every score from "
    "it on by more.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
