"""R2: how long recurrent networks, and attention, keep the first token."""

import torch
from torch import Generator, Tensor, nn

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.toy_networks import Answering, AttentiveReader, RecurrentReader
from saccade.claims.measuring.toy_training import accuracy, cross_entropy, learn, share

LAGS = (5, 10, 20, 40, 80)
SYMBOLS, FILLERS, WIDTH, STEPS, ROWS = 8, 4, 32, 150, 32
NETWORKS = ("tanh", "LSTM", "GRU", "attention")
SOLVED = 0.9
"""Of the way from chance to certainty."""


def sentences(rows: int, lag: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """A symbol, then fillers; at the end the symbol is asked for."""
    symbol = torch.randint(SYMBOLS, (rows, 1), generator=generator)
    fillers = torch.randint(SYMBOLS, SYMBOLS + FILLERS, (rows, lag), generator=generator)
    return torch.cat([symbol, fillers], dim=1), symbol[:, 0]


def measure(generator: Generator, progress: Progress) -> Findings:
    """Each network learns each lag from scratch, in the same number of steps."""
    found: dict[str, list[float]] = {name: [] for name in NETWORKS}
    done = 0
    for name in NETWORKS:
        for lag in LAGS:
            network = Answering(_reader(name), WIDTH, SYMBOLS)

            def loss(network: Answering = network, lag: int = lag) -> Tensor:
                tokens, wanted = sentences(ROWS, lag, generator)
                return cross_entropy(network(tokens)[:, -1], wanted)

            learn(network, loss, STEPS, share(progress, done, len(NETWORKS) * len(LAGS)), rate=1e-2)
            tokens, wanted = sentences(500, lag, generator)
            with torch.no_grad():
                right = accuracy(network(tokens)[:, -1], wanted)
            found[name].append(max(0.0, (right - 1 / SYMBOLS) / (1 - 1 / SYMBOLS)))
            done += 1
    return dict(found)


def _reader(name: str) -> nn.Module:
    vocabulary = SYMBOLS + FILLERS
    match name:
        case "tanh":
            return RecurrentReader(vocabulary, WIDTH, cell="tanh")
        case "LSTM":
            return RecurrentReader(vocabulary, WIDTH, cell="LSTM")
        case "GRU":
            return RecurrentReader(vocabulary, WIDTH, cell="GRU")
        case _:
            return AttentiveReader(vocabulary, WIDTH)


def longest(curve: list[float]) -> int:
    """The longest lag up to which every lag is solved; 0 if not even the first one is."""
    reached = 0
    for lag, value in zip(LAGS, curve, strict=True):
        if value < SOLVED:
            break
        reached = lag
    return reached


def judge(measured: Measured) -> Judgement:
    """In order: plain, gated, attending; and what the numbers are."""
    reach = {name: longest(measured.curve(name)) for name in NETWORKS}
    because = f"longest lag learned in {STEPS} steps, of {', '.join(map(str, LAGS))}: " + ", ".join(
        f"{name} {reach[name] or 'none'}" for name in NETWORKS
    )
    because += ". These numbers belong to this task, these widths and this much training."
    gated = min(reach["LSTM"], reach["GRU"])
    if reach["tanh"] < gated and max(reach["LSTM"], reach["GRU"]) < reach["attention"]:
        fits = all(20 <= reach[name] <= 50 for name in ("tanh", "LSTM", "GRU"))
        return Judgement(Verdict.HOLDS if fits else Verdict.CAVEAT, because)
    return Judgement(Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Accuracy above chance against lag."""
    axes = figure.subplots()
    for name in NETWORKS:
        axes.semilogx(LAGS, measured.curve(name), "o-", label=name)
    axes.axhline(SOLVED, linestyle=":", color="gray", label="solved")
    axes.set(xlabel="tokens between", ylabel="accuracy above chance", ylim=(-0.03, 1.03))
    axes.set_xticks(LAGS, [str(lag) for lag in LAGS])
    axes.minorticks_off()
    axes.legend()


CLAIM = Claim(
    id="R2",
    title="How long a network remembers",
    said="introductions to the Transformer",
    claim="Recurrent networks lose what they read after some 20 to 50 steps.",
    expected=Verdict.CAVEAT,
    rule="Trained to repeat the first token after a lag, the longest lag solved (0.9 of the way from chance to "
    "certainty) is shorter for a tanh network than for LSTM and GRU, and shorter for these than for attention; holds "
    "without a caveat only if that of all three recurrent networks lies between 20 and 50.",
    cost="minutes",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
