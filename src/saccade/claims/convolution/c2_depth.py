"""C2: how far stacked convolutions reach, and what is left of a word after many of them."""

import torch
from torch import Generator, Tensor

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.comparison import above, clearly, opposite
from saccade.claims.measuring.toy_networks import Answering, ConvolutionalReader
from saccade.claims.measuring.toy_training import accuracy, cross_entropy, learn_until, share

DEPTHS = (2, 4, 8, 12)
KERNEL, SYMBOLS, FILLERS, WIDTH, STEPS, ROWS, TEST = 3, 8, 4, 32, 1500, 32, 1000
WAYS = ("with residuals", "without residuals")
REACHED, LOST = 0.95, 0.1


def lag(layers: int) -> int:
    """As far back as so many layers see."""
    return layers * (KERNEL - 1)


def sentences(rows: int, distance: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """A symbol, then fillers; at the end the symbol is asked for."""
    symbol = torch.randint(SYMBOLS, (rows, 1), generator=generator)
    fillers = torch.randint(SYMBOLS, SYMBOLS + FILLERS, (rows, distance), generator=generator)
    return torch.cat([symbol, fillers], dim=1), symbol[:, 0]


def measure(generator: Generator, progress: Progress) -> Findings:
    """A stack just deep enough for its lag, with and without residual connections; and one a word too short."""
    found: Findings = {}
    total = len(DEPTHS) * len(WAYS) + 1
    for place, way in enumerate(WAYS):
        right = [
            _right(layers, lag(layers), way, generator, share(progress, place * len(DEPTHS) + done, total))
            for done, layers in enumerate(DEPTHS)
        ]
        found[way] = right
        found[f"{way}, shallow"], found[f"{way}, deep"] = right[0], right[-1]
    short = _right(DEPTHS[0], lag(DEPTHS[0]) + 1, WAYS[0], generator, share(progress, total - 1, total))
    found["a word too short"] = short
    return found


def _right(layers: int, distance: int, way: str, generator: Generator, progress: Progress) -> float:
    reader = ConvolutionalReader(SYMBOLS + FILLERS, WIDTH, layers, kernel=KERNEL, causal=True, residual=way == WAYS[0])
    network = Answering(reader, WIDTH, SYMBOLS)
    validation, test = (sentences(TEST, distance, generator) for _ in range(2))

    def loss() -> Tensor:
        tokens, wanted = sentences(ROWS, distance, generator)
        return cross_entropy(network(tokens)[:, -1], wanted)

    def right(asked: tuple[Tensor, Tensor]) -> float:
        with torch.no_grad():
            return accuracy(network(asked[0])[:, -1], asked[1])

    learn_until(network, loss, lambda: right(validation) >= 0.99, STEPS, progress)
    return right(test)


def judge(measured: Measured) -> Judgement:
    """Reached at all; and lost with depth, always or only without residual connections."""
    because = f"right with {', '.join(map(str, DEPTHS))} layers, each over the longest lag it sees: " + "; ".join(
        f"{way} {listed(measured.curve(way))}" for way in WAYS
    )
    because += f". With a lag one word longer than two layers see: {listed(measured.each('a word too short'), 2)}."
    reaches = [
        above(measured, f"{WAYS[0]}, shallow", REACHED),
        opposite(above(measured, "a word too short", 2 / SYMBOLS)),
    ]
    lost = {way: clearly(measured, f"{way}, shallow", over=f"{way}, deep", by=LOST) for way in WAYS}
    if False in reaches or lost[WAYS[1]] is False:
        return Judgement(Verdict.FAILS, because)
    if None in reaches or None in lost.values():
        return Judgement(Verdict.UNDECIDED, because)
    return Judgement(Verdict.HOLDS if lost[WAYS[0]] else Verdict.CAVEAT, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Accuracy against depth."""
    axes = figure.subplots()
    for way in WAYS:
        axes.plot(DEPTHS, measured.curve(way), "o-", label=way)
    axes.axhline(1 / SYMBOLS, linestyle=":", color="gray", label="chance")
    axes.set(xlabel="layers, each stack over the longest lag it sees", ylabel="right", ylim=(0, 1.03), xticks=DEPTHS)
    axes.legend()


CLAIM = Claim(
    id="C2",
    title="Far words through many layers",
    said="a long introduction to attention",
    claim="Stacked convolutions reach far words, but what they say is lost with depth.",
    expected=Verdict.CAVEAT,
    rule="Stacks of 2, 4, 8 and 12 causal convolutions learn to repeat the symbol at the far end of what they see, "
    "for at most 1,500 steps. It holds if two layers reach it (0.95 right) and not one word further (less "
    "than twice chance), and 12 layers are right more than 0.1 less often than two, both with and without "
    "residual connections; a caveat if only without; does not hold if not even without. Each by three "
    "standard errors over the seeds, undecided within them.",
    cost="minutes",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
