"""T12: the feed-forward network gives each position the non-linearity that attention lacks."""

import torch
from torch import Generator, Tensor, nn

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import above, opposite, stated, verdict
from saccade.claims.measuring.toy_networks import Answering, AttentiveReader
from saccade.claims.measuring.toy_training import accuracy, cross_entropy, learn, share
from saccade.claims.measuring.variants import plot_variants
from saccade.layers.feedforward import FeedForward

WIDTH, STEPS, ROWS = 32, 1500, 64
BITS = 2
VARIANTS = ("whole", "without ReLU", "without feed-forward")
BARE, NORMED = "without norms", "with norms"


class TwoBits(nn.Module):
    """Words with two bits each: the sum of a vector for each bit, so that nothing has put them together yet."""

    def __init__(self) -> None:
        super().__init__()
        self.vectors = nn.Embedding(2 * BITS, WIDTH)

    def forward(self, words: Tensor) -> Tensor:
        """The vectors of words, which are numbers below 4."""
        bits = torch.stack([words % 2, words // 2], dim=-1)
        states: Tensor = self.vectors(bits + 2 * torch.arange(BITS)).sum(dim=-2)
        return states


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


def network(variant: str, norms: str) -> Answering:
    """One layer of a Transformer that reads the one word."""
    reader = AttentiveReader(1, WIDTH, heads=2, positions="none")
    reader.embedding = TwoBits()  # type: ignore[assignment]
    (layer,) = reader.encoder.layers
    assert isinstance(layer.feedforward, FeedForward)
    if variant == "without ReLU":
        layer.feedforward = Identity(layer.feedforward.inner, layer.feedforward.outer)
    elif variant == "without feed-forward":
        layer.feedforward = Nothing()
    if norms == BARE:
        _without_norms(reader)
    return Answering(reader, WIDTH, 2)


def _without_norms(module: nn.Module) -> None:
    for name, child in module.named_children():
        if isinstance(child, nn.LayerNorm):
            setattr(module, name, nn.Identity())
        else:
            _without_norms(child)


def questions(rows: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Sentences of one word; do its two bits differ?"""
    words = torch.randint(2**BITS, (rows, 1), generator=generator)
    return words, (words % 2 != words // 2).long().squeeze(1)


def measure(generator: Generator, progress: Progress) -> Findings:
    """One layer over one word, whole and without its parts, on the exclusive or of two bits that the word has."""
    found: Findings = {}
    for norms in (BARE, NORMED):
        for variant in VARIANTS:
            answering = network(variant, norms)

            def loss(answering: Answering = answering) -> Tensor:
                words, wanted = questions(ROWS, generator)
                return cross_entropy(answering(words)[:, -1], wanted)

            learn(answering, loss, STEPS, share(progress, len(found), 2 * len(VARIANTS)), rate=5e-3)
            words, wanted = questions(2000, generator)
            with torch.no_grad():
                found[f"{norms}, {variant}"] = accuracy(answering(words)[:, -1], wanted)
    return found


def names(norms: str) -> list[str]:
    """What the variants are called among the findings."""
    return [f"{norms}, {variant}" for variant in VARIANTS]


def judge(measured: Measured) -> Judgement:
    """Solved with, not solved without."""
    because = f"accuracy: {stated(measured, [*names(BARE), *names(NORMED)])}."
    whole, *parts = names(BARE)
    required = [above(measured, whole, 0.95), *(opposite(above(measured, part, 0.8)) for part in parts)]
    wanted = [opposite(above(measured, part, 0.8)) for part in names(NORMED)[1:]]
    return Judgement(verdict(required, wanted), because)


def plot(figure: Figure, measured: Measured) -> None:
    """Accuracies, seed by seed."""
    plot_variants(figure, measured, {norms: names(norms) for norms in (BARE, NORMED)}, 0.5)


CLAIM = Claim(
    id="T12",
    title="What the feed-forward network is for",
    said="introductions to the Transformer",
    claim="The feed-forward network adds the non-linearity at each position that attention alone does not have.",
    expected=Verdict.CAVEAT,
    rule="Over a single word, and with its norms taken out, one layer learns the exclusive or of the two bits that "
    "the word has (accuracy above 0.95); without the ReLU, and without the feed-forward network, it stays "
    "below 0.8, each by three standard errors. A caveat if, with the norms in place, it does not clearly stay "
    "below 0.8 without them: then norms are non-linear enough.",
    changed="Rule and experiment. With two bits to be looked up among five words, norms in place, all three "
    "variants learned it (whole 1.000, without ReLU 1.000, 1.000, 0.953, without feed-forward 1.000, "
    "1.000, 0.979), and the claim failed: the softmax over several words and the norms are non-linear too. "
    "The claim is about one position, so there is one now.",
    cost="minutes",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
