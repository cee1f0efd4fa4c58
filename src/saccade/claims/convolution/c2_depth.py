"""C2: how far stacked convolutions reach, and what is left of a word after many of them."""

import torch
from torch import Generator, Tensor

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.comparison import above, clearly, opposite
from saccade.claims.measuring.toy_networks import Answering, ConvolutionalReader
from saccade.claims.measuring.toy_training import accuracy, cross_entropy, learn_until, share

LAG, DEPTHS = 24, (2, 4, 8, 12)
KERNELS = {layers: LAG // layers + 1 for layers in DEPTHS}
"""With these, every stack sees exactly so far back, with about as many weights: 26 to 36 matrices."""
SYMBOLS, FILLERS, WIDTH, STEPS, ROWS, TEST = 8, 4, 32, 2000, 32, 500
RATES = (3e-3, 1e-3)
WAYS = ("with residuals", "without residuals")
REACHED, LOST = 0.95, 0.1


def sentences(rows: int, distance: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """A symbol, then fillers; at the end the symbol is asked for."""
    symbol = torch.randint(SYMBOLS, (rows, 1), generator=generator)
    fillers = torch.randint(SYMBOLS, SYMBOLS + FILLERS, (rows, distance), generator=generator)
    return torch.cat([symbol, fillers], dim=1), symbol[:, 0]


def measure(generator: Generator, progress: Progress) -> Findings:
    """The same distance in few layers and in many, with and without residual connections; and one word too far."""
    found: Findings = {}
    total = len(DEPTHS) * len(WAYS) + 1
    for place, way in enumerate(WAYS):
        right = [
            _right(layers, LAG, way, generator, share(progress, place * len(DEPTHS) + done, total))
            for done, layers in enumerate(DEPTHS)
        ]
        found[way] = right
        found[f"{way}, shallow"], found[f"{way}, deep"] = right[0], right[-1]
    found["a word too far"] = _right(DEPTHS[0], LAG + 1, WAYS[0], generator, share(progress, total - 1, total))
    return found


def _right(layers: int, distance: int, way: str, generator: Generator, progress: Progress) -> float:
    """At the better of the rates, by other sentences than those that are counted."""
    validation, test = (sentences(TEST, distance, generator) for _ in range(2))
    best = 0.0
    found = 0.0
    for done, rate in enumerate(RATES):
        network = _network(layers, way)

        def loss(network: Answering = network) -> Tensor:
            tokens, wanted = sentences(ROWS, distance, generator)
            return cross_entropy(network(tokens)[:, -1], wanted)

        def solved(network: Answering = network) -> bool:
            return _share_right(network, validation) >= 0.99

        learn_until(network, loss, solved, STEPS, share(progress, done, len(RATES)), rate)
        if (now := _share_right(network, validation)) > best:
            best, found = now, _share_right(network, test)
    return found


def _network(layers: int, way: str) -> Answering:
    residual = way == WAYS[0]
    reader = ConvolutionalReader(
        SYMBOLS + FILLERS, WIDTH, layers, kernel=KERNELS[layers], causal=True, residual=residual
    )
    return Answering(reader, WIDTH, SYMBOLS)


def _share_right(network: Answering, asked: tuple[Tensor, Tensor]) -> float:
    with torch.no_grad():
        return accuracy(network(asked[0])[:, -1], asked[1])


def judge(measured: Measured) -> Judgement:
    """Reached at all; and lost with depth, always or only without residual connections."""
    because = f"right with {', '.join(map(str, DEPTHS))} layers over {LAG} words: " + "; ".join(
        f"{way} {listed(measured.curve(way))}" for way in WAYS
    )
    because += f". One word further than two layers see: {listed(measured.each('a word too far'), 2)}. What is at "
    because += (
        f"chance ({1 / SYMBOLS}) was not learned in {STEPS:,} steps, or was lost on the way: which, is not asked."
    )
    reaches = [
        above(measured, f"{WAYS[0]}, shallow", REACHED),
        opposite(above(measured, "a word too far", 2 / SYMBOLS)),
    ]
    lost = {way: clearly(measured, f"{way}, shallow", over=f"{way}, deep", by=LOST) for way in WAYS}
    if reaches[0] is not True:  # what is never learned says nothing about depth
        return Judgement(Verdict.UNDECIDED, because)
    if reaches[1] is False or lost[WAYS[1]] is False:
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
    axes.set(xlabel=f"layers, each stack over {LAG} words", ylabel="right", ylim=(0, 1.03), xticks=DEPTHS)
    axes.legend()


CLAIM = Claim(
    id="C2",
    title="Far words through many layers",
    said="a long introduction to attention",
    claim="Stacked convolutions reach far words, but what they say is lost with depth.",
    expected=Verdict.CAVEAT,
    rule="Stacks of 2, 4, 8 and 12 causal convolutions, whose kernels are as wide as it takes for each to see 24 "
    "words back, no more and no less, with about as many weights, learn to repeat the symbol that stands there, for "
    "at most 2,000 steps at each of two rates, of which the better counts. It holds if two layers reach it (0.95 "
    "right) and not one word further (less than twice chance), and 12 layers are right more than 0.1 less often than "
    "two, both with and without residual connections; a caveat if only without; does not hold if not even without. "
    "Each by three standard errors over the seeds; undecided within them, or where two layers do not reach it.",
    changed="Rule and experiment. Kernels were three wide and each stack was asked for the end of what it saw, 4, 8, "
    "16 and 24 words back, so that the distance grew with the depth; at one rate and 1,500 steps they were right in "
    "1.00, 0.20, 0.13 and 0.12 of cases with residuals, in 1.00, 1.00, 0.29 and 0.13 without: holds. Twelve layers "
    "were at chance, and whether by their depth or by the distance nobody could tell.",
    cost="minutes",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
