"""Small runs through saccade's own training loop, measured by the likelihood of pairs they have not seen.

A run is a value, so that several can go on side by side in processes of their own (`--parallel`): small models leave
most of a GPU idle.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import exp
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import torch

from saccade.data.batches import Batches, evaluation_batches
from saccade.data.store import TokenStore
from saccade.decoding.scoring import score_pairs
from saccade.models.catalogue import architecture, build
from saccade.models.contract import Transducer
from saccade.training import loop
from saccade.training.bookkeeping import Validation
from saccade.training.config import TrainingConfig
from saccade.training.distributed import World

TOKENS = 4096
Measured = TypeVar("Measured")


@dataclass(frozen=True)
class Job:
    """One run: which model, on which stores, trained how, kept where. The folder must be new."""

    label: str
    name: str
    settings: Mapping[str, Any]
    stores: tuple[Path, Path]
    vocabularies: tuple[int, int]
    training: TrainingConfig
    folder: Path
    device: str


@dataclass(frozen=True)
class Learned:
    """A model after its run. `loss` is that of held-out tokens, in nats."""

    job: Job
    model: Transducer[Any, Any]
    loss: float
    parameters: int
    seconds: float

    @property
    def perplexity(self) -> float:
        """Per token."""
        return exp(self.loss)


def learned(job: Job) -> Learned:
    """Trains one model on the first store and measures it on the second."""
    assert not job.folder.exists(), f"{job.folder} holds a run already"
    train, valid = map(TokenStore.open, job.stores)
    torch.manual_seed(job.training.seed)
    model = build(job.name, architecture(job.name).config(**job.settings), *job.vocabularies)
    world = World(torch.device(job.device))

    def validate(model: Transducer[Any, Any], step: int) -> Validation:  # noqa: ARG001 the loop tells, nobody asks
        loss = held_out_loss(model, valid, job.device)
        return Validation(loss=loss, score=-loss)

    batches = Batches([train], job.training.batch_tokens, job.training.seed)
    result = loop.train(model, batches, job.training, loop.Run(job.folder, world, validate))
    assert not result.interrupted, "a run that was stopped says nothing"
    model.eval()
    parameters = sum(parameter.numel() for parameter in model.parameters())
    return Learned(job, model, held_out_loss(model, valid, job.device), parameters, result.standing.seconds)


@torch.no_grad()
def held_out_loss(model: Transducer[Any, Any], store: TokenStore, device: str) -> float:
    """The mean negative log-likelihood of a token."""
    total, tokens = 0.0, 0
    for _, pairs in evaluation_batches(store, TOKENS):
        pairs = pairs.to(device)
        total -= score_pairs(model, pairs)[pairs.target.mask].sum().item()
        tokens += pairs.target.total
    return total / tokens


def perplexity(out: Learned) -> float:
    """What most runs are for."""
    return out.perplexity


def run_all(jobs: Sequence[Job], measure: Callable[[Learned], Measured], parallel: int) -> list[Measured]:
    """What each run measures, in the order of the runs; `parallel` of them go on at a time."""
    once = partial(_measured, measure=measure)
    if parallel == 1:
        return [once(job) for job in jobs]
    with ProcessPoolExecutor(parallel, get_context("spawn")) as pool:
        return list(pool.map(once, jobs))


def _measured(job: Job, measure: Callable[[Learned], Measured]) -> Measured:
    torch.set_num_threads(1)
    out = learned(job)
    found = measure(out)
    print(
        f"  {job.label}, seed {job.training.seed}: {found} after {out.seconds:.0f} s, {out.parameters:,} parameters",
        flush=True,
    )
    return found


def arguments(description: str | None, steps: int) -> argparse.ArgumentParser:
    """What every experiment of this kind can be told."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--parallel", type=int, default=1, help="runs side by side")
    return parser


def training(steps: int, seed: int, **changes: Any) -> TrainingConfig:
    """Adam with a rate that falls to nothing, since a few hundred steps are all there is."""
    settings: dict[str, Any] = {
        "steps": steps,
        "batch_tokens": 2048,
        "schedule": "linear",
        "warmup": 50,
        "clip": 1.0,
        "label_smoothing": 0.0,
        "validate_every": steps,
        "checkpoint_every": steps,
        "average": 1,
        "seed": seed,
    }
    return TrainingConfig(**(settings | changes))
