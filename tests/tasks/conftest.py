"""The smallest model of each task there is, known to the catalogue while a test runs, and the command line to use it.

They are no systems of the lineage: what is tested here is what happens around a model, whichever it is.
"""

import random
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from tests.command_line import run_in_process
from torch import nn

from saccade.models.capabilities import CountingModel
from saccade.models.catalogue import ARCHITECTURES, Architecture
from saccade.models.classifier import Classifier, SentenceEmbedding
from saccade.models.contract import State
from saccade.models.language_model import LanguageModel


@dataclass(frozen=True, kw_only=True)
class Config:
    width: int = 23
    maximum_length: int = 256


@dataclass(frozen=True)
class Before(State):
    rows: torch.Tensor


class Bigram(LanguageModel):
    """p(y_t | y_{t-1}) as softmax(W E y_{t-1})."""

    def __init__(self, config, source_vocabulary, target_vocabulary):
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, config.width)
        self.embedding = nn.Embedding(target_vocabulary, config.width)
        self.output = nn.Linear(config.width, target_vocabulary, bias=False)

    def states(self, reads, memory):  # noqa: ARG002
        return self.embedding(reads.tokens)

    def logits(self, states):
        return self.output(states)

    def start(self, memory):
        return Before(memory.lengths)

    def step(self, token, state):
        return self.logits(self.embedding(token)), state


class Bag(Classifier):
    """softmax(W mean_j E x_j)."""

    def __init__(self, config, source_vocabulary, target_vocabulary):
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, config.width + 1)
        self.embedding = nn.Embedding(source_vocabulary, config.width)
        self.output = nn.Linear(config.width, target_vocabulary)

    def encode(self, source):
        states = self.embedding(source.tokens) * source.mask.unsqueeze(2)
        return SentenceEmbedding(states.sum(1) / source.lengths.unsqueeze(1))

    def classify(self, embedding):
        return self.output(embedding)


class Unigram(LanguageModel, CountingModel):
    """p(y_t) as often as y_t was seen: its table has a place for each token that was."""

    tables = ("tokens", "frequencies")

    def __init__(self, config, source_vocabulary, target_vocabulary):
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, config.width)
        self.register_buffer("tokens", torch.empty(0, dtype=torch.int64))
        self.register_buffer("frequencies", torch.empty(0))
        self.totals = torch.zeros(target_vocabulary, dtype=torch.int64)

    def count(self, pairs):
        self.totals += pairs.target.tokens[pairs.target.mask].bincount(minlength=self.target_vocabulary)

    def finish_counting(self):
        self.tokens = self.totals.nonzero().flatten()
        self.frequencies = self.totals[self.tokens] / self.totals.sum()

    def states(self, reads, memory):  # noqa: ARG002
        return torch.zeros(*reads.tokens.shape, self.width)

    def logits(self, states):
        logits = torch.full((*states.shape[:-1], self.target_vocabulary), -30.0)
        logits[..., self.tokens] = self.frequencies.log()
        return logits

    def start(self, memory):
        return Before(memory.lengths)

    def step(self, token, state):
        return self.logits(torch.zeros(len(token), self.width)), state


@pytest.fixture(autouse=True, scope="module")
def architectures():
    with pytest.MonkeyPatch.context() as patch:
        for name, model, task in (
            ("bigram", Bigram, "language-modelling"),
            ("unigram", Unigram, "language-modelling"),
            ("bag", Bag, "classification"),
        ):
            patch.setitem(ARCHITECTURES, name, Architecture(name, Config, model, "bengio2003", "tiny", task))
        yield


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def saccade():
    """The command line, in this process."""
    return run_in_process


SHORT = {
    "training.steps": 80,
    "training.batch_tokens": 512,
    "training.learning_rate": 0.05,
    "training.warmup": 1,
    "training.schedule": "constant",
    "training.validate_every": 40,
    "training.checkpoint_every": 20,
    "training.journal_every": 20,
    "training.average": 1,
    "training.label_smoothing": 0.0,
}


@pytest.fixture(scope="session")
def short():
    """Settings for a run of a second or two, with changes."""

    def settings(**changes: object) -> list[str]:
        values = SHORT | {key.replace("__", "."): value for key, value in changes.items()}
        return [f"--set={key}={value}" for key, value in values.items()]

    return settings


def written(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def write():
    return written


SUBJECTS, VERBS, OBJECTS = ("the dog", "a cat", "my sister"), ("sees", "likes", "finds"), ("a ball", "the sea", "bread")


@pytest.fixture(scope="session")
def sentences() -> list[str]:
    """Text in which most of the next words can be guessed from the last."""
    chance = random.Random(7)
    return [" ".join(map(chance.choice, (SUBJECTS, VERBS, OBJECTS))) + f" number {n % 11}" for n in range(211)]
