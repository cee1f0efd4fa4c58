"""T40: 20 and 56 layers, with and without residual connections, on real digits."""

import torch
from torch import Generator, Tensor, nn

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import clearly, stated, verdict
from saccade.claims.measuring.real_data import digits
from saccade.claims.measuring.toy_training import share
from saccade.claims.measuring.variants import Task, plot_variants, right, teach_variant
from saccade.data.measurements import SIDE

DEPTHS = (20, 56)
"""Layers with weights: one in, one out, and two in each block between, as He et al. count them."""
WIDTH, STEPS, ROWS = 32, 500, 64
KINDS = ("plain", "residual")


class Block(nn.Module):
    """y = ReLU(F(x) + x) with F two layers, or without the x: He et al. 2015, equation 1."""

    def __init__(self, residual: bool) -> None:
        super().__init__()
        self.residual = residual
        self.layers = nn.Sequential(
            nn.Linear(WIDTH, WIDTH, bias=False), nn.BatchNorm1d(WIDTH), nn.ReLU(),
            nn.Linear(WIDTH, WIDTH, bias=False), nn.BatchNorm1d(WIDTH),
        )  # fmt: skip

    def forward(self, states: Tensor) -> Tensor:
        """The states after two layers."""
        after: Tensor = self.layers(states)
        return (after + states if self.residual else after).relu()


def network(kind: str, depth: int) -> nn.Module:
    """So many layers, with a norm of the batch after each of those between, as in the paper's networks."""
    blocks = [Block(kind == "residual") for _ in range((depth - 2) // 2)]
    return nn.Sequential(nn.Flatten(), nn.Linear(SIDE * SIDE, WIDTH), *blocks, nn.Linear(WIDTH, 10))


def _name(kind: str, depth: int, split: str = "train") -> str:
    return f"{kind} {depth}" if split == "train" else f"{kind} {depth}, {split}"


def measure(generator: Generator, progress: Progress) -> Findings:
    """What each gets right of what it was trained on, and of what it was not."""
    pictures, labels = digits("train")
    found: Findings = {}

    def draw() -> Task:
        rows = torch.randint(len(pictures), (ROWS,), generator=generator)
        return (pictures[rows],), labels[rows]

    cells = [(kind, depth) for kind in KINDS for depth in DEPTHS]
    for done, (kind, depth) in enumerate(cells):
        learner = network(kind, depth)
        teach_variant(learner, draw, STEPS, share(progress, done, len(cells)), rate=3e-3)
        for split in ("train", "test"):
            shown, wanted = digits(split)
            found[_name(kind, depth, split)] = right(learner, ((shown,), wanted))
    return found


def judge(measured: Measured) -> Judgement:
    """More layers must make the plain network worse at what it was taught, and not the residual one."""
    few, many = DEPTHS
    names = [_name(kind, depth, split) for split in ("train", "test") for kind in KINDS for depth in DEPTHS]
    because = f"right, of 3,996 digits that were taught and 508 that were not: {stated(measured, names)}."
    required = [
        clearly(measured, _name("plain", few), over=_name("plain", many), by=0.01),
        clearly(measured, _name("residual", many), over=_name("residual", few), by=-0.01),
    ]
    wanted = [clearly(measured, _name("residual", many, "test"), over=_name("plain", many, "test"), by=0.01)]
    return Judgement(verdict(required, wanted), because)


def plot(figure: Figure, measured: Measured) -> None:
    """Seed by seed."""
    panels = {split: [_name(kind, depth, split) for kind in KINDS for depth in DEPTHS] for split in ("train", "test")}
    plot_variants(figure, measured, panels, 0.1)


CLAIM = Claim(
    id="T40",
    also="H6",
    title="Depth and residual connections",
    said="He et al. 2015",
    claim="With more layers a plain network gets worse even at what it was taught; a residual one does not.",
    expected=Verdict.HOLDS,
    rule="On real digits, of what it was taught, a plain network of 20 layers gets more right than one of 56 by more "
    "than 0.01, and a residual one of 56 layers is less than 0.01 behind one of 20, by three standard errors over the "
    "seeds. A caveat if on digits that were not taught the residual network of 56 layers is not clearly more than 0.01 "
    "ahead of the plain one.",
    cost="minutes",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
