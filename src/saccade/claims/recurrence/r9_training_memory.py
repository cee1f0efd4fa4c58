"""R9: what a network must remember of a sentence to be trained on it."""

import torch
from torch import Generator, Tensor, nn

from saccade.attention.masks import Visibility
from saccade.attention.recording import recording
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.kept_memory import kept_bytes
from saccade.claims.measuring.plots import tick_only
from saccade.models.transformer import Encoder, TransformerConfig

LENGTHS = (64, 128, 256, 512, 1024)
WIDTH = 32
NETWORKS = ("LSTM", "attention, weights written", "attention, fused")


def measure(generator: Generator, progress: Progress) -> Findings:
    """Bytes that autograd keeps between the forward and the backward pass of one layer, against the length."""
    lstm = nn.LSTM(WIDTH, WIDTH, batch_first=True)
    encoder = Encoder(TransformerConfig(encoder_layers=1, width=WIDTH, inner_width=4 * WIDTH, heads=1, dropout=0.0))
    found: dict[str, list[float]] = {name: [] for name in NETWORKS}
    for done, length in enumerate(LENGTHS):
        states = torch.randn(1, length, WIDTH, generator=generator)
        for name in NETWORKS:

            def compute(name: str = name, states: Tensor = states) -> Tensor:
                if name == "LSTM":
                    result: Tensor = lstm(states)[0]
                elif name == "attention, fused":
                    result = encoder(states, Visibility())
                else:
                    with recording(encoder):
                        result = encoder(states, Visibility())
                return result

            found[name].append(float(kept_bytes(compute)))
        progress((done + 1) / len(LENGTHS))
    return dict(found)


def judge(measured: Measured) -> Judgement:
    """Linear against quadratic, by what the last doubling adds."""
    growth = {name: _growth(measured.curve(name)) for name in NETWORKS}
    because = (
        f"bytes kept for {LENGTHS[0]} and {LENGTHS[-1]} tokens, and what the last doubling adds relative to the one "
        f"before: "
        + "; ".join(
            f"{name} {measured.curve(name)[0]:,.0f} and {measured.curve(name)[-1]:,.0f}, {growth[name]:.2f} times"
            for name in NETWORKS
        )
        + f". For {LENGTHS[-1]} tokens the two kinds of attention keep "
        + listed([measured.curve(name)[-1] / measured.curve("LSTM")[-1] for name in NETWORKS[1:]], 1)
        + " times what the LSTM keeps."
    )
    linear = abs(growth["LSTM"] - 2) < 0.1
    if linear and growth["attention, weights written"] > 2.5:
        return Judgement(Verdict.CAVEAT, because)
    return Judgement(Verdict.HOLDS if growth["LSTM"] > 2.5 else Verdict.FAILS, because)


def _growth(kept: list[float]) -> float:
    """What the last doubling adds over what the one before added: 2 for a line, 4 for a square."""
    return (kept[-1] - kept[-2]) / (kept[-2] - kept[-3])


def plot(figure: Figure, measured: Measured) -> None:
    """Bytes against length."""
    axes = figure.subplots()
    for name in NETWORKS:
        axes.loglog(LENGTHS, measured.curve(name), "o-", label=name)
    axes.set(xlabel="tokens", ylabel="bytes kept for the backward pass")
    tick_only(axes, LENGTHS)
    axes.legend()


CLAIM = Claim(
    id="R9",
    title="Memory for training",
    said="introductions to recurrent networks",
    claim="Recurrent networks need much memory to be trained on long sequences.",
    expected=Verdict.CAVEAT,
    rule="Holds with a caveat if what an LSTM keeps for the backward pass grows linearly (doubling the length adds "
    "twice what the doubling before added, within 0.1) while attention that writes its weights to memory shows a "
    "square (more than 2.5 times): much, but less than that. Holds if the LSTM itself grows so.",
    changed="The rule: an exponent over all lengths came to 1.42, because the linear part is still large at 512 "
    "tokens; now the last doubling decides.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
