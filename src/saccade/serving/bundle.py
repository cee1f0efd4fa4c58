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

import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

import saccade
from saccade.data.shortlist import Shortlist
from saccade.data.tasks import find_task
from saccade.data.tokenizer import Tokenizer
from saccade.data.tokenizer_files import JOINT, load_tokenizers, save_tokenizers
from saccade.data.trees import Leaves
from saccade.decoding.beam import BeamConfig
from saccade.errors import FormatError
from saccade.folders import atomic_folder, not_written
from saccade.layers.initialisation import skip_init
from saccade.memory import FOR_A_MODEL, memory_is_enough
from saccade.models.contract import Transducer
from saccade.quality.profile import QualityProfile
from saccade.serving.config_file import (
    CARD,
    COPY_AGAIN,
    FORMAT,
    QUALITY,
    SHORTLIST,
    WEIGHTS,
    ConfigFile,
    check_listed_files,
    file_entry,
    read_config,
    write_config,
    written_files,
)
from saccade.serving.described_model import build_described
from saccade.serving.languages import known_languages, tokenizers_between
from saccade.serving.quantization import Storage, pack, unpack
from saccade.tensor_files import read_tensor_file, write_tensors
from saccade.weights import restore_weights, weights_of


@dataclass(frozen=True)
class Bundle:
    """A model with its tokenizers and settings: a model folder in memory.

    `digest` is a checksum of the folder without its decoding defaults; None for a model that was not loaded from one.
    `leaves` is what a parser writes for each word; None for every other model. `usual_length` is how long the sources
    were that it learned from, in tokens with EOS, but for one in a thousand; None where nobody knows.
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
    usual_length: int | None = None

    @classmethod
    def load(cls, folder: Path, device: torch.device | str = "cpu") -> "Bundle":
        """Reads and checks a model folder; the model is on the device, in evaluation mode."""
        folder = Path(folder)
        config = read_config(folder)
        check_listed_files(folder, config)
        source, target = _tokenizers(folder, config)
        stored = read_tensor_file(folder / WEIGHTS)
        with memory_is_enough(f"the model in `{folder}`", FOR_A_MODEL):
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
            usual_length=config.usual_length,
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
                files = {path.name: file_entry(path) for path in sorted(partial.iterdir())}
                write_config(partial, {**self._description(), "files": files})
        except OSError as problem:
            raise not_written(folder, problem) from problem

    @property
    def search(self) -> BeamConfig:
        """The beam search that the model was saved with."""
        return BeamConfig(**self.decoding)

    @property
    def has_sources(self) -> bool:
        """Whether it makes texts from texts; a language model continues them."""
        return find_task(self.task).has_sources

    def between(self, source_language: str | None, target_language: str | None) -> "Bundle":
        """The same model for these languages; one that is not named stays what it was.

        Of a model of one pair of languages only that pair can be asked for.
        """
        source, target = tokenizers_between(
            (self.source_tokenizer, self.target_tokenizer),
            (self.source_language, self.target_language),
            (source_language, target_language),
        )
        return replace(
            self,
            source_tokenizer=source,
            target_tokenizer=target,
            source_language=source_language or self.source_language,
            target_language=target_language or self.target_language,
        )

    @property
    def languages(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What it can read and what it can write, its own languages first; nothing where that is not known."""
        tokenizers = self.source_tokenizer, self.target_tokenizer
        return known_languages(tokenizers, (self.source_language, self.target_language))

    def _description(self) -> dict[str, Any]:
        known = {"leaves": self.leaves, "usual_length": self.usual_length}
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
            **{name: value for name, value in known.items() if value is not None},
        }


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
    check_listed_files(folder, config)
    files = {name: entry.model_dump() for name, entry in config.files.items() if name not in written}
    try:
        with atomic_folder(folder, written_files) as partial:
            for name in files:
                shutil.copy2(folder / name, partial / name)
            for name, write in written.items():
                write(partial / name)
                files[name] = file_entry(partial / name)
            write_config(partial, {**config.model_dump(), "files": dict(sorted(files.items()))})
    except OSError as problem:
        raise not_written(folder, problem) from problem


def _tokenizers(folder: Path, config: ConfigFile) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers, if they have the vocabularies that the model is to be built for."""
    source, target = load_tokenizers(folder, joint=JOINT in config.files)
    sides = (("source", source, config.source_vocabulary), ("target", target, config.target_vocabulary))
    for side, tokenizer, size in sides:
        if tokenizer.size != size:
            raise FormatError(
                f"`{folder}` must have a {side} tokenizer of {size} tokens, but it has {tokenizer.size}. {COPY_AGAIN}"
            )
    return source, target
