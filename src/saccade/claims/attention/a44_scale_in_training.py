"""A44: whether dividing by the root of the key width matters to learning, with narrow keys and with wide ones."""

import torch
from torch import Generator, Tensor

from saccade.attention.scores import ScoreName
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import clearly, opposite, stated, verdict
from saccade.claims.measuring.toy_networks import Answering, AttentiveReader
from saccade.claims.measuring.toy_training import cross_entropy, learn, share

NAMES, VALUES, ITEMS, WIDTH, STEPS, ROWS = 16, 8, 8, 64, 600, 64
NARROW, WIDE = 8, 64
SCORES: dict[str, ScoreName] = {"scaled": "scaled-dot", "unscaled": "dot"}
WORSE = 0.02
"""How much higher the mean loss over training must be to count as harm; guessing has log(8) = 2.1."""


def questions(rows: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Names with values, then a name: which value does it have?"""
    names = torch.rand(rows, NAMES, generator=generator).argsort(dim=1)[:, :ITEMS]
    values = torch.randint(VALUES, (rows, ITEMS), generator=generator)
    asked = torch.randint(ITEMS, (rows, 1), generator=generator)
    tokens = torch.cat([names * VALUES + values, NAMES * VALUES + names.gather(1, asked)], dim=1)
    return tokens, values.gather(1, asked)[:, 0]


def name(way: str, width: int) -> str:
    """What a figure is called among the findings."""
    return f"{way}, keys of width {width}"


def measure(generator: Generator, progress: Progress) -> Findings:
    """One head learns to look up by name; the mean loss of all steps, with the division and without."""
    found: Findings = {}
    for width in (NARROW, WIDE):
        for way, score in SCORES.items():
            reader = AttentiveReader(NAMES * VALUES + NAMES, WIDTH, heads=1, score=score, key_width=width)
            network = Answering(reader, WIDTH, VALUES)

            def loss(network: Answering = network) -> Tensor:
                tokens, wanted = questions(ROWS, generator)
                return cross_entropy(network(tokens)[:, -1], wanted)

            losses = learn(network, loss, STEPS, share(progress, len(found), 4))
            found[name(way, width)] = sum(losses) / len(losses)
    return found


def judge(measured: Measured) -> Judgement:
    """Harm where keys are wide, and none where they are narrow."""
    names = [name(way, width) for width in (NARROW, WIDE) for way in SCORES]
    harm = {
        width: clearly(measured, name("unscaled", width), over=name("scaled", width), by=WORSE)
        for width in (NARROW, WIDE)
    }
    because = f"mean loss over {STEPS} steps: {stated(measured, names)}."
    return Judgement(verdict([harm[WIDE]], [opposite(harm[NARROW])]), because)


def plot(figure: Figure, measured: Measured) -> None:
    """Losses, seed by seed."""
    axes = figure.subplots()
    for shift, way in ((-0.1, "scaled"), (0.1, "unscaled")):
        columns = [(place + shift, name(way, width)) for place, width in enumerate((NARROW, WIDE))]
        points = [(x, value) for x, figures in columns for value in measured.each(figures)]
        axes.plot(*zip(*points, strict=True), "o", markersize=8, alpha=0.7, label=way)
    axes.set(xlim=(-0.5, 1.5), ylim=(0, None), xticks=(0, 1), ylabel="mean loss over training")
    axes.set_xticklabels([f"keys of width {width}" for width in (NARROW, WIDE)])
    axes.legend()


CLAIM = Claim(
    id="A44",
    title="Learning without the scale",
    said="Vaswani et al. 2017, section 3.2.1",
    claim="Where keys are wide, attention learns worse if its scores are not divided by the root of their width.",
    expected=Verdict.HOLDS,
    rule="One head of a Transformer layer learns to look up a value by its name. With keys of width 64 the mean "
    "loss over 600 steps is higher by more than 0.02 without the division, by three standard errors, else the "
    "claim does not hold; a caveat unless with keys of width 8 it clearly is not. Undecided within three "
    "standard errors.",
    cost="minutes",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
