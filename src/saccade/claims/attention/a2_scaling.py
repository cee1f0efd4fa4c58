"""A2: dividing by the root of the key width keeps the softmax from saturating."""

import math

import torch
from torch import Generator, Tensor

from saccade.attention.scores import ScoreName
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.comparison import clearly, opposite, stated, verdict
from saccade.claims.measuring.toy_networks import Answering, AttentiveReader, attend_by
from saccade.claims.measuring.toy_training import cross_entropy, learn, share

WIDTHS = (4, 16, 64, 256, 512)
KEYS, QUERIES = 64, 400
NAMES, VALUES, ITEMS, TRAINED, STEPS, ROWS = 16, 8, 8, (8, 64), 600, 64
"""Of the task that is trained: names, values, how many of them at once; and at which widths of keys."""
SCORES: dict[str, ScoreName] = {"scaled": "scaled-dot", "unscaled": "dot"}
WORSE = 0.02
"""How much higher the mean loss over training must be to count as harm."""


def measure(generator: Generator, progress: Progress) -> Findings:
    """Random vectors, and then training."""
    return {**at_random(generator), **in_training(generator, progress)}


def in_training(generator: Generator, progress: Progress) -> Findings:
    """One head learns to look up by name; the mean loss of all steps, with the division and without."""
    found: Findings = {}
    for width in TRAINED:
        for way, score in SCORES.items():
            reader = AttentiveReader(NAMES * VALUES + NAMES, 64, heads=1, score=score, key_width=width)
            network = Answering(reader, 64, VALUES)

            def loss(network: Answering = network) -> Tensor:
                names = torch.rand(ROWS, NAMES, generator=generator).argsort(dim=1)[:, :ITEMS]
                values = torch.randint(VALUES, (ROWS, ITEMS), generator=generator)
                asked = torch.randint(ITEMS, (ROWS, 1), generator=generator)
                question = NAMES * VALUES + names.gather(1, asked)
                tokens = torch.cat([names * VALUES + values, question], dim=1)
                return cross_entropy(network(tokens)[:, -1], values.gather(1, asked)[:, 0])

            part = share(progress, len(found), len(TRAINED) * len(SCORES))
            losses = learn(network, loss, STEPS, part)
            found[f"{way}, width {width}"] = sum(losses) / len(losses)
    return found


def at_random(generator: Generator) -> Findings:
    """Random queries and keys of unit variance: how spread the weights are, and how much gradient gets through."""
    found: dict[str, list[float]] = {
        f"{way} {what}": [] for way in ("scaled", "unscaled") for what in ("entropy", "largest", "gradient")
    }
    for width in WIDTHS:
        query = torch.randn(QUERIES, width, generator=generator)
        keys = torch.randn(KEYS, width, generator=generator)
        products = query @ keys.T
        for way, scores in (("scaled", products / math.sqrt(width)), ("unscaled", products)):
            weights, _ = attend_by(scores, torch.eye(KEYS))
            entropy = torch.special.entr(weights).sum(dim=1) / math.log(KEYS)
            # The Jacobian of softmax is diag(a) - a a^T; its squared Frobenius norm needs no matrix.
            squares = weights.square().sum(dim=1)
            jacobian = (squares - 2 * weights.pow(3).sum(dim=1) + squares.square()).clamp(min=0).sqrt()
            found[f"{way} entropy"].append(entropy.mean().item())
            found[f"{way} largest"].append(weights.max(dim=1).values.mean().item())
            found[f"{way} gradient"].append(jacobian.mean().item())
    return dict(found)


def judge(measured: Measured) -> Judgement:
    """Flat with the factor, collapsed without it."""
    scaled, unscaled = measured.curve("scaled entropy"), measured.curve("unscaled entropy")
    flat = max(scaled) - min(scaled) < 0.05
    collapsed = all(share < 0.2 for share, width in zip(unscaled, WIDTHS, strict=True) if width >= 64)
    because = (
        f"key widths {', '.join(map(str, WIDTHS))}, {KEYS} keys. Entropy as a share of its maximum: scaled "
        f"{listed(scaled)}, unscaled {listed(unscaled)}. Largest weight: scaled "
        f"{listed(measured.curve('scaled largest'))}, unscaled {listed(measured.curve('unscaled largest'))}."
    )
    because += " Mean loss over training: " + stated(
        measured, [f"{way}, width {width}" for width in TRAINED for way in SCORES]
    )
    harm = [clearly(measured, f"unscaled, width {width}", over=f"scaled, width {width}", by=WORSE) for width in TRAINED]
    return Judgement(verdict([flat, collapsed], [harm[1], opposite(harm[0])]), because + ".")


def plot(figure: Figure, measured: Measured) -> None:
    """Entropy and gradient against width."""
    for axes, what, label in zip(
        figure.subplots(1, 3),
        ("entropy", "largest", "gradient"),
        ("entropy / maximum", "largest weight", "gradient of softmax"),
        strict=True,
    ):
        for way in ("scaled", "unscaled"):
            axes.semilogx(WIDTHS, measured.curve(f"{way} {what}"), "o-", base=2, label=way)
        axes.set(xlabel="width of a key", title=label, ylim=(0, None))
    figure.axes[0].legend()


CLAIM = Claim(
    id="A2",
    title="Scaling by the root of the key width",
    said="Vaswani et al. 2017, section 3.2.1",
    claim="Dot products grow with the width of the keys; dividing them by its root keeps the softmax out of the region "
    "where it is all but one-hot.",
    expected=Verdict.HOLDS,
    rule="With 64 random keys, the entropy of the scaled weights varies by less than 0.05 of its maximum between "
    "widths 4 and 512; that of the unscaled ones is below 0.2 of the maximum from width 64 on. A caveat "
    "unless it matters in training: with keys of width 64 one head that learns to look up by name has a mean "
    "loss, over 600 steps, that is clearly higher without the division (by more than 0.02), and with keys of "
    "width 8 clearly not.",
    changed="The experiment: of random vectors alone it held, with the same figures; training was added, and with "
    "it the caveat.",
    cost="minutes",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
