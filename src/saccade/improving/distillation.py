"""Sequence-level distillation: Kim and Rush 2016, "Sequence-Level Knowledge Distillation", section 3.2.

A large model, or several averaged, translates the training sources with its beam; a small one is trained on what it
wrote. The teacher says things in fewer ways than people do, so that a small model can learn them, and it can then be
searched with a small beam or none.

    out/teacher/target.txt    what the teacher wrote for each line of the sources
    out/teacher/made.json     how
    out/...                   the run of the student
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from saccade.data.config import DataConfig, corpus_files, files_for_testing, languages
from saccade.data.parallel_text import PairFiles
from saccade.errors import ConfigError
from saccade.improving.translated_text import TranslatedText, for_training, translate_text
from saccade.recipes.recipe import Recipe, load_recipe
from saccade.runs.final_model import held_out_pairs
from saccade.runs.output_folder import check_output_folder
from saccade.runs.run import check_that_it_can_be_built, train
from saccade.runs.run_folder import RunResult
from saccade.serving.loading import load
from saccade.serving.quantization import Storage
from saccade.serving.translation import Watch
from saccade.serving.translator import Translator
from saccade.training.journal import Listener

TEACHER, TARGET = "teacher", "target.txt"
STUDENTS = {"small": "student-small", "base": "student-base"}
"""Recipes by the short names that `--student` takes; any other recipe may be named as well."""


def distill(
    teachers: str | Path | Sequence[str | Path],
    data: DataConfig,
    out: str | Path,
    *,
    student: str | Path = "small",
    reference_share: float | None = None,
    overrides: Sequence[str] = (),
    beam: int | None = None,
    device: str | None = None,
    engine: str = "torch",
    storage: Storage = "float32",
    listeners: Sequence[Listener] = (),
    watch: Watch = iter,
    command: str | None = None,
) -> RunResult:
    """Translates `data.source` with the teachers and trains a student on that, by a recipe, into the folder `out`.

    Without `data.source`, the sources are those of the corpus that the student's own recipe names, which then also
    validates and tests it. `data.target`, the references, is needed only with `reference_share`: the share of the
    training pairs that keeps what people wrote. Without validation files, the student is validated on what the teacher
    wrote. The same call continues.
    """
    out, models = Path(out), [teachers] if isinstance(teachers, str | Path) else list(teachers)
    recipe = load_recipe(STUDENTS.get(str(student), student), overrides)
    if data.source is None and (recipe.data.corpus is None or student in STUDENTS):
        raise ConfigError("`source` must name the sources to translate, but is missing. Pass --source.")
    if reference_share is not None and data.source is not None and data.target is None:
        raise ConfigError("`reference_share` must come with references, but there are none. Pass --target.")
    check_output_folder(out)
    translator = load(*models, device=device, engine=engine)
    options = for_training(translator.options(beam=beam))
    pairs = corpus_files(recipe.data)["train"] if data.source is None else PairFiles(Path(data.source))
    job = TranslatedText(translator, options, pairs.source, out / TEACHER, TARGET, "distillation")
    if data.source is None:
        taught = _corpus_data(recipe, data, pairs, translator, job.output, reference_share)
    else:
        taught = _data(recipe, data, translator, job.output, reference_share)
    chosen = replace(recipe, data=taught)
    _check(chosen)
    translate_text(job, watch)
    command = command or f"saccade distill {' '.join(map(str, models))} --student {student} --out {out}"
    return train(chosen, out, device=device, listeners=listeners, storage=storage, command=command)


def _check(recipe: Recipe) -> None:
    """What a run refuses before its first step is refused here before the teacher's first line."""
    check_that_it_can_be_built(recipe)
    held_out = files_for_testing(recipe.data)
    if recipe.data.valid_source is not None:
        held_out["valid"] = recipe.data.does.files(recipe.data.valid_source, recipe.data.valid_target)
    for files in held_out.values():
        held_out_pairs(files)


def _data(
    recipe: Recipe, data: DataConfig, teacher: Translator, written: Path, reference_share: float | None
) -> DataConfig:
    """The data of the student's recipe: the sources, what the teacher wrote for them, and references mixed in."""
    assert data.source is not None
    mixed = _mixed(data.source, data.target, reference_share)
    known = {
        "source_language": data.source_language or teacher.bundle.source_language,
        "target_language": data.target_language or teacher.bundle.target_language,
    }
    asked = data.given() | known | {"task": teacher.task, "target": str(written), "corpus": None, **mixed}
    return replace(recipe.data, **asked)


def _corpus_data(
    recipe: Recipe,
    data: DataConfig,
    pairs: PairFiles,
    teacher: Translator,
    written: Path,
    reference_share: float | None,
) -> DataConfig:
    """The corpus of the student's recipe, with what the teacher wrote for its sources, and its own targets mixed in."""
    if data.given():
        raise ConfigError(
            f"`{next(iter(data.given()))}` must come with the sources to translate, but they are those of the corpus "
            f"{recipe.data.corpus!r}. Pass --source too, or neither."
        )
    reads, writes = teacher.bundle.source_language, teacher.bundle.target_language
    if reads and writes and (reads, writes) != languages(recipe.data):
        source, target = languages(recipe.data)
        raise ConfigError(
            f"`teacher` must translate {source} to {target}, as {recipe.name!r} does, but translates {reads} to "
            f"{writes}. Choose another, or pass --source."
        )
    return replace(recipe.data, target=str(written), **_mixed(str(pairs.source), str(pairs.target), reference_share))


def _mixed(source: str, target: str | None, share: float | None) -> dict[str, Any]:
    """References in their share, as keys of the section [data]."""
    if share is None:
        return {}
    assert target is not None
    return {"mix_source": (source,), "mix_target": (target,), "mix_share": share}
