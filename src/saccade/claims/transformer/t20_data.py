"""T20: what self-attention must learn from examples and others are given."""

from collections.abc import Callable

import torch
from jaxtyping import Int
from torch import Generator, Tensor

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import clearly, stated, verdict
from saccade.claims.measuring.toy_networks import Answering, AttentiveReader, ConvolutionalReader, RecurrentReader
from saccade.claims.measuring.toy_training import accuracy, cross_entropy, learn, share
from saccade.weights import parameter_count

WORDS, LENGTH, CLASSES = 12, 16, 4
SENTENCES = (16, 64, 256, 1024, 4096)
"""How many there are to learn from."""
STEPS, ROWS, TEST = 500, 32, 1000
LEAST = 0.02
"""By how much an accuracy, averaged over the numbers of sentences, must differ."""
TASKS = ("near", "far")
ASKED = slice(1, LENGTH)
"""Every place but the first, which has no word before it."""


def labels(task: str, tokens: Int[Tensor, "rows length"]) -> Int[Tensor, "rows length"]:
    """A class for every word, from itself and one other: the one before it, or the one as far from the other end.

    Once it is known where to look, neither task asks for more than the other.
    """
    other = tokens.roll(1, dims=1) if task == "near" else tokens.flip(1)
    return (tokens + other) % CLASSES


NETWORKS: dict[str, Callable[[], Answering]] = {
    "convolution": lambda: Answering(ConvolutionalReader(WORDS, 48, layers=2), 48, CLASSES),
    "LSTM": lambda: Answering(RecurrentReader(WORDS, 48, cell="LSTM", both_ways=True), 48, CLASSES),
    "self-attention": lambda: Answering(AttentiveReader(WORDS, 24, layers=2), 24, CLASSES),
    "self-attention, larger": lambda: Answering(AttentiveReader(WORDS, 56, layers=2), 56, CLASSES),
}
"""The first three of equal parameters, but for a few percent; the fourth has five times as many."""


def measure(generator: Generator, progress: Progress) -> Findings:
    """Every network learns both tasks from so many sentences, and is asked about others."""
    cells = [(task, name, number) for task in TASKS for name in NETWORKS for number in SENTENCES]
    found: Findings = {f"{name}, parameters": float(parameter_count(make())) for name, make in NETWORKS.items()}
    curves: dict[str, list[float]] = {}
    for done, (task, name, number) in enumerate(cells):
        network = NETWORKS[name]()
        known = torch.randint(WORDS, (number, LENGTH), generator=generator)

        def loss(network: Answering = network, known: Tensor = known, task: str = task) -> Tensor:
            tokens = known[torch.randint(len(known), (ROWS,), generator=generator)]
            return cross_entropy(network(tokens)[:, ASKED], labels(task, tokens)[:, ASKED])

        learn(network, loss, STEPS, share(progress, done, len(cells)))
        tokens = torch.randint(WORDS, (TEST, LENGTH), generator=generator)
        with torch.no_grad():
            right = accuracy(network(tokens)[:, ASKED], labels(task, tokens)[:, ASKED])
        curves.setdefault(f"{task}, {name}", []).append(right)
    for name, curve in curves.items():
        found[f"{name}, by number"] = curve
        found[name] = sum(curve) / len(curve)
    return found


def judge(measured: Measured) -> Judgement:
    """Behind with the same data where the words are near, and where they are far; and helped by size?"""
    sizes = ", ".join(f"{name} {measured.mean(f'{name}, parameters'):,.0f}" for name in NETWORKS)
    because = f"right, averaged over {SENTENCES[0]} to {SENTENCES[-1]:,} sentences to learn from: " + ". ".join(
        f"{task}: {stated(measured, [f'{task}, {name}' for name in NETWORKS])}" for task in TASKS
    )
    because += f". With {SENTENCES[-1]:,} sentences, near: " + ", ".join(
        f"{name} {measured.curve(f'near, {name}, by number')[-1]:.3f}" for name in NETWORKS
    )

    def behind(task: str) -> list[bool | None]:
        return [
            clearly(measured, f"{task}, {other}", over=f"{task}, self-attention", by=LEAST)
            for other in ("convolution", "LSTM")
        ]

    helped = clearly(measured, "near, self-attention, larger", over="near, self-attention", by=LEAST)
    return Judgement(verdict(behind("near"), [*behind("far"), helped]), f"{because}. Parameters: {sizes}.")


def plot(figure: Figure, measured: Measured) -> None:
    """Learning curves over the number of sentences, a panel for each task."""
    for axes, task in zip(figure.subplots(1, 2, sharey=True), TASKS, strict=True):
        for name in NETWORKS:
            axes.semilogx(SENTENCES, measured.curve(f"{task}, {name}, by number"), "o-", label=name, markersize=4)
        axes.axhline(1 / CLASSES, linestyle=":", color="gray")
        axes.set(title=f"{task} words", xlabel="sentences to learn from", ylim=(0.2, 1.03))
    figure.axes[0].set(ylabel="right, of other sentences")
    figure.axes[1].legend(fontsize=7)


CLAIM = Claim(
    id="T20",
    title="Self-attention and the amount of data",
    said="an introduction to the Transformer",
    claim="Self-attention needs more data, and a larger model, than convolution or recurrence for the same result.",
    expected=Verdict.CAVEAT,
    rule="Words are to be classified by themselves and the word before, from 16 to 4,096 sentences: the accuracy on "
    "other sentences, averaged over the five numbers of sentences, is lower by more than 0.02 with self-attention than "
    "with convolution and than with an LSTM in both directions, of equal parameters and steps, by three standard "
    "errors over the seeds, else the claim does not hold, or is undecided. A caveat unless that is clearly so as well "
    "where a word is classified by one that is far away, and unless five times the parameters clearly help "
    "self-attention by as much where words are near.",
    cost="minutes",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
