"""The section [fine_tuning] of a recipe: training that begins from a model instead of from nothing.

    [fine_tuning]
    model = "en-es"         # a model folder, a run, or the name of a shipped model
    adapters = 16           # optional: train low-rank adapters of this rank, and leave the weights as they are

What the model is, it stays: [model], the vocabulary and the search are filled in from it, and other values are refused.
Only dropout may change, which is no part of a model that is used. The optimizer begins anew.

The learning rate rises for a tenth of the steps and falls in a straight line to zero, as in the automatic recipe; its
peak is another. All weights get three fifths of the automatic one: what was learned must survive the first steps, in
which Adam's moments know little. Adapters begin at zero and leave the weights alone; they get ten times that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, get_type_hints

from saccade.data.config import DataConfig
from saccade.data.tasks import find_task
from saccade.data.tokenizer import Tokenizer
from saccade.data.tokenizer_files import JOINT, load_tokenizers
from saccade.errors import ConfigError, FormatError, InputError
from saccade.models.catalogue import architecture
from saccade.recipes.strict_config import NONE, checked_value, read_section
from saccade.serving.config_file import ConfigFile, read_config
from saccade.serving.model_names import model_folder

STEPS = 2_000
"""How many, where a recipe does not say; the automatic rule looks at the corpus."""
_VOCABULARY = ("vocabulary", "pieces", "source_pieces", "target_pieces", "joint", "symbols", "byte_fallback", "leaves")


@dataclass(frozen=True)
class FineTuning:
    """Where training begins: a model, and whether only adapters of some rank are trained.

    `digest` is that of the model folder. It is filled in when the recipe is read, and says later which model it was.
    """

    model: str
    adapters: int | None = None
    digest: str | None = None

    def __post_init__(self) -> None:
        if self.adapters is not None and self.adapters < 1:
            raise ConfigError(f"`fine_tuning.adapters` must be 1 or more, or left out, but is {self.adapters}.")

    def with_absolute_path(self) -> "FineTuning":
        """The same model by an absolute path; a shipped one keeps its name."""
        path = Path(self.model).expanduser()
        return replace(self, model=str(path.absolute())) if path.exists() else self


def inherited(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with everything that the model to begin from decides, and with a learning rate for fine-tuning.

    A document that has been through this says which model it was (`digest`), and is whole without it.
    """
    if not document.get("fine_tuning"):
        return {key: value for key, value in document.items() if key != "fine_tuning"}
    given = read_section(FineTuning, "fine_tuning", document["fine_tuning"])
    try:
        folder = model_folder(given.model)
        parent = read_config(folder)
    except (InputError, FormatError):
        if given.digest is None:
            raise
        return dict(document)  # the model is gone, and its run goes on without it
    if given.digest not in (None, parent.seal):
        return dict(document)  # another model has taken its place, which matters where its weights are read
    tokenizers = load_tokenizers(folder, joint=(folder / JOINT).exists())
    data = _data(document.get("data", {}), parent, tokenizers, given.model)
    model = _model(document.get("model", {}), parent, given.model)
    return {
        **document,
        "fine_tuning": {**document["fine_tuning"], "digest": parent.seal},
        "data": data,
        "model": model,
        "training": _training(document.get("training", {}), model, data["task"], given.adapters),
        "decoding": {**parent.decoding, **document.get("decoding", {})},
    }


def peak_rate(width: int, adapters: int | None) -> float:
    """The highest learning rate, for a model of this width."""
    highest, factor = (1.2e-3, 0.15) if adapters is None else (6e-3, 1.5)
    return min(highest, factor / max(width, 1))


def _model(given: Mapping[str, Any], parent: ConfigFile, name: str) -> dict[str, Any]:
    kind = architecture(parent.architecture).config
    own = {"architecture": parent.architecture, **_defaults(kind), **parent.model}
    hints = {"architecture": str, **get_type_hints(kind)}
    for key, value in given.items():
        if key not in hints:
            raise ConfigError(f"`model.{key}` must be a key of {parent.architecture}, which `{name}` is, but is not.")
        checked = checked_value(f"model.{key}", value, hints[key])
        if "dropout" not in key:
            _same(f"model.{key}", checked, own[key], name)
    values = {**own, **{key: value for key, value in given.items() if "dropout" in key}}
    return {key: NONE if value is None else value for key, value in values.items()}


def _data(
    given: Mapping[str, Any], parent: ConfigFile, tokenizers: tuple[Tokenizer, Tokenizer], name: str
) -> dict[str, Any]:
    task, hints = find_task(parent.task), get_type_hints(DataConfig)
    if task.content not in ("pairs", "text"):
        raise ConfigError(
            f"`fine_tuning.model` must be of a task whose outputs are text, but `{name}` does {task.name}: new "
            "labels or brackets would need other pieces. Train a new model."
        )
    source, target = tokenizers
    for tokenizer in tokenizers:
        tokenizer.check_language()
    own: dict[str, Any] = {"task": task.name}
    if task.has_sources:
        own |= {"source_pieces": source.kind, "target_pieces": target.kind, "joint": source is target}
    else:
        own |= {"pieces": target.kind}
    if source.writes_unknown and target.writes_unknown:
        own["byte_fallback"] = False
    for key in ("task", *_VOCABULARY):
        if key in given:
            expected = {**_defaults(DataConfig), **own}[key]
            _same(f"data.{key}", checked_value(f"data.{key}", given[key], hints[key]), expected, name)
    languages = {"source_language": parent.source_language, "target_language": parent.target_language}
    known = {key: value for key, value in languages.items() if value is not None}
    longest = min(DataConfig.maximum_length, parent.model.get("maximum_length", DataConfig.maximum_length))
    kept = {key: value for key, value in given.items() if value != NONE}
    return {"maximum_length": longest, **known, **kept, **own}


def _training(given: Mapping[str, Any], model: Mapping[str, Any], task: str, adapters: int | None) -> dict[str, Any]:
    steps = checked_value("training.steps", given.get("steps", STEPS), int)
    rules: dict[str, Any] = {
        "steps": steps,
        "warmup": max(steps // 10, 1),
        "schedule": "linear",
        "validate_every": max(steps // 20, min(steps, 25)),
        "checkpoint_every": max(steps // 40, min(steps, 10)),
    }
    if "learning_rate_factor" not in given:
        rules["learning_rate"] = peak_rate(int(model.get("width", 512)), adapters)
    if find_task(task).architectures != "translation":
        rules["label_smoothing"] = 0.0
    return {**rules, **given}


def _same(key: str, given: object, expected: object, name: str) -> None:
    expected = tuple(expected) if isinstance(expected, list) else expected  # JSON has no tuples
    if given != expected:
        shown = NONE if expected is None else expected
        raise ConfigError(
            f"`{key}` must be that of the model `{name}`, {shown}, but is {given}. Leave it out, or train a new model."
        )


def _defaults(kind: type[Any]) -> dict[str, Any]:
    return {field.name: field.default for field in fields(kind)}
