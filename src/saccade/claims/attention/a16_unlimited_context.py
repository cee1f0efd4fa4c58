"""A16: how far attention reaches beyond the lengths it was trained on."""

import torch
from torch import Generator, Tensor

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.toy_networks import Answering, AttentiveReader, Positions
from saccade.claims.measuring.toy_training import accuracy, cross_entropy, learn, share

TRAINED = 32
LENGTHS = (16, 32, 64, 128, 256, 512)
VALUES, FILLERS, WIDTH, STEPS, ROWS, TEST = 8, 8, 32, 150, 32, 200
ASKING = VALUES + FILLERS
KINDS: tuple[Positions, ...] = ("sinusoidal", "learned", "none")
NAMES = {"sinusoidal": "sinusoidal positions", "learned": "learned positions", "none": "no positions"}


def sentences(rows: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """One value somewhere among fillers, and at the end a token that asks for it."""
    tokens = torch.randint(VALUES, VALUES + FILLERS, (rows, length), generator=generator)
    value = torch.randint(VALUES, (rows, 1), generator=generator)
    tokens.scatter_(1, torch.randint(length - 1, (rows, 1), generator=generator), value)
    tokens[:, -1] = ASKING
    return tokens, value[:, 0]


def measure(generator: Generator, progress: Progress) -> Findings:
    """Trains on sentences of up to 32 tokens, tests on up to 512."""
    found: Findings = {}
    for done, kind in enumerate(KINDS):
        reader = AttentiveReader(ASKING + 1, WIDTH, layers=2, positions=kind, maximum_length=LENGTHS[-1])
        network = Answering(reader, WIDTH, VALUES)

        def loss(network: Answering = network) -> Tensor:
            length = int(torch.randint(4, TRAINED + 1, (1,), generator=generator))
            tokens, wanted = sentences(ROWS, length, generator)
            return cross_entropy(network(tokens)[:, -1], wanted)

        learn(network, loss, STEPS, share(progress, done, len(KINDS)), rate=5e-3)
        right = []
        for length in LENGTHS:
            tokens, wanted = sentences(TEST, length, generator)
            with torch.no_grad():
                right.append(accuracy(network(tokens)[:, -1], wanted))
        found[kind] = right
    return found


def judge(measured: Measured) -> Judgement:
    """How much is lost beyond what was trained."""
    curves = {kind: measured.curve(kind) for kind in KINDS}
    within = LENGTHS.index(TRAINED)
    because = f"accuracy at {', '.join(map(str, LENGTHS))} tokens, trained on up to {TRAINED}: " + "; ".join(
        f"{NAMES[kind]} {listed(curves[kind], 2)}" for kind in KINDS
    )
    if min(curve[within] for curve in curves.values()) < 0.9:
        return Judgement(Verdict.FAILS, because + ".")
    lost = {kind: curves[kind][within] - curves[kind][-1] for kind in KINDS}
    if max(lost.values()) > 0.05:
        because += ". Nothing forbids a longer sentence, but what is not trained need not work."
        return Judgement(Verdict.CAVEAT, because)
    return Judgement(Verdict.HOLDS, because + ".")


def plot(figure: Figure, measured: Measured) -> None:
    """Accuracy against length."""
    axes = figure.subplots()
    for kind in KINDS:
        axes.semilogx(LENGTHS, measured.curve(kind), "o-", label=NAMES[kind])
    axes.axvline(TRAINED, linestyle=":", color="gray", label="longest in training")
    axes.axhline(1 / VALUES, linestyle="--", color="gray", label="chance")
    axes.set(xlabel="tokens", ylabel="accuracy", ylim=(0, 1.03))
    axes.set_xticks(LENGTHS, [str(length) for length in LENGTHS])
    axes.minorticks_off()
    axes.legend()


CLAIM = Claim(
    id="A16",
    title="Unlimited context",
    said="introductions to the Transformer",
    claim="Attention gives access to a context of any length.",
    expected=Verdict.CAVEAT,
    rule="A needle among fillers, learned in up to 32 tokens (accuracy of at least 0.9 there): holds if 512 tokens "
    "cost no more than 0.05 of accuracy with sinusoidal, learned and no positions; a caveat if they cost more with any "
    "of them; does not hold if it is not learned at 32.",
    cost="minutes",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
