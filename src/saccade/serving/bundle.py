"""A trained model in one folder: all that is needed to turn text into text, and nothing that runs when it is read.

    weights.safetensors     the tensors, in one of the forms of `quantization.py`
    joint.model             the tokenizer of both sides, or source.model and target.model
    card.md                 the model card
    shortlist.safetensors   optional: which target tokens each source token calls for (CTranslate2 uses it)
    config.json             architecture, sizes, task, languages, decoding defaults; size and SHA-256 of the others

The folder is written atomically. Reading is strict: each file is checked against config.json, config.json against its
own seal, and the tensors against the model they are for. Decoding defaults may be edited by hand.
"""

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import torch
from pydantic import TypeAdapter, ValidationError

import saccade
from saccade.data.shortlist import Shortlist
from saccade.data.tokenizer import JOINT, Tokenizer, load_tokenizers, save_tokenizers
from saccade.errors import FormatError, InputError, did_you_mean
from saccade.folders import (
    atomic_folder,
    check_files,
    not_written,
    previous_of,
    read_sealed_json,
    sealed,
    sha256_of,
)
from saccade.layers.initialisation import skip_init
from saccade.models.catalogue import ARCHITECTURES, build
from saccade.models.contract import Transducer
from saccade.serving.quantization import Storage, pack, unpack
from saccade.tensor_files import read_tensor_file, write_tensors
from saccade.weights import restore_weights, weights_of

FORMAT = 1
CONFIG, WEIGHTS, CARD = "config.json", "weights.safetensors", "card.md"
SHORTLIST = "shortlist.safetensors"
SHIPPED = Path(__file__).parent / "shipped"
_EDITABLE = ("decoding",)
_COPY_AGAIN = "Copy the folder again."


@dataclass(frozen=True)
class Bundle:
    """A model with its tokenizers and settings: a model folder in memory.

    `digest` is a checksum of the folder without its decoding defaults; None for a model that was not loaded from one.
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

    @classmethod
    def load(cls, folder: Path, device: torch.device | str = "cpu") -> "Bundle":
        """Reads and checks a model folder; the model is on the device, in evaluation mode."""
        folder = Path(folder)
        config = _read_config(folder)
        _check_files(folder, config)
        with skip_init():
            model, model_config = build_described(config, str(folder))
        weights = unpack(read_tensor_file(folder / WEIGHTS))
        restore_weights(model, weights, f"the weights in `{folder / WEIGHTS}`", assign=True)
        source, target = load_tokenizers(folder, joint=JOINT in config["files"])
        for side, tokenizer in (("source", source), ("target", target)):
            if tokenizer.size != config[f"{side}_vocabulary"]:
                raise FormatError(
                    f"`{folder}` must have a {side} tokenizer of {config[f'{side}_vocabulary']} tokens, but it has "
                    f"{tokenizer.size}. {_COPY_AGAIN}"
                )
        shortlist = None
        if SHORTLIST in config["files"]:
            shortlist = Shortlist.load(folder / SHORTLIST, source.size, target.size)
        return cls(
            model=model.to(device),
            architecture=config["architecture"],
            model_config=model_config,
            source_tokenizer=source,
            target_tokenizer=target,
            task=config["task"],
            source_language=config["source_language"],
            target_language=config["target_language"],
            decoding=config["decoding"],
            storage=config["storage"],
            shortlist=shortlist,
            digest=config["seal"],
        )

    def save(self, folder: Path, card: str) -> None:
        """Writes the model folder, replacing an older model of that name."""
        folder = Path(folder)
        if folder.is_dir() and any(folder.iterdir()) and not (folder / CONFIG).is_file():
            raise FormatError(
                f"`{folder}` must be a new folder or an older model, but holds other files. Choose another."
            )
        try:
            with atomic_folder(folder) as partial:
                write_tensors(partial / WEIGHTS, pack(weights_of(self.model), self.storage))
                save_tokenizers(partial, self.source_tokenizer, self.target_tokenizer)
                (partial / CARD).write_text(card, encoding="utf-8")
                if self.shortlist is not None:
                    self.shortlist.save(partial / SHORTLIST)
                files = {path.name: _file_entry(path) for path in sorted(partial.iterdir())}
                _write_config(partial, {**self._description(), "files": files})
        except OSError as problem:
            raise not_written(folder, problem) from problem

    def _description(self) -> dict[str, Any]:
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
        }


def shipped_models() -> dict[str, Path]:
    """The models inside the package (`serving/shipped/`), by name."""
    return {path.parent.name: path.parent for path in sorted(SHIPPED.glob("*/config.json"))}


def model_folder(model: str | Path) -> Path:
    """The folder of a model, given that folder, the run that trained it, or the name of a shipped model.

    A folder on disk is preferred to a shipped model of the same name.
    """
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


def add_shortlist(folder: Path, shortlist: Shortlist) -> None:
    """Puts a shortlist into an existing model folder, replacing an older one; nothing else in it changes."""
    folder = Path(folder)
    config = _read_config(folder)
    _check_files(folder, config)
    with atomic_folder(folder) as partial:
        for path in folder.iterdir():
            if path.name not in (SHORTLIST, CONFIG):
                shutil.copy2(path, partial / path.name)
        shortlist.save(partial / SHORTLIST)
        files = {**config["files"], SHORTLIST: _file_entry(partial / SHORTLIST)}
        _write_config(partial, {**config, "files": dict(sorted(files.items()))})


def build_described(description: Mapping[str, Any], where: str) -> tuple[Transducer[Any, Any], Any]:
    """The untrained model that a JSON description asks for (architecture, model, vocabularies), and its config.

    Its weights are about to be replaced, so building it leaves the caller's random numbers alone.
    """
    config = _model_config(where, description["architecture"], description["model"])
    sizes = description["source_vocabulary"], description["target_vocabulary"]
    with torch.random.fork_rng(devices=[]):
        return build(description["architecture"], config, *sizes).eval(), config


def summary(folder: Path) -> str:
    """A model folder in one line, read from its config alone."""
    config = _read_config(Path(folder))
    languages = [config[side] for side in ("source_language", "target_language") if config[side]]
    megabytes = sum(file["size"] for file in config["files"].values()) / 1e6
    direction = " ".join([" to ".join(languages), config["task"]]).strip()
    return f"{direction}, {config['architecture']}, {megabytes:.1f} MB in {config['storage']}"


def _write_config(folder: Path, config: Mapping[str, Any]) -> None:
    text = json.dumps(sealed(config, _EDITABLE), indent=2, ensure_ascii=False) + "\n"
    (folder / CONFIG).write_text(text, encoding="utf-8")


def _read_config(folder: Path) -> dict[str, Any]:
    if not (folder / CONFIG).exists():
        left = previous_of(folder)
        rescue = f" An interrupted save left the model in {left}: rename it." if left.exists() else ""
        raise FormatError(f"`{folder}` must be a model folder, but has no {CONFIG}.{rescue}")
    return read_sealed_json(folder / CONFIG, FORMAT, _EDITABLE, _COPY_AGAIN)


def _check_files(folder: Path, config: Mapping[str, Any]) -> None:
    check_files(folder, {name: entry["sha256"] for name, entry in config["files"].items()}, _COPY_AGAIN)


def _file_entry(path: Path) -> dict[str, Any]:
    return {"sha256": sha256_of(path), "size": path.stat().st_size}


def _model_config(where: str, architecture: str, values: Mapping[str, Any]) -> Any:
    if architecture not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise FormatError(
            f"{where}: the architecture must be one of {known}, but is {architecture!r}."
            + did_you_mean(architecture, ARCHITECTURES)
        )
    config = ARCHITECTURES[architecture].config
    unknown = sorted(set(values) - {field.name for field in fields(config)})
    if unknown:
        raise FormatError(f"{where}: {architecture} has no option {', '.join(unknown)}. Upgrade saccade.")
    try:
        return TypeAdapter(config).validate_json(json.dumps(values), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        option = ".".join(str(part) for part in first["loc"])
        raise FormatError(f"{where}: option `{option}` of {architecture} is invalid: {first['msg']}.") from None
