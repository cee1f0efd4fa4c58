"""R12: a perceptron could do what the others do, but learns it position by position."""

import torch
from torch import Generator, Tensor, nn

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.toy_networks import AttentiveReader, ConvolutionalReader, RecurrentReader
from saccade.claims.measuring.toy_training import accuracy, cross_entropy, learn, share
from saccade.weights import parameter_count

LENGTH, WORDS, STEPS, ROWS = 16, 8, 200, 64
MARKER = WORDS
SEEN, UNSEEN = (0, 10), (10, LENGTH - 1)
"""Where the marker stands in training, and where only in the test."""

NETWORKS = ("perceptron", "convolution", "GRU", "attention")


class Perceptron(nn.Module):
    """All embedded tokens at once through one hidden layer."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS + 1, width)
        self.layers = nn.Sequential(nn.Linear(LENGTH * width, hidden), nn.ReLU(), nn.Linear(hidden, WORDS))

    def forward(self, tokens: Tensor) -> Tensor:
        """The scores of the words."""
        scores: Tensor = self.layers(self.embedding(tokens).flatten(1))
        return scores


class Pooled(nn.Module):
    """A reader, the largest of each number over its positions, and scores."""

    def __init__(self, reader: nn.Module, width: int) -> None:
        super().__init__()
        self.reader = reader
        self.output = nn.Linear(width, WORDS)

    def forward(self, tokens: Tensor) -> Tensor:
        """The scores of the words."""
        scores: Tensor = self.output(self.reader(tokens).amax(dim=1))
        return scores


def network(name: str) -> nn.Module:
    """Each with about 13,000 parameters."""
    match name:
        case "perceptron":
            return Perceptron(16, 48)
        case "convolution":
            return Pooled(ConvolutionalReader(WORDS + 1, 45, layers=2), 45)
        case "GRU":
            return Pooled(RecurrentReader(WORDS + 1, 45), 45)
        case _:
            return Pooled(AttentiveReader(WORDS + 1, 32), 32)


def sentences(rows: int, places: tuple[int, int], generator: Generator) -> tuple[Tensor, Tensor]:
    """Random words with a marker among them; the word after the marker is asked for."""
    tokens = torch.randint(WORDS, (rows, LENGTH), generator=generator)
    place = torch.randint(*places, (rows, 1), generator=generator)
    tokens.scatter_(1, place, MARKER)
    return tokens, tokens.gather(1, place + 1)[:, 0]


def measure(generator: Generator, progress: Progress) -> Findings:
    """Each learns the task with the marker in the first ten places; then also the other five are tried."""
    found: Findings = {}
    for done, name in enumerate(NETWORKS):
        answering = network(name)

        def loss(answering: nn.Module = answering) -> Tensor:
            tokens, wanted = sentences(ROWS, SEEN, generator)
            return cross_entropy(answering(tokens), wanted)

        learn(answering, loss, STEPS, share(progress, done, len(NETWORKS)), rate=5e-3)
        for what, places in (("seen", SEEN), ("unseen", UNSEEN)):
            tokens, wanted = sentences(1000, places, generator)
            with torch.no_grad():
                found[f"{name}, {what}"] = accuracy(answering(tokens), wanted)
        found[f"{name}, parameters"] = float(parameter_count(answering))
    return found


def judge(measured: Measured) -> Judgement:
    """Is the perceptron the worst where it has not been?"""
    unseen = {name: measured.each(f"{name}, unseen") for name in NETWORKS}
    because = f"accuracy at seen and unseen places (chance {1 / WORDS:.3f}): " + "; ".join(
        f"{name} {listed([measured.mean(f'{name}, seen'), measured.mean(f'{name}, unseen')])}, "
        f"{measured.mean(f'{name}, parameters'):,.0f} parameters"
        for name in NETWORKS
    )
    worst = [all(p < o for p, o in zip(unseen["perceptron"], unseen[name], strict=True)) for name in NETWORKS[1:]]
    if all(worst):
        return Judgement(Verdict.HOLDS, because + ".")
    return Judgement(Verdict.CAVEAT if any(worst) else Verdict.FAILS, because + ".")


def plot(figure: Figure, measured: Measured) -> None:
    """Seen and unseen, for each network."""
    axes = figure.subplots()
    for shift, what in ((-0.2, "seen"), (0.2, "unseen")):
        values = [measured.mean(f"{name}, {what}") for name in NETWORKS]
        axes.bar([place + shift for place in range(len(NETWORKS))], values, width=0.38, label=f"{what} places")
    axes.axhline(1 / WORDS, linestyle=":", color="gray", label="chance")
    axes.set(ylabel="accuracy", ylim=(0, 1.03))
    axes.set_xticks(range(len(NETWORKS)), NETWORKS)
    axes.legend()


CLAIM = Claim(
    id="R12",
    title="Constraints that help",
    said="a long introduction to attention",
    claim="A perceptron over the whole window has no trouble with distance in principle, but learns poorly; "
    "convolution, recurrence and attention are perceptrons with constraints that help.",
    expected=Verdict.CAVEAT,
    rule="At about equal parameters and equal training, the perceptron is worse than each of the other three at places "
    "where the pattern never stood in training, with every seed; a caveat if that is so for one or two of them.",
    cost="seconds",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
