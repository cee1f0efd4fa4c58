"""Small runs through saccade's own training loop, measured on held-out pairs.

A run is described by a value, `Job`, so that several can go on side by side in processes of their own (`--parallel`):
small models leave most of a GPU idle.
"""

import argparse
import statistics
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
from saccade.data.config import DataConfig
from saccade.data.prepared_corpus import Prepared
from saccade.data.token_store import TokenStore
from saccade.decoding.scoring import score_pairs
from saccade.errors import RunError
from saccade.models.catalogue import architecture, build
from saccade.models.contract import Transducer
from saccade.runs.validation import TOKENS, Validator
from saccade.sequences import Sequences
from saccade.serving.bundle import Bundle
from saccade.training import loop
from saccade.training.bookkeeping import Validation
from saccade.training.config import TrainingConfig
from saccade.training.distributed import World
from saccade.weights import parameter_count

Measured = TypeVar("Measured")


@dataclass(frozen=True)
class Job:
    """One run: which model, on which stores (to train on, held out), trained how, kept in which new folder."""

    label: str
    name: str
    settings: Mapping[str, Any]
    stores: tuple[Path, Path]
    vocabularies: tuple[int, int]
    training: TrainingConfig
    folder: Path
    device: str


@dataclass(frozen=True)
class Trained:
    """A model after its run. `loss` is the mean negative log-likelihood of a held-out token, in nats."""

    job: Job
    model: Transducer[Any, Any]
    loss: float
    parameters: int
    seconds: float

    @property
    def perplexity(self) -> float:
        """Per token of the target."""
        return exp(self.loss)


def train_job(job: Job) -> Trained:
    """Trains one model on the first store and measures it on the second."""
    assert not job.folder.exists(), f"{job.folder} holds a run already"
    train, valid = map(TokenStore.open, job.stores)
    torch.manual_seed(job.training.seed)
    model = build(job.name, architecture(job.name).config(**job.settings), *job.vocabularies)
    run = loop.Run(job.folder, World(torch.device(job.device)), _HeldOut(valid, job.device))
    batches = Batches([train], job.training.batch_tokens, job.training.seed)
    result = loop.train(model, batches, job.training, run)
    assert not result.interrupted, "an interrupted run measures nothing"
    model.eval()
    parameters = parameter_count(model)
    return Trained(job, model, held_out_loss(model, valid, job.device), parameters, result.progress.seconds)


def train_on(
    data: Prepared, name: str, settings: Mapping[str, Any], training: TrainingConfig, folder: Path, device: str
) -> Trained:
    """The same on a prepared corpus of one training store."""
    (train,) = data.train
    vocabularies = (data.source_tokenizer.size, data.target_tokenizer.size)
    stores = (train.folder, data.valid.folder)
    return train_job(Job(folder.name, name, settings, stores, vocabularies, training, folder, device))


@dataclass(frozen=True)
class _HeldOut:
    """What the training loop calls to validate."""

    store: TokenStore
    device: str

    def __call__(self, model: Transducer[Any, Any], step: int) -> Validation:  # noqa: ARG002 the loop passes it
        loss = held_out_loss(model, self.store, self.device)
        return Validation(loss=loss, score=-loss)


@torch.no_grad()
def held_out_loss(
    model: Transducer[Any, Any],
    store: TokenStore,
    device: str,
    change: Callable[[Sequences], Sequences] = lambda source: source,
) -> float:
    """The mean negative log-likelihood of a token, with each source changed by `change`."""
    total, tokens = 0.0, 0
    for _, pairs in evaluation_batches(store, TOKENS):
        pairs = type(pairs)(change(pairs.source), pairs.target).to(device)
        total -= score_pairs(model, pairs)[pairs.target.mask].sum().item()
        tokens += pairs.target.total
    return total / tokens


def greedy_bleu(run: Trained, data: Prepared) -> float:
    """BLEU of greedy translations of held-out sources."""
    bundle = Bundle(
        model=run.model,
        architecture=run.job.name,
        model_config=architecture(run.job.name).config(**run.job.settings),
        source_tokenizer=data.source_tokenizer,
        target_tokenizer=data.target_tokenizer,
        task="translation",
        source_language=None,
        target_language=None,
        decoding={},
    )
    validate = Validator(lambda _: bundle, DataConfig(), data, torch.device(run.job.device))
    return validate(run.model, run.job.training.steps).measures["bleu"]


def perplexity(run: Trained) -> float:
    """The measure of most runs."""
    return run.perplexity


def run_all(
    jobs: Sequence[Job],
    measure: Callable[[Trained], Measured],
    parallel: int,
    diverged: Callable[[Job], Measured] | None = None,
) -> list[Measured]:
    """The measure of each run, in the order of the runs; `parallel` of them go on at a time.

    A run whose loss is no longer finite ends all of them, unless `diverged` says what it counts for.
    """
    once = partial(_measured, measure=measure, diverged=diverged)
    if parallel == 1:
        return [once(job) for job in jobs]
    with ProcessPoolExecutor(parallel, get_context("spawn")) as pool:
        return list(pool.map(once, jobs))


def _measured(job: Job, measure: Callable[[Trained], Measured], diverged: Callable[[Job], Measured] | None) -> Measured:
    torch.set_num_threads(1)
    try:
        run = train_job(job)
    except RunError as problem:
        if diverged is None:
            raise
        print(f"  {job.label}, seed {job.training.seed}: {problem}", flush=True)
        return diverged(job)
    found = measure(run)
    print(
        f"  {job.label}, seed {job.training.seed}: {found} after {run.seconds:.0f} s, {run.parameters:,} parameters",
        flush=True,
    )
    return found


def arguments(description: str | None, steps: int) -> argparse.ArgumentParser:
    """The options every experiment of this kind has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--parallel", type=int, default=1, help="runs side by side")
    return parser


def training(steps: int, seed: int, **changes: Any) -> TrainingConfig:
    """Adam with a rate that falls to nothing, for runs of a few hundred steps."""
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


def mean_and_deviation(values: Sequence[float], digits: int = 2) -> str:
    """Mean and sample standard deviation."""
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.{digits}f} +- {deviation:.{digits}f}"
