"""A recipe chosen from the corpus and the machine, for files that come without one.

The rules look at three numbers: how many pairs there are, how long they are, and whether there is a GPU.

    languages    those that the names of the files end with, as train.de and train.en do
    vocabulary   grows with the corpus: a token must be seen often enough to be learned
    noise        capitals, typing errors, tags and the like in three pairs of ten, where there are pairs to spare
    sizes        grow with the corpus, up to the paper's base model; without a GPU the model stays small
    dropout      falls as the corpus grows: many pairs regularise by themselves
    batch        as many tokens as keep the device busy, but at least a few dozen batches an epoch
    steps        a number of epochs that falls as the corpus grows, between bounds
    schedule     the paper's linear warm-up, to a rate that suits the width, then a linear decay to zero
    norm         pre-norm, which forgives a learning rate that is too high
    cadence      twenty validations, forty checkpoints, fewer of a short run; training stops after six validations
                 without improvement

They aim at a decent model on the first try, not at the best one. A key that is set with --set goes before its rule, and
the rules below it follow from what was set: with a larger `model.width` the rate is lower. What is said and written to
recipe.toml is what is run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import torch

from saccade.cores import usable_cores
from saccade.data.config import DataConfig, mixed_files
from saccade.data.corpus_report import CorpusReport
from saccade.data.language_identification import language_in_name
from saccade.data.mixing import wanted_pairs
from saccade.data.noise import SHARES
from saccade.data.parallel_text import PairFiles, read_pairs
from saccade.errors import ConfigError
from saccade.models.catalogue import ARCHITECTURES, architecture
from saccade.papers import VASWANI2017
from saccade.recipes.documents import overridden
from saccade.recipes.keys import check_section_keys
from saccade.recipes.recipe import Recipe, build_recipe
from saccade.recipes.strict_config import NONE, checked_value, read_section
from saccade.training.config import TrainingConfig

Value = TypeVar("Value")

TOKENS_PER_WORD = 1.4
_USUAL = ("transformer", "transformer-language-model", "transformer-classifier")
"""The default architectures: the first of these that does the task, or any that does."""


@dataclass(frozen=True)
class CorpusStatistics:
    """What the rules look at: the number of pairs and the mean number of symbols on the longer side.

    A symbol is a word, or a character where the task reads characters.
    """

    pairs: int
    symbols: float


@dataclass(frozen=True)
class Machine:
    """What there is to train on; `gpu_memory` is in bytes, or None without a GPU."""

    cores: int
    gpu_memory: int | None = None

    @classmethod
    def here(cls, device: str | torch.device | None = None) -> "Machine":
        """This machine, as seen from the device that will be used."""
        kind = torch.device(device).type if device is not None else ("cuda" if torch.cuda.is_available() else "cpu")
        memory = torch.cuda.get_device_properties(device or 0).total_memory if kind == "cuda" else None
        return cls(cores=usable_cores(), gpu_memory=memory)


@dataclass(frozen=True)
class Size:
    """The sizes of a model and its training, for corpora of at most `pairs` pairs."""

    pairs: int
    layers: int
    width: int
    inner_width: int
    heads: int
    dropout: float
    vocabulary: int
    epochs: int


SIZES = (
    Size(pairs=2_000, layers=2, width=64, inner_width=256, heads=4, dropout=0.1, vocabulary=1_000, epochs=150),
    Size(pairs=15_000, layers=3, width=128, inner_width=512, heads=4, dropout=0.2, vocabulary=4_000, epochs=120),
    Size(pairs=60_000, layers=4, width=256, inner_width=1024, heads=4, dropout=0.3, vocabulary=8_000, epochs=100),
    Size(pairs=250_000, layers=5, width=256, inner_width=1024, heads=8, dropout=0.2, vocabulary=8_000, epochs=60),
    Size(pairs=1_000_000, layers=6, width=512, inner_width=2048, heads=8, dropout=0.2, vocabulary=16_000, epochs=30),
    Size(pairs=2**62, layers=6, width=512, inner_width=2048, heads=8, dropout=0.1, vocabulary=32_000, epochs=12),
)
_CPU_LAYERS, _CPU_WIDTH = 3, 256
NOISE_FROM = 15_000
"""Pairs. A smaller corpus has none to spare, and is more often an exercise than a translation."""
_NOISY_COPIES = 4


@dataclass(frozen=True)
class Choice:
    """A recipe and, sentence by sentence, why it is that one."""

    recipe: Recipe
    reasons: tuple[str, ...] = ()


def measure(data: DataConfig) -> CorpusStatistics:
    """Reads the corpus once, in constant memory."""
    if data.source is None:
        raise ConfigError("`data.source` must name a file when there is no recipe, but is missing. Pass --source.")
    own = _measured(data, data.does.files(data.source, data.target))
    others = [_measured(data, files) for files in mixed_files(data)]
    available = sum(other.pairs for other in others)
    if not available:
        return own
    mixed = wanted_pairs(own.pairs, available, data.mix_share)
    symbols = sum(other.pairs * other.symbols for other in others) / available
    pairs = own.pairs + mixed
    return CorpusStatistics(pairs, (own.pairs * own.symbols + mixed * symbols) / pairs)


def _measured(data: DataConfig, files: PairFiles) -> CorpusStatistics:
    characters = data.does.source_pieces == "character"
    pairs, symbols = 0, 0
    for source, target in read_pairs(files, CorpusReport()):
        pairs += 1
        symbols += max(len(source) if characters else len(source.split()), len(target.split()))
    return CorpusStatistics(pairs, symbols / max(pairs, 1))


@dataclass(frozen=True)
class _Asked:
    """What was set with --set, by section and key, as it was written."""

    sections: Mapping[str, Mapping[str, Any]]

    def has(self, key: str) -> bool:
        """Whether this key, as "section.name", was set."""
        section, _, name = key.partition(".")
        return name in self.sections.get(section, {})

    def value(self, key: str, annotation: Any, otherwise: Value) -> Value:
        """What was set for a key, which must have the type of the annotation, or else what its rule says."""
        section, _, name = key.partition(".")
        if not self.has(key):
            return otherwise
        checked: Value = checked_value(key, self.sections[section][name], annotation)
        return checked


def asked_data(data: DataConfig, overrides: Sequence[str]) -> DataConfig:
    """The section [data] with what was set; a key that does not exist is refused here, before any text is read."""
    document = overridden({"data": data.given()}, overrides)
    asked = read_section(DataConfig, "data", document["data"])
    check_section_keys(document, architecture(_architecture(asked, overrides)))
    return asked


def choose(data: DataConfig, corpus: CorpusStatistics, machine: Machine, overrides: Sequence[str] = ()) -> Choice:
    """Applies the rules of this file: a pure function of its arguments."""
    asked = _Asked(overridden({}, overrides))
    data = asked_data(data, overrides)
    symbols = "characters" if data.does.source_pieces == "character" else "words"
    reasons = [f"{corpus.pairs:,} {data.does.examples} of about {corpus.symbols:.0f} {symbols}."]
    data = _with_languages(data, reasons)
    size = _size(corpus, machine, reasons)
    text = data.does.source_pieces not in ("character", "word")
    chosen = _architecture(data, overrides)
    size = _resized(size, asked)
    model = _model(chosen, size, data, asked, reasons)
    if text:
        vocabulary = size.vocabulary if data.vocabulary is None else data.vocabulary
        data = replace(data, vocabulary=vocabulary)
        reasons.append(f"At most {vocabulary:,} pieces: each must be seen often enough to be learned.")
        data = _with_noise(data, corpus, asked, reasons)
    tokens = corpus.pairs * (corpus.symbols * (TOKENS_PER_WORD if text else 1.0) + 1)
    training = _training(chosen, size, data, tokens, machine, asked, reasons)
    if overrides:
        reasons.append(f"Set by you, and followed by all that depends on it: {', '.join(overrides)}.")
    document = {
        "name": "automatic",
        "summary": "Chosen by saccade from the corpus and the machine.",
        "data": data.given(),
        "model": {"architecture": chosen, **model},
        "training": training,
        "decoding": _decoding(data, reasons),
    }
    return Choice(build_recipe(document, overrides), tuple(reasons))


def _with_languages(data: DataConfig, reasons: list[str]) -> DataConfig:
    """The languages of a translator that nobody has named, where its files are called after them."""
    if data.task != "translation" or data.source_language or data.target_language:
        return data
    source, target = (language_in_name(Path(name)) if name else None for name in (data.source, data.target))
    if source is None or target is None or source == target:
        return data
    reasons.append(
        f"From {source} to {target}, as the files are called. Others: --set data.source_language=de, and "
        "data.target_language."
    )
    return replace(data, source_language=source, target_language=target)


def _with_noise(data: DataConfig, corpus: CorpusStatistics, asked: _Asked, reasons: list[str]) -> DataConfig:
    """Noise for the text of a translator; several copies, so that a pair with noise is also read without."""
    wanted = data.task == "translation" and corpus.pairs > NOISE_FROM
    if not wanted or data.noise or asked.has("data.noise"):
        return data
    copies = data.sampled_copies if asked.has("data.sampled_copies") else max(data.sampled_copies, _NOISY_COPIES)
    reasons.append(
        f"Noise in {sum(SHARES.values()):.0%} of the pairs, drawn anew in {copies} copies: capitals, typing errors, "
        "tags, addresses. Without: --set data.noise=0."
    )
    return replace(data, noise=1.0, sampled_copies=copies)


def _decoding(data: DataConfig, reasons: list[str]) -> dict[str, Any]:
    """The paper's search for parsing, whose outputs are far longer than their sources; the usual one for the rest."""
    if data.does.content != "trees":
        return {}
    search = VASWANI2017.parsing
    reasons.append(f"A tree may have {search.extra_length} more symbols than its sentence has pieces, as in the paper.")
    return {"alpha": search.alpha, "extra_length": search.extra_length}


def _size(corpus: CorpusStatistics, machine: Machine, reasons: list[str]) -> Size:
    size = next(size for size in SIZES if corpus.pairs <= size.pairs)
    if machine.gpu_memory is None and (size.layers > _CPU_LAYERS or size.width > _CPU_WIDTH):
        width = min(size.width, _CPU_WIDTH)
        size = replace(size, layers=_CPU_LAYERS, width=width, inner_width=4 * width, heads=4)
        reasons.append("No GPU: the model is kept small, so that it is trained in hours rather than weeks.")
    return size


def _resized(size: Size, asked: _Asked) -> Size:
    """The size with the width that was set, if any, and what depends on it."""
    if not asked.has("model.width"):
        return size
    width = asked.value("model.width", int, size.width)
    heads = next(heads for heads in range(size.heads, 0, -1) if width % heads == 0)
    return replace(size, width=width, inner_width=4 * width, heads=heads)


def _model(chosen: str, size: Size, data: DataConfig, asked: _Asked, reasons: list[str]) -> dict[str, Any]:
    if chosen not in _USUAL:
        reasons.append(f"A model of the kind {chosen} for {data.task}: larger corpora get larger ones.")
        return _other(chosen, size)
    model = _transformer(chosen, size, data)
    layers = [str(asked.value(f"model.{key}", int, size.layers)) for key in model if key.endswith("layers")]
    dropout = asked.value("model.dropout", float, size.dropout)
    reasons.append(
        f"{'+'.join(layers)} layers of width {size.width} with dropout {dropout}: "
        "larger corpora get larger models and less dropout."
    )
    return model


def _training(
    chosen: str,
    size: Size,
    data: DataConfig,
    tokens: float,
    machine: Machine,
    asked: _Asked,
    reasons: list[str],
) -> dict[str, Any]:
    rule = batch_tokens_for(tokens, data.maximum_length, machine)
    batch_tokens = asked.value("training.batch_tokens", int, rule)
    rule = rounded(min(max(size.epochs * tokens / max(batch_tokens, 1), 1_000.0), 100_000.0))
    steps = asked.value("training.steps", int, rule)
    epochs = steps * batch_tokens / max(tokens, 1)
    reasons.append(
        f"{batch_tokens:,} tokens a batch {'for the GPU' if machine.gpu_memory else 'for a CPU'}; "
        f"{steps:,} steps read the corpus about {round(epochs, 1 if epochs < 10 else None):,} times."
    )
    training: dict[str, Any] = {"steps": steps, "batch_tokens": batch_tokens}
    training |= _rate(chosen, size, steps, asked, reasons)
    training |= _cadence(steps, asked, reasons)
    if data.does.architectures != "translation":
        training |= {"label_smoothing": 0.0}
    return training


def _rate(chosen: str, size: Size, steps: int, asked: _Asked, reasons: list[str]) -> dict[str, Any]:
    """The schedule, and its peak as a rate: a factor would mean another rate with every other width or warm-up."""
    warmup = asked.value("training.warmup", int, max(min(4_000, steps // 10), 1))
    rate: dict[str, Any] = {"schedule": "linear", "warmup": warmup}
    if chosen not in _USUAL:
        rate |= {"clip": 1.0}  # recurrent networks need it
    peak: float | None = min(2e-3, 0.25 / max(size.width, 1))
    peak = asked.value("training.learning_rate", float | None, peak)
    if peak is None or asked.has("training.learning_rate_factor"):
        reasons.append(f"The learning rate rises until step {warmup:,}, to the paper's, which depends on the width.")
        return rate
    reasons.append(f"The learning rate rises until step {warmup:,}, to {peak:.2g}.")
    return rate | {"learning_rate": peak}


def _cadence(steps: int, asked: _Asked, reasons: list[str]) -> dict[str, Any]:
    validate_every = asked.value("training.validate_every", int, max(steps // 20, min(steps, 25)))
    patience: int | None = asked.value("training.patience", int | None, 6)
    average = asked.value("training.average", int, TrainingConfig.average)
    ends = f"{patience} without improvement end the training" if patience else "it ends after the last step"
    mean = f"The last {average} checkpoints are averaged." if average > 1 else "The last checkpoint is the model."
    reasons.append(f"Validation every {validate_every:,} steps; {ends}. {mean}")
    return {
        "validate_every": validate_every,
        "checkpoint_every": max(steps // 40, min(steps, 10)),
        "patience": NONE if patience is None else patience,
        "journal_every": max(min(50, steps // 40), 1),
    }


def _architecture(data: DataConfig, overrides: Sequence[str]) -> str:
    """The one set by an override, or the default for this task."""
    asked = [override.partition("=")[2].strip(" \"'") for override in overrides if _sets_architecture(override)]
    if asked:
        return architecture(asked[-1]).name
    able = [name for name, known in ARCHITECTURES.items() if known.task == data.does.architectures]
    if not able:
        raise ConfigError(f"`task` must be one that some architecture does, but none does {data.task}.")
    return next((name for name in _USUAL if name in able), able[0])


def _sets_architecture(override: str) -> bool:
    return override.partition("=")[0].strip() == "model.architecture"


def _transformer(chosen: str, size: Size, data: DataConfig) -> dict[str, Any]:
    """The sizes of both stacks, or of the one there is."""
    wanted = {
        "encoder_layers": size.layers,
        "decoder_layers": size.layers,
        "layers": size.layers,
        "width": size.width,
        "inner_width": size.inner_width,
        "heads": size.heads,
        "dropout": size.dropout,
        "norm": "pre",
        "tie": "all" if data.does.has_sources and data.shares_vocabulary else "target",
    }
    return _known(chosen, wanted)


def _other(chosen: str, size: Size) -> dict[str, Any]:
    """The sizes that most configs have, and an LSTM where there is a choice; the rest as in the paper."""
    wanted = {"width": size.width, "inner_width": size.inner_width, "dropout": size.dropout, "cell": "lstm"}
    return _known(chosen, wanted)


def _known(chosen: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Those that the config of this architecture has."""
    known = {field.name for field in fields(architecture(chosen).config)}
    return {name: value for name, value in wanted.items() if name in known}


def batch_tokens_for(tokens: float, maximum_length: int, machine: Machine) -> int:
    """What keeps the device busy, but at least 24 batches an epoch, and room for the longest sentence with its EOS."""
    if machine.gpu_memory is None:
        busy = 1_024 * min(max(machine.cores, 1), 4)
    else:
        busy = 25_000 if machine.gpu_memory >= 16 * 2**30 else 8_192
    return max(min(busy, int(tokens / 24)), 512, maximum_length + 1)


def rounded(steps: float) -> int:
    """Rounded to two leading digits."""
    magnitude = 10 ** max(len(str(int(steps))) - 2, 0)
    return int(round(steps / magnitude) * magnitude)
