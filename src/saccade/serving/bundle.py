"""A trained model in one folder: all that is needed to turn text into text, and nothing that runs when it is read.

    weights.safetensors     the tensors, in one of the forms of `quantization.py`
    joint.model             the tokenizer of both sides, or source.model and target.model (`data/tokenizer_files.py`)
    card.md                 the model card
    shortlist.safetensors   optional: which target tokens each source token calls for (CTranslate2 uses it)
    quality.json            optional: confidences, names and lengths learned from held-out text (`quality/profile.py`)
    config.json             architecture, sizes, task, languages, decoding defaults; size and SHA-256 of the others

The folder is written atomically. Reading is strict: each file is checked against config.json, config.json against its
own seal, and the tensors against the model they are for. Decoding defaults may be edited by hand.
"""

import json
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

import torch
from pydantic import Field, NonNegativeInt, PositiveInt
from torch import Tensor

import saccade
from saccade.data.language_tokens import in_languages, names_both_languages
from saccade.data.shortlist import Shortlist
from saccade.data.tasks import TASKS
from saccade.data.tokenizer import Tokenizer
from saccade.data.tokenizer_files import JOINT, SOURCE, TARGET, load_tokenizers, save_tokenizers
from saccade.data.trees import Leaves
from saccade.decoding.beam import BeamConfig
from saccade.errors import ConfigError, FormatError, InputError, did_you_mean
from saccade.folders import (
    atomic_folder,
    check_files,
    interrupted_replacement,
    not_written,
    sha256_of,
)
from saccade.json_files import StrictContent, checked, from_json, read_json, read_sealed_json, sealed, shown
from saccade.layers.adapters import add_adapters
from saccade.layers.initialisation import skip_init
from saccade.memory import memory_is_enough
from saccade.models.catalogue import ARCHITECTURES, build
from saccade.models.contract import Transducer
from saccade.quality.profile import QualityProfile
from saccade.serving.quantization import Storage, pack, unpack
from saccade.tensor_files import read_tensor_file, write_tensors
from saccade.weights import restore_weights, weights_of

FORMAT = 1
CONFIG, WEIGHTS, CARD = "config.json", "weights.safetensors", "card.md"
SHORTLIST = "shortlist.safetensors"
QUALITY = "quality.json"
SHIPPED = Path(__file__).parent / "shipped"
_EDITABLE = ("decoding",)
_COPY_AGAIN = "Copy the folder again."
_LARGEST_OPTION = 1 << 20
"""How large any number in a model's config may be, unless the file of its weights is larger."""


class _FileEntry(StrictContent):
    """Size and checksum of a file beside config.json."""

    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    size: NonNegativeInt


class ModelDescription(StrictContent):
    """What a model must be built with, before its weights are read."""

    architecture: str
    model: dict[str, Any]
    source_vocabulary: PositiveInt
    target_vocabulary: PositiveInt


class ReplayedModel(ModelDescription):
    """What a step that a run saved must be taken again with: perhaps a model with adapters of this rank."""

    adapters: PositiveInt | None = None


class ConfigFile(ModelDescription):
    """config.json."""

    format: int
    saccade: str
    task: str
    source_language: str | None
    target_language: str | None
    leaves: Leaves | None = None
    decoding: dict[str, Any] = Field(default_factory=dict)
    storage: Storage
    files: dict[Annotated[str, Field(pattern=r"^[^/\\\x00]+$")], _FileEntry]
    seal: str


@dataclass(frozen=True)
class Bundle:
    """A model with its tokenizers and settings: a model folder in memory.

    `digest` is a checksum of the folder without its decoding defaults; None for a model that was not loaded from one.
    `leaves` is what a parser writes for each word; None for every other model.
    """

    model: Transducer[Any, Any]
    architecture: str
    model_config: Any
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    task: str
    source_language: str | None
    target_language: str | None
    decoding: Mapping[str, Any]
    storage: Storage = "float32"
    shortlist: Shortlist | None = None
    digest: str | None = None
    leaves: Leaves | None = None
    profile: QualityProfile | None = None

    @classmethod
    def load(cls, folder: Path, device: torch.device | str = "cpu") -> "Bundle":
        """Reads and checks a model folder; the model is on the device, in evaluation mode."""
        folder = Path(folder)
        config = read_config(folder)
        _check_files(folder, config)
        source, target = _tokenizers(folder, config)
        stored = read_tensor_file(folder / WEIGHTS)
        with memory_is_enough(f"the model in `{folder}`"):
            with skip_init():
                model, model_config = build_described(config, str(folder), stored)
            restore_weights(model, unpack(stored), f"the weights in `{folder / WEIGHTS}`", assign=True)
            model = model.to(device)
        shortlist = None
        if SHORTLIST in config.files:
            shortlist = Shortlist.load(folder / SHORTLIST, source.size, target.size)
        return cls(
            model=model,
            architecture=config.architecture,
            model_config=model_config,
            source_tokenizer=source,
            target_tokenizer=target,
            task=config.task,
            source_language=config.source_language,
            target_language=config.target_language,
            decoding=config.decoding,
            storage=config.storage,
            shortlist=shortlist,
            digest=config.seal,
            leaves=config.leaves,
            profile=QualityProfile.load(folder / QUALITY) if QUALITY in config.files else None,
        )

    def save(self, folder: Path, card: str) -> None:
        """Writes the model folder, replacing an older model of that name; other files in it stay."""
        folder = Path(folder)
        try:
            with atomic_folder(folder, written_files) as partial:
                write_tensors(partial / WEIGHTS, pack(weights_of(self.model), self.storage))
                save_tokenizers(partial, self.source_tokenizer, self.target_tokenizer)
                (partial / CARD).write_text(card, encoding="utf-8")
                if self.shortlist is not None:
                    self.shortlist.save(partial / SHORTLIST)
                if self.profile is not None:
                    self.profile.save(partial / QUALITY)
                files = {path.name: _file_entry(path) for path in sorted(partial.iterdir())}
                _write_config(partial, {**self._description(), "files": files})
        except OSError as problem:
            raise not_written(folder, problem) from problem

    def between(self, source_language: str | None, target_language: str | None) -> "Bundle":
        """The same model for these languages; one that is not named stays what it was.

        Of a model of one pair of languages only that pair can be asked for.
        """
        tokenizers = self.source_tokenizer, self.target_tokenizer
        given = {"source_language": source_language, "target_language": target_language}
        own = {"source_language": self.source_language, "target_language": self.target_language}
        changed = {name: value for name, value in given.items() if value not in (None, own[name])}
        for name in changed:
            if own[name] is not None and not _is_told(name, tokenizers):
                raise ConfigError(
                    f"`{name}` must be {own[name]}, the only one of this model, but is {given[name]!r:.40}."
                )
        source, target = in_languages(tokenizers, changed.get("source_language"), changed.get("target_language"))
        return replace(
            self,
            source_tokenizer=source,
            target_tokenizer=target,
            source_language=source_language or self.source_language,
            target_language=target_language or self.target_language,
        )

    def _description(self) -> dict[str, Any]:
        parser = {} if self.leaves is None else {"leaves": self.leaves}
        return {
            "format": FORMAT,
            "saccade": saccade.__version__,
            "architecture": self.architecture,
            "model": asdict(self.model_config),
            "source_vocabulary": self.model.source_vocabulary,
            "target_vocabulary": self.model.target_vocabulary,
            "task": self.task,
            "source_language": self.source_language,
            "target_language": self.target_language,
            "decoding": dict(self.decoding),
            "storage": self.storage,
            **parser,
        }


def _is_told(name: str, tokenizers: tuple[Tokenizer, Tokenizer]) -> bool:
    """Whether a piece of the vocabulary tells the model its source language, or its target language."""
    source, _ = tokenizers
    return names_both_languages(source) or (
        name == "target_language" and source.vocabulary is not None and bool(source.vocabulary.languages)
    )


def shipped_models() -> dict[str, Path]:
    """The models inside the package (`serving/shipped/`), by name."""
    return {path.parent.name: path.parent for path in sorted(SHIPPED.glob("*/config.json"))}


def model_folder(model: str | Path) -> Path:
    """The folder of a model, given that folder, the run that trained it, or the name of a shipped model.

    A folder on disk is preferred to a shipped model of the same name.
    """
    if not str(model).strip():  # a variable of the shell that is not set, and not the folder one happens to be in
        raise InputError("`model` must name a model folder, a run or a shipped model, but is empty.")
    path = Path(model)
    for candidate in (path, path / "model"):
        if (candidate / CONFIG).is_file():
            return candidate
    shipped = shipped_models()
    if str(model) in shipped:
        return shipped[str(model)]
    if (path / "recipe.toml").is_file():
        raise InputError(f"the run {path} has no finished model yet. Continue it: saccade train --out {path}")
    if path.is_dir():
        raise InputError(
            f"`model` must be a model folder, but {path} has no config.json. Name a run or a model folder."
        )
    names = ", ".join(shipped) or "none"
    raise InputError(
        f"`model` must be a folder of a model or of a run, or a shipped model ({names}), but is {str(model)!r}."
        + did_you_mean(str(model), shipped)
    )


def short_name(model: str | Path) -> str:
    """What a model is called among others: the name of its run, of its folder, or its shipped name."""
    path = Path(model)
    return path.resolve().parent.name if path.name == "model" else path.resolve().name


def numbered(names: Iterable[str]) -> list[str]:
    """Names, each once: a second of the same name gets a number."""
    found: list[str] = []
    for name in names:
        number = 1 + sum(known == name or known.startswith(f"{name}-") for known in found)
        found.append(name if number == 1 else f"{name}-{number}")
    return found


def written_files(folder: Path) -> Collection[str] | None:
    """The files of a model folder; None where there is no config.json of ours."""
    try:
        config = read_json(folder / CONFIG, FORMAT)
    except FormatError:
        return None
    files = config.get("files")
    return {CONFIG, *files} if "seal" in config and isinstance(files, dict) else None


def add_shortlist(folder: Path, shortlist: Shortlist) -> None:
    """Puts a shortlist into an existing model folder, replacing an older one; nothing else in it changes."""
    _replace_files(folder, {SHORTLIST: shortlist.save})


def add_profile(folder: Path, profile: QualityProfile) -> None:
    """Puts what was learned about outputs into an existing model folder, and its reliability curve into the card."""
    card = (Path(folder) / CARD).read_text(encoding="utf-8") if (Path(folder) / CARD).is_file() else ""
    section = profile.calibration.to_markdown()
    sections = [part for part in re.split(r"(?m)^(?=## )", card) if not part.startswith("## Confidence")]
    place = next((place for place, part in enumerate(sections) if part.startswith("## Data")), len(sections))
    text = "".join([*sections[:place], f"{section}\n\n", *sections[place:]])
    _replace_files(folder, {QUALITY: profile.save, CARD: lambda path: path.write_text(text, encoding="utf-8")})


def _replace_files(folder: Path, written: Mapping[str, Callable[[Path], object]]) -> None:
    """Writes these files of a model folder anew; the others stay as they are."""
    folder = Path(folder)
    config = read_config(folder)
    _check_files(folder, config)
    files = {name: entry.model_dump() for name, entry in config.files.items() if name not in written}
    try:
        with atomic_folder(folder, written_files) as partial:
            for name in files:
                shutil.copy2(folder / name, partial / name)
            for name, write in written.items():
                write(partial / name)
                files[name] = _file_entry(partial / name)
            _write_config(partial, {**config.model_dump(), "files": dict(sorted(files.items()))})
    except OSError as problem:
        raise not_written(folder, problem) from problem


def build_described(
    description: ModelDescription, where: str, stored: Mapping[str, Tensor]
) -> tuple[Transducer[Any, Any], Any]:
    """The untrained model that a JSON description asks for, and its config.

    Its weights are about to be replaced by those of `stored`, so building it leaves the caller's random numbers alone,
    and a model that is larger than these is refused before anything is allocated.
    """
    config = _model_config(where, description.architecture, description.model)
    _check_sizes(config, where, stored)
    sizes = description.source_vocabulary, description.target_vocabulary
    with torch.random.fork_rng(devices=[]):
        return build(description.architecture, config, *sizes).eval(), config


def build_for_replay(where: str, about: Mapping[str, Any], stored: Mapping[str, Tensor]) -> Transducer[Any, Any]:
    """The model of a step that a run saved, with what the run said about it."""
    said = checked(ReplayedModel, about, where)
    model, _ = build_described(said, where, stored)
    if said.adapters is not None:
        add_adapters(model, said.adapters)
    return model


def summary(folder: Path) -> str:
    """A model folder in one line, read from its config alone."""
    config = read_config(Path(folder))
    languages = [language for language in (config.source_language, config.target_language) if language]
    megabytes = sum(file.size for file in config.files.values()) / 1e6
    direction = " ".join([" to ".join(languages), config.task]).strip()
    return f"{direction}, {config.architecture}, {megabytes:.1f} MB in {config.storage}"


def _write_config(folder: Path, config: Mapping[str, Any]) -> None:
    text = json.dumps(sealed(config, _EDITABLE), indent=2, ensure_ascii=False) + "\n"
    (folder / CONFIG).write_text(text, encoding="utf-8")


def read_config(folder: Path) -> ConfigFile:
    """What a model folder says about itself, checked; nothing else in it is read."""
    path = folder / CONFIG
    if not path.exists():
        left = interrupted_replacement(folder)
        rescue = f" An interrupted save left the model in {left}: move it there." if left else ""
        raise FormatError(f"`{folder}` must be a model folder, but has no {CONFIG}.{rescue}")
    config = checked(ConfigFile, read_sealed_json(path, FORMAT, _EDITABLE, _COPY_AGAIN), path, _COPY_AGAIN)
    if config.task not in TASKS:
        raise FormatError(f"`{path}`: the task must be one of {', '.join(TASKS)}, but is {shown(config.task)}.")
    if (config.leaves is not None) != (TASKS[config.task].content == "trees"):
        raise FormatError(f"`{path}`: `leaves` must be given for a parser, and for nothing else. {_COPY_AGAIN}")
    missing = {WEIGHTS, JOINT if JOINT in config.files else SOURCE, JOINT if JOINT in config.files else TARGET}
    if missing := missing - config.files.keys():
        raise FormatError(f"`{path}` must list the file {min(missing)}, but does not. {_COPY_AGAIN}")
    try:
        from_json(BeamConfig, config.decoding)
    except ValueError as problem:
        raise FormatError(f"`{path}`: in `decoding`, {problem}. Correct it there.") from None
    return config


def _tokenizers(folder: Path, config: ConfigFile) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers, if they have the vocabularies that the model is to be built for."""
    source, target = load_tokenizers(folder, joint=JOINT in config.files)
    sides = (("source", source, config.source_vocabulary), ("target", target, config.target_vocabulary))
    for side, tokenizer, size in sides:
        if tokenizer.size != size:
            raise FormatError(
                f"`{folder}` must have a {side} tokenizer of {size} tokens, but it has {tokenizer.size}. {_COPY_AGAIN}"
            )
    return source, target


def _check_files(folder: Path, config: ConfigFile) -> None:
    check_files(folder, {name: entry.sha256 for name, entry in config.files.items()}, _COPY_AGAIN)


def _check_sizes(config: Any, where: str, stored: Mapping[str, Tensor]) -> None:
    """Every layer has a tensor of its own, and no side of a tensor is longer than all of them together."""
    numbers = sum(tensor.numel() for tensor in stored.values())
    for field in fields(config):
        value = getattr(config, field.name)
        limit = len(stored) if field.name.endswith("layers") else max(numbers, _LARGEST_OPTION)
        if isinstance(value, int) and value > limit:
            raise FormatError(
                f"{where}: option `{field.name}` must be at most {limit:,} for a model with weights of this size "
                f"({numbers:,} numbers in {len(stored):,} tensors), but is {value:,}."
            )


def _file_entry(path: Path) -> dict[str, Any]:
    return {"sha256": sha256_of(path), "size": path.stat().st_size}


def _model_config(where: str, architecture: str, values: Mapping[str, Any]) -> Any:
    if architecture not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise FormatError(
            f"{where}: the architecture must be one of {known}, but is {shown(architecture)}."
            + did_you_mean(architecture, ARCHITECTURES)
        )
    config = ARCHITECTURES[architecture].config
    unknown = sorted(set(values) - {field.name for field in fields(config)})
    if unknown:
        raise FormatError(f"{where}: {architecture} has no option {', '.join(unknown)}. Upgrade saccade.")
    try:
        return from_json(config, values)
    except ValueError as problem:
        raise FormatError(f"{where}: among the options of {architecture}, {problem}.") from None
