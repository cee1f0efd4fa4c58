"""A small run through saccade's own preparation, training loop and validation, for claims that need many of them."""

import gzip
import os
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from saccade.data.batches import Batches, evaluation_batches
from saccade.data.prepare import DataConfig, Prepared, prepare
from saccade.decoding.scoring import score_pairs
from saccade.evaluation.perplexity import Likelihood
from saccade.models.catalogue import architecture, build
from saccade.models.contract import Transducer
from saccade.runs.validation import TOKENS, Validator
from saccade.sequences import Sequences
from saccade.serving.bundle import Bundle
from saccade.training import loop
from saccade.training.bookkeeping import Validation
from saccade.training.config import TrainingConfig
from saccade.training.distributed import World

Lines = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Trial:
    """A trained model, its likelihood of the held-out pairs and the BLEU of what it writes for them."""

    model: Transducer[Any, Any]
    validation: Validation
    parameters: int
    seconds: float

    @property
    def perplexity(self) -> float:
        """Per token of the target."""
        return self.validation.perplexity

    @property
    def bleu(self) -> float:
        """Of greedy outputs."""
        return self.validation.measures["bleu"]


def prepared(train: Lines, valid: Lines, folder: Path, **data: Any) -> Prepared:
    """The pairs as stores of tokens; whole words unless `data` says otherwise."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {}
    for split, lines in (("", train), ("valid_", valid)):
        for side, number in (("source", 0), ("target", 1)):
            path = folder / f"{split}{side}.txt"
            path.write_text("".join(f"{line[number]}\n" for line in lines), encoding="utf-8")
            names[f"{split}{side}"] = str(path)
    settings: dict[str, Any] = {"pieces": "word", "joint": False, **data}
    return prepare(DataConfig(**names, **settings), folder / "data")


def multi30k(split: str, limit: int | None = None, source: str = "de", target: str = "en") -> list[tuple[str, str]]:
    """Pairs of Multi30k from the folder that SACCADE_DATA names."""
    folder = Path(os.environ["SACCADE_DATA"]) / "multi30k"

    def lines(language: str) -> list[str]:
        plain, packed = folder / f"{split}.{language}", folder / f"{split}.{language}.gz"
        text = plain.read_text(encoding="utf-8") if plain.is_file() else gzip.decompress(packed.read_bytes()).decode()
        return text.splitlines()

    return list(zip(lines(source), lines(target), strict=True))[:limit]


def trial(
    name: str, settings: Mapping[str, Any], data: Prepared, training: TrainingConfig, folder: Path, device: str
) -> Trial:
    """Trains one model. The folder must be empty: a run that lies there would be continued."""
    assert not folder.exists(), f"{folder} holds a run already"
    config = architecture(name).config(**settings)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(training.seed)
        model = build(name, config, data.source_tokenizer.size, data.target_tokenizer.size)
    bundle = Bundle(
        model=model,
        architecture=name,
        model_config=config,
        source_tokenizer=data.source_tokenizer,
        target_tokenizer=data.target_tokenizer,
        task="translation",
        source_language=None,
        target_language=None,
        decoding={},
        storage="float32",
    )
    world = World(torch.device(device))
    validate = Validator(bundle, data.valid, data.valid_text, world.device)
    seen: list[Validation] = []

    def remembered(model: Transducer[Any, Any], step: int) -> Validation:
        seen.append(validate(model, step))
        return seen[-1]

    batches = Batches(data.train, training.batch_tokens, training.seed)
    result = loop.train(model, batches, training, loop.Run(folder=folder, world=world, validate=remembered))
    parameters = sum(parameter.numel() for parameter in model.parameters())
    return Trial(model.eval(), seen[-1], parameters, result.standing.seconds)


@torch.no_grad()
def perplexity(
    model: Transducer[Any, Any],
    data: Prepared,
    device: str,
    read: Callable[[Sequences], Sequences] = lambda source: source,
) -> float:
    """Of the held-out pairs, per token, with each source changed by `read`."""
    parts = []
    for _, pairs in evaluation_batches(data.valid, TOKENS):
        pairs = type(pairs)(read(pairs.source), pairs.target).to(device)
        scores = score_pairs(model, pairs)[pairs.target.mask]
        parts.append(Likelihood.of([scores.tolist()]))
    return Likelihood.total(parts).perplexity


def spread(values: Sequence[float], digits: int = 2) -> str:
    """Mean and sample standard deviation."""
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.{digits}f} +- {deviation:.{digits}f}"
