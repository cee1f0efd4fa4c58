"""Several networks taught one task, or every one of several tasks.

teach_variant(network, draw, steps, progress)      trains, also where a policy draws
learning_curve(network, test, every, curve)        tests it now and then meanwhile
VariantsOnTasks(networks, tasks, ...)              every network taught every one of several tasks
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn
from torch.nn import functional

from saccade.attention.policy_gradient import drawing, policy_gradient
from saccade.claims.claim import Figure, Findings, Measured, Progress
from saccade.claims.measuring.comparison import stated
from saccade.claims.measuring.toy_training import accuracy, learn, share

Task = tuple[tuple[Tensor, ...], Int[Tensor, " rows"]]
"""What a network reads, and the class that is wanted of each row."""


def teach_variant(
    network: nn.Module,
    draw: Callable[[], Task],
    steps: int,
    progress: Progress,
    rate: float = 1e-2,
    enough: Callable[[int, float], bool] | None = None,
) -> None:
    """Trains by cross-entropy on tasks drawn as needed; the reward of a policy is the log-likelihood of its row."""

    def loss() -> Tensor:
        inputs, wanted = draw()
        with drawing() as draws:
            log_probabilities = network(*inputs).log_softmax(-1)
        likelihood: Tensor = log_probabilities.gather(1, wanted.unsqueeze(1))
        total = -likelihood.sum()
        if draws:
            total = total + policy_gradient(draws, likelihood, torch.ones_like(likelihood, dtype=torch.bool))
        return total / len(wanted)

    learn(network, loss, steps, progress, rate, enough)


@torch.no_grad()
def right(network: nn.Module, task: Task) -> float:
    """The share of rows that a trained network gets right."""
    network.eval()
    inputs, wanted = task
    return accuracy(network(*inputs), wanted)


def learning_curve(network: nn.Module, test: Task, every: int, curve: list[float]) -> Callable[[int, float], bool]:
    """For `enough` of `teach_variant`: adds what is right to the curve every so many steps, and never ends training."""

    def look(step: int, _: float) -> bool:
        if (step + 1) % every == 0:
            curve.append(right(network, test))
            network.train()
        return False

    return look


def plot_variants(figure: Figure, measured: Measured, panels: Mapping[str, Sequence[str]], chance: float) -> None:
    """Seed by seed, a panel for each task; a dotted line where guessing would be."""
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for each, (title, names) in zip(axes, panels.items(), strict=True):
        for place, name in enumerate(names):
            values = measured.each(name)
            each.plot([place] * len(values), values, "o", markersize=7, alpha=0.7)
        each.axhline(chance, linestyle=":", color="grey", linewidth=1)
        each.set(title=title, xlim=(-0.5, len(names) - 0.5), ylim=(0, 1.03), xticks=range(len(names)))
        each.set_xticklabels([name.removeprefix(f"{title}, ") for name in names], rotation=25, ha="right", fontsize=7)
    axes[0].set(ylabel="right")


@dataclass(frozen=True)
class VariantsOnTasks:
    """Every network is taught every task for so many steps of so many rows, and tested on rows it has not seen."""

    networks: Mapping[str, Callable[[], nn.Module]]
    tasks: Mapping[str, Callable[[int, Generator], Task]]
    steps: int
    rows: int
    test: int
    chance: float
    """The share of rows that guessing gets right."""
    rate: float = 1e-2

    def names(self, task: str) -> list[str]:
        """What each network is called on this task, among the findings."""
        return [f"{task}, {name}" for name in self.networks]

    def measure(self, generator: Generator, progress: Progress) -> Findings:
        """The share of test rows that each gets right."""
        found: Findings = {}
        for task, drawn in self.tasks.items():
            for name, make in zip(self.names(task), self.networks.values(), strict=True):
                network = make()
                part = share(progress, len(found), len(self.tasks) * len(self.networks))
                teach_variant(network, partial(drawn, self.rows, generator), self.steps, part, self.rate)
                found[name] = right(network, drawn(self.test, generator))
        return found

    def stated(self, measured: Measured) -> str:
        """All of it in words."""
        return "right: " + ". ".join(stated(measured, self.names(task)) for task in self.tasks) + "."

    def plot(self, figure: Figure, measured: Measured) -> None:
        """Seed by seed, a panel for each task."""
        plot_variants(figure, measured, {task: self.names(task) for task in self.tasks}, self.chance)


def codes(count: int, width: int) -> Float[Tensor, "count width"]:
    """As many vectors of length one as are asked for, the same in every seed and pointing every which way.

    They are drawn on the CPU, so that they are the same on every device.
    """
    drawn = torch.randn(count, width, generator=Generator("cpu").manual_seed(0), device="cpu")
    return functional.normalize(drawn, dim=-1).to(torch.get_default_device())


def everything(items: Float[Tensor, "rows item width"]) -> Bool[Tensor, "rows item"]:
    """All items are real."""
    return torch.ones(items.shape[:2], dtype=torch.bool)
