"""T12: the feed-forward network gives each position the non-linearity that attention lacks."""

import torch
from torch import Generator, Tensor, nn

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.toy_networks import Answering, AttentiveReader
from saccade.claims.measuring.toy_training import accuracy, cross_entropy, learn, share
from saccade.layers.feedforward import FeedForward

WIDTH, STEPS, ROWS, PAIRS = 32, 400, 64, 4
VOCABULARY = 2 * PAIRS + PAIRS * PAIRS
"""A token for every name with its bit, 0 or 1; and a question for every pair of names."""

VARIANTS = ("whole", "without ReLU", "without feed-forward")


def questions(rows: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Names with random bits in random order, then a question about two of them: do their bits differ?"""
    bits = torch.randint(2, (rows, PAIRS), generator=generator)
    facts = 2 * torch.arange(PAIRS) + bits
    order = torch.rand(rows, PAIRS, generator=generator).argsort(dim=1)
    asked = torch.rand(rows, PAIRS, generator=generator).argsort(dim=1)[:, :2]
    question = 2 * PAIRS + PAIRS * asked[:, :1] + asked[:, 1:]
    wanted = bits.gather(1, asked).sum(dim=1) % 2
    return torch.cat([facts.gather(1, order), question], dim=1), wanted


class Identity(nn.Module):
    """No non-linearity: two linear maps in a row."""

    def __init__(self, inner: nn.Module, outer: nn.Module) -> None:
        super().__init__()
        self.inner, self.outer = inner, outer

    def forward(self, states: Tensor) -> Tensor:
        """X W_1 W_2."""
        result: Tensor = self.outer(self.inner(states))
        return result


class Nothing(nn.Module):
    """No feed-forward network."""

    def forward(self, states: Tensor) -> Tensor:
        """Zero, to be added to what is there."""
        return torch.zeros_like(states)


def measure(generator: Generator, progress: Progress) -> Findings:
    """One layer with two heads, whole and without its parts, on the exclusive or of two bits it must look up."""
    found: Findings = {}
    for done, variant in enumerate(VARIANTS):
        reader = AttentiveReader(VOCABULARY, WIDTH, heads=2, positions="none")
        (layer,) = reader.encoder.layers
        assert isinstance(layer.feedforward, FeedForward)
        if variant == "without ReLU":
            layer.feedforward = Identity(layer.feedforward.inner, layer.feedforward.outer)
        elif variant == "without feed-forward":
            layer.feedforward = Nothing()
        network = Answering(reader, WIDTH, 2)

        def loss(network: Answering = network) -> Tensor:
            tokens, wanted = questions(ROWS, generator)
            return cross_entropy(network(tokens)[:, -1], wanted)

        learn(network, loss, STEPS, share(progress, done, len(VARIANTS)), rate=5e-3)
        tokens, wanted = questions(2000, generator)
        with torch.no_grad():
            found[variant] = accuracy(network(tokens)[:, -1], wanted)
    return found


def judge(measured: Measured) -> Judgement:
    """Solved with, not solved without."""
    because = "accuracy, seed by seed: " + "; ".join(
        f"{variant} {listed(measured.each(variant))}" for variant in VARIANTS
    )
    solved = measured.smallest("whole") > 0.95
    lost = max(measured.largest(variant) for variant in VARIANTS[1:]) < 0.8
    return Judgement(Verdict.HOLDS if solved and lost else Verdict.FAILS, because + ".")


def plot(figure: Figure, measured: Measured) -> None:
    """Accuracies, seed by seed."""
    axes = figure.subplots()
    for place, variant in enumerate(VARIANTS):
        values = measured.each(variant)
        axes.plot([place] * len(values), values, "o", markersize=9, alpha=0.7)
    axes.axhline(0.5, linestyle=":", color="gray")
    axes.set(xlim=(-0.5, 2.5), ylim=(0.4, 1.02), xticks=range(3), ylabel="exclusive or: accuracy")
    axes.set_xticklabels(VARIANTS)


CLAIM = Claim(
    id="T12",
    title="What the feed-forward network is for",
    said="introductions to the Transformer",
    claim="The feed-forward network adds the non-linearity at each position that attention alone does not have.",
    expected=Verdict.HOLDS,
    rule="One layer with two heads learns the exclusive or of two bits it looks up (accuracy above 0.95 with every "
    "seed); without the ReLU, and without the feed-forward network, it stays below 0.8.",
    cost="seconds",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
