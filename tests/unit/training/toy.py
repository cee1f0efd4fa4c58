"""A small copying task as a whole run: for tests in this process, and as a program that tests start and kill.

python toy.py FOLDER '{"steps": 23, ...}' [{"dropout": 0.3, "kill_at": 17, ...}]
"""

import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from saccade.data.batches import Batches, evaluation_batches
from saccade.data.token_store import TokenStore
from saccade.models.transformer import Transformer, TransformerConfig
from saccade.sequences import Pairs
from saccade.training.bookkeeping import Validation
from saccade.training.config import TrainingConfig
from saccade.training.distributed import World, process_group
from saccade.training.label_smoothing import smoothed_cross_entropy
from saccade.training.loop import Run, train
from saccade.training.out_of_memory import sentences

VOCABULARY = 13
CONFIG = TrainingConfig(
    steps=23,
    batch_tokens=67,
    accumulate=3,
    warmup=11,
    seed=5,
    journal_every=4,
    validate_every=9,
    checkpoint_every=7,
    keep_checkpoints=2,
    average=2,
)


def alone() -> World:
    return World(torch.device("cpu"))


def model(
    dropout: float = 0.3, seed: int = 7, kind: type[Transformer] = Transformer, initialisation: str = "joint_xavier"
) -> Transformer:
    torch.manual_seed(seed)
    config = TransformerConfig(
        encoder_layers=1,
        decoder_layers=1,
        width=22,
        inner_width=31,
        heads=2,
        dropout=dropout,
        initialisation=initialisation,
    )
    return kind(config, VOCABULARY, VOCABULARY)


class Refused(torch.autograd.Function):
    """Passes states on, and runs out of memory on the way back."""

    @staticmethod
    def forward(_context, states):
        return states.clone()

    @staticmethod
    def backward(_context, _gradient):
        raise torch.OutOfMemoryError("out of memory")


class Narrow(Transformer):
    """A Transformer whose memory holds so many sentences, no more, on the way forward and on the way back."""

    forward_rows = backward_rows = 10**6

    def encode(self, source):
        rows = sentences(Pairs(source, source))
        if self.training and rows > self.forward_rows:
            raise torch.OutOfMemoryError("out of memory")
        memory = super().encode(source)
        return memory if rows <= self.backward_rows else replace(memory, states=Refused.apply(memory.states))


def narrow(dropout: float = 0.3, forward_rows: int = 10**6, backward_rows: int = 10**6) -> Narrow:
    result = model(dropout, kind=Narrow)
    result.forward_rows, result.backward_rows = forward_rows, backward_rows
    return result


def store(folder: Path, pairs: int = 61, longest: int = 9) -> TokenStore:
    """Pairs of a sequence and itself."""
    path = folder / "toy-data"
    if path.exists():
        return TokenStore.open(path)
    random = np.random.default_rng(3)
    rows = [random.integers(4, VOCABULARY, random.integers(1, longest + 1)).tolist() for _ in range(pairs)]
    return TokenStore.build(path, [(row, row) for row in rows])


def batches(folder: Path, config: TrainingConfig) -> Batches:
    return Batches([store(folder)], config.batch_tokens, config.seed)


def validation(folder: Path):
    """The likelihood of the training pairs themselves, which is enough to be a number that changes."""

    def validate(model, step):
        torch.rand(step)  # whatever validation draws must not matter to training
        plain, tokens = 0.0, 0
        for _, pairs in evaluation_batches(store(folder), 97):
            logits = model.decode(pairs.target.reads, model.encode(pairs.source))
            plain += smoothed_cross_entropy(logits, pairs.target.tokens, pairs.target.mask, 0.0).plain.item()
            tokens += pairs.target.total
        return Validation(loss=plain / tokens, score=-plain / tokens, measures={"twice": 2 * plain / tokens})

    return validate


def run(folder: Path, **changes) -> Run:
    return replace(Run(folder, alone(), validation(folder)), **changes)


def train_toy(folder: Path, config: TrainingConfig = CONFIG, dropout: float = 0.3, **changes):
    return train_this(model(dropout), folder, config, **changes)


def train_this(toy: Transformer, folder: Path, config: TrainingConfig = CONFIG, **changes):
    return toy, train(toy, batches(folder, config), config, run(folder, **changes))


def killer(step: int, number: int):
    """Ends the process, without any farewell, while a step is being reported."""

    def hear(event):
        if event["event"] == "step" and event["step"] == step:
            os.kill(os.getpid(), number)

    return hear


def main(folder: str, config: str, options: str = "{}") -> None:
    torch.set_num_threads(1)
    chosen = json.loads(options)
    listeners = ()
    if "kill_at" in chosen:
        listeners = (killer(chosen["kill_at"], getattr(signal, chosen.get("signal", "SIGKILL"))),)
    with process_group(torch.device("cpu"), os.environ) as world:
        if world.first:
            store(Path(folder))
        world.wait()
        rows = chosen.get("backward_rows", {}).get(str(world.rank), 10**6)
        toy, result = train_this(
            narrow(chosen.get("dropout", 0.3), backward_rows=rows),
            Path(folder),
            replace(CONFIG, **json.loads(config)),
            world=world,
            listeners=listeners,
        )
    total = sum(parameter.double().abs().sum().item() for parameter in toy.parameters())
    said = {"ending": result.ending, "step": result.progress.step, "weights": total, "threads": threads()}
    if world.first:
        print(json.dumps(said))


def threads() -> list[str]:
    """What the threads of this process are called, where the system says so."""
    tasks = Path("/proc/self/task")
    return sorted((task / "comm").read_text().strip() for task in tasks.iterdir()) if tasks.is_dir() else []


if __name__ == "__main__":
    main(*sys.argv[1:])
