"""A trained model in one folder: everything text needs to become text, and nothing that runs when it is read.

    weights.safetensors     the tensors, in one of the forms of `storage.py`
    joint.model             the tokenizer of both sides, or source.model and target.model
    card.md                 what it was made from, what it reaches, what it is for
    shortlist.safetensors   optional: which target pieces a source calls for, for engines that use it
    config.json             architecture, sizes, task, languages, decoding defaults; size and SHA-256 of the others

The folder is written aside, flushed and renamed, so that it is there whole or not at all. Reading is strict: each file
is checked against config.json, config.json against its own seal, and the tensors against the model they are for.
"""

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import torch
from pydantic import TypeAdapter, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

import saccade
from saccade.data.shortlist import Shortlist
from saccade.data.tokenizer import Tokenizer
from saccade.errors import FormatError, RunError, did_you_mean
from saccade.folders import previous_of, whole_folder
from saccade.models.catalogue import ARCHITECTURES, build, undrawn
from saccade.models.contract import Transducer
from saccade.serving.quantization import Storage, canonical_names, pack, unpack

FORMAT = 1
CONFIG, WEIGHTS, CARD = "config.json", "weights.safetensors", "card.md"
SHORTLIST = "shortlist.safetensors"
JOINT, SOURCE, TARGET = "joint.model", "source.model", "target.model"


@dataclass(frozen=True)
class Bundle:
    """A model folder in memory.

    `digest` is a checksum of all of the folder but its decoding defaults; None for a model that no folder holds.
    """

    model: Transducer[Any, Any]
    architecture: str
    model_config: Any
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    task: str
    source_language: str | None
    target_language: str | None
    decoding: dict[str, Any]
    storage: str
    shortlist: Shortlist | None = None
    digest: str | None = None


def save_bundle(
    folder: Path,
    *,
    model: Transducer[Any, Any],
    architecture: str,
    model_config: Any,
    tokenizers: tuple[Tokenizer, Tokenizer],
    task: str,
    languages: tuple[str | None, str | None],
    decoding: Mapping[str, Any],
    card_text: str,
    storage: Storage = "float32",
    shortlist: Shortlist | None = None,
) -> None:
    """Writes the folder, in place of an older model of that name if there is one.

    Two equal tokenizers are one joint vocabulary, and stored once.
    """
    folder = Path(folder)
    _refuse_to_replace_anything_else(folder)
    try:
        with whole_folder(folder) as partial:
            names = set(canonical_names(model).values())
            stored = {name: tensor for name, tensor in model.state_dict().items() if name in names}
            save_file(pack(stored, storage), partial / WEIGHTS)
            (partial / WEIGHTS).chmod(0o644)  # safetensors keeps it to its owner
            source, target = tokenizers
            if source == target:
                source.save(partial / JOINT)
            else:
                source.save(partial / SOURCE)
                target.save(partial / TARGET)
            (partial / CARD).write_text(card_text, encoding="utf-8")
            if shortlist is not None:
                shortlist.save(partial / SHORTLIST)
            config = {
                "format": FORMAT,
                "saccade": saccade.__version__,
                "architecture": architecture,
                "model": asdict(model_config),
                "source_vocabulary": model.source_vocabulary,
                "target_vocabulary": model.target_vocabulary,
                "task": task,
                "source_language": languages[0],
                "target_language": languages[1],
                "decoding": dict(decoding),
                "storage": storage,
                "files": {path.name: _measure(path) for path in sorted(partial.iterdir())},
            }
            _write_config(partial, config)
    except SafetensorError as error:  # how safetensors reports a full disk
        raise RunError(f"{folder} cannot be written: {error}. Make room and try again.") from None


def load_bundle(folder: Path, device: torch.device | str = "cpu") -> Bundle:
    """Reads and checks the folder; the model is on the device and ready to translate."""
    folder = Path(folder)
    config = _read_config(folder)
    _check_files(folder, config["files"])
    with undrawn():
        model, model_config = build_described(config, str(folder))
    _load_weights(folder / WEIGHTS, model)
    if JOINT in config["files"]:
        source = target = Tokenizer.load(folder / JOINT)
    else:
        source, target = Tokenizer.load(folder / SOURCE), Tokenizer.load(folder / TARGET)
    for side, tokenizer in (("source", source), ("target", target)):
        if tokenizer.size != config[f"{side}_vocabulary"]:
            raise FormatError(
                f"{folder}: the {side} tokenizer must have {config[f'{side}_vocabulary']} pieces, but has "
                f"{tokenizer.size}. Take it from where it was made again."
            )
    shortlist = None
    if SHORTLIST in config["files"]:
        sizes = config["source_vocabulary"], config["target_vocabulary"]
        shortlist = Shortlist.load(folder / SHORTLIST, *sizes)
    return Bundle(
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


def add_shortlist(folder: Path, shortlist: Shortlist) -> None:
    """Puts a shortlist into a model folder that is there, in place of an older one; nothing else in it changes."""
    folder = Path(folder)
    config = _read_config(folder)
    _check_files(folder, config["files"])
    with whole_folder(folder) as partial:
        for path in folder.iterdir():
            if path.name not in (SHORTLIST, CONFIG):
                shutil.copy2(path, partial / path.name)
        shortlist.save(partial / SHORTLIST)
        files = {**config["files"], SHORTLIST: _measure(partial / SHORTLIST)}
        _write_config(partial, {**config, "files": dict(sorted(files.items()))})


def build_described(description: Mapping[str, Any], where: str) -> tuple[Transducer[Any, Any], Any]:
    """The model that a JSON description names (architecture, model, vocabularies), not yet trained, and its config.

    Its weights are about to be replaced: a reader of files has no business moving anybody's random numbers.
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
    text = json.dumps({**config, "seal": _seal(config)}, indent=2, ensure_ascii=False) + "\n"
    (folder / CONFIG).write_text(text, encoding="utf-8")


def _read_config(folder: Path) -> dict[str, Any]:
    path = folder / CONFIG
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        left = previous_of(folder)
        rescue = f" An interrupted save left the model in {left}: rename it." if left.exists() else ""
        raise FormatError(f"{folder} must be a model folder, but has no {CONFIG}.{rescue}") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{path} must be JSON, but is damaged ({error}). Copy the folder again.") from None
    if not isinstance(config, dict) or not isinstance(config.get("format"), int):
        raise FormatError(f"{path} must name its format, but does not. This is no model folder of saccade.")
    if config["format"] > FORMAT:
        raise FormatError(
            f"{folder} has format {config['format']}, which is newer than this saccade reads ({FORMAT}). "
            "Upgrade saccade."
        )
    if config.get("seal") != _seal(config):
        raise FormatError(f"{path} was changed after it was written (its seal is broken). Copy the folder again.")
    return config


def _check_files(folder: Path, files: Mapping[str, Any]) -> None:
    """Every file is there, whole and unchanged; whatever is not is named, all at once."""
    faults = []
    for name, expected in files.items():
        path = folder / name
        if not path.is_file():
            faults.append(f"{name} is missing")
        elif path.stat().st_size != expected["size"]:
            faults.append(f"{name} has {path.stat().st_size} bytes instead of {expected['size']}")
        elif _measure(path) != expected:
            faults.append(f"{name} has another checksum")
    if faults:
        raise FormatError(f"{folder} is damaged: {'; '.join(faults)}. Copy the folder again.")


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


def _load_weights(path: Path, model: Transducer[Any, Any]) -> None:
    """Fills the model, or lists every tensor that is missing, superfluous or of another shape."""
    try:
        tensors = unpack(load_file(path))
    except (SafetensorError, RuntimeError) as error:
        raise FormatError(f"{path} cannot be read: {error}. Copy the folder again.") from None
    model.make_room({name: tensor.shape for name, tensor in tensors.items()})
    state, stored_as = model.state_dict(), canonical_names(model)
    wanted = {name: state[name].shape for name in stored_as.values()}
    missing = [name for name in wanted if name not in tensors]
    extra = [name for name in tensors if name not in wanted]
    misshapen = [
        f"{name} (must be {list(shape)}, but is {list(tensors[name].shape)})"
        for name, shape in wanted.items()
        if name in tensors and tensors[name].shape != shape
    ]
    faults = [
        f"{kind}: {', '.join(names)}"
        for kind, names in (("missing", missing), ("extra", extra), ("of another shape", misshapen))
        if names
    ]
    if faults:
        raise FormatError(f"{path} does not hold the tensors of this model. {'; '.join(faults)}.")
    # Put in place, not copied. Those who share a tensor are given one and the same parameter, and go on sharing it.
    learned = {name for name, _ in model.named_parameters(remove_duplicate=False)}
    given = {name: torch.nn.Parameter(tensor) if name in learned else tensor for name, tensor in tensors.items()}
    model.load_state_dict({name: given[stored] for name, stored in stored_as.items()}, assign=True)


def _refuse_to_replace_anything_else(folder: Path) -> None:
    if folder.is_dir() and any(folder.iterdir()) and not (folder / CONFIG).is_file():
        raise FormatError(f"{folder} must be a new folder or an older model, but holds other files. Choose another.")


def _measure(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"sha256": digest, "size": path.stat().st_size}


def _seal(config: Mapping[str, Any]) -> str:
    """A digest of all that must not change unnoticed; decoding defaults are a matter of taste and may be edited."""
    sealed = {key: value for key, value in config.items() if key not in ("seal", "decoding")}
    return hashlib.sha256(json.dumps(sealed, sort_keys=True).encode()).hexdigest()
