"""Back-translation in rounds (Hoang et al. 2018, "Iterative Back-Translation"), and at the end a small model.

    round 0      a model of each direction, from the pairs alone
    round n      text of the target language gets sources from the backward model of the round before, and the forward
                 model is trained on the pairs and on these; with text of the source language, the backward model too,
                 in the same way
    student      trained on what the last forward model writes

Every step looks for its result first, so the same call continues after whatever stopped it, in the middle of a step or
between two.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from saccade.data.config import DataConfig
from saccade.decoding.sampling import SamplingConfig
from saccade.errors import ConfigError, InputError
from saccade.folders import atomic_write, names_in, usable
from saccade.improving.back_translation import AugmentResult, augment
from saccade.improving.distillation import distill
from saccade.improving.translated_text import not_empty
from saccade.json_files import read_sealed_json, sealed
from saccade.runs.run import train
from saccade.runs.run_folder import RunResult
from saccade.serving.translation import Watch
from saccade.training.journal import Listener

PLAN, FORMAT = "improve.json", 1


@dataclass(frozen=True)
class Improvement:
    """What `improve` is to do. It is kept in improve.json, and a call that continues must ask for the same.

    `data` are the pairs. `target_text` is text of the target language, back-translated for the model; `source_text` is
    text of the source language, translated for the model of the other direction. `overrides` change the recipe of every
    training but the student's.
    """

    data: DataConfig
    target_text: str
    source_text: str | None = None
    rounds: int = 1
    tag: str | None = "<BT>"
    sampling: SamplingConfig | None = None
    student: str | None = None
    overrides: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.data.source is None or self.data.target is None:
            raise ConfigError("`source` and `target` must both be files, since both directions are trained.")
        if self.rounds < 1:
            raise ConfigError(f"`rounds` must be 1 or more, but is {self.rounds}.")
        if self.rounds > 1 and self.source_text is None:
            raise ConfigError(
                f"`rounds` must be 1 without text of the source language, but is {self.rounds}: the backward model "
                "would stay as it is, and write the same again. Pass --source-text."
            )

    def with_absolute_paths(self) -> "Improvement":
        """The same with absolute paths; text that cannot be read is refused now, and not after hours of training."""
        paths: dict[str, Any] = {}
        for name in ("target_text", "source_text"):
            if (given := getattr(self, name)) is not None:
                paths[name] = str(Path(given).expanduser().absolute())
                not_empty(Path(given))
        return replace(self, data=self.data.with_absolute_paths(), **paths)

    def record(self) -> dict[str, Any]:
        """As improve.json has it."""
        values = {**vars(self), "data": self.data.given(), "sampling": self.sampling and vars(self.sampling)}
        record: dict[str, Any] = json.loads(json.dumps({"format": FORMAT, **values}))
        return record


class _Stopped(Exception):  # noqa: N818 - not an error: a signal has ended a training, which can go on
    def __init__(self, result: RunResult) -> None:
        self.result = result


def improve(
    asked: Improvement,
    out: str | Path,
    *,
    device: str | None = None,
    listeners: Sequence[Listener] = (),
    watch: Watch = iter,
    say: Callable[[str], None] = lambda _: None,
) -> RunResult:
    """Trains a model and improves it in rounds, all in the folder `out`; returns the result of the last training.

    A call for the same folder continues where an earlier one was stopped.
    """
    out = Path(out)
    asked = asked.with_absolute_paths()
    _adopt(asked.record(), out)

    def trained(name: str, data: DataConfig) -> RunResult:
        say(f"{name}: training")
        result = train(data, out / name, overrides=asked.overrides, device=device, listeners=listeners)
        if result.interrupted:
            raise _Stopped(result)
        return result

    def translated(name: str, model: RunResult, text: str) -> AugmentResult:
        say(f"{name}: {Path(text).name} by {model.folder.name}")
        return augment(
            model.folder, text, out / name, sampling=asked.sampling, tag=asked.tag, device=device, watch=watch
        )

    forward_data, backward_data = asked.data, _turned(asked.data)
    try:
        backward = trained("backward-0", backward_data)
        forward = trained("forward-0", forward_data)
        for number in range(1, asked.rounds + 1):
            sources = translated(f"sources-{number}", backward, asked.target_text)
            if number < asked.rounds and asked.source_text is not None:
                targets = translated(f"targets-{number}", forward, asked.source_text)
                backward = trained(f"backward-{number}", _with(backward_data, targets, asked.tag))
            forward = trained(f"forward-{number}", _with(forward_data, sources, asked.tag))
        if asked.student is None:
            return forward
        say("student: the teacher translates, then the student is trained")
        references = replace(asked.data, target=None)
        return distill(
            forward.folder, references, out / "student", student=asked.student,
            device=device, listeners=listeners, watch=watch,
        )  # fmt: skip
    except _Stopped as stopped:
        return stopped.result
    except (ConfigError, InputError):
        _withdraw(out)
        raise


def _withdraw(out: Path) -> None:
    """What was refused before anything was made leaves nothing behind."""
    if names_in(out) == {PLAN}:
        (out / PLAN).unlink()
        out.rmdir()


def _turned(data: DataConfig) -> DataConfig:
    """The same pairs the other way round."""
    return replace(
        data,
        source=data.target,
        target=data.source,
        valid_source=data.valid_target,
        valid_target=data.valid_source,
        test_source=data.test_target,
        test_target=data.test_source,
        source_language=data.target_language,
        target_language=data.source_language,
    )


def _with(data: DataConfig, more: AugmentResult, tag: str | None) -> DataConfig:
    """The pairs, and those with machine-made sources."""
    return replace(
        data,
        mix_source=(str(more.source.absolute()),),
        mix_target=(str(more.target.absolute()),),
        symbols=() if tag is None else (tag,),
    )


def _adopt(record: Mapping[str, Any], out: Path) -> None:
    """Writes down what is to be done, or refuses to go on with something else."""
    usable(out, lambda folder: (PLAN,) if PLAN in names_in(folder) else None)
    place = out / PLAN
    if not place.exists():
        out.mkdir(parents=True, exist_ok=True)
        atomic_write(place, json.dumps(sealed(record), indent=1, ensure_ascii=False) + "\n")
        return
    before = read_sealed_json(place, FORMAT, advice=f"Remove {out} to begin again.")
    for name, value in record.items():
        if before.get(name) != value:
            raise ConfigError(
                f"`{out}` must go on as it began, but `{name}` was {before.get(name)!r} and is {value!r}. "
                "Choose another --out, or use the same."
            )
