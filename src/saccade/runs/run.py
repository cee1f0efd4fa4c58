"""A run: from a recipe to a trained, averaged and evaluated model in one folder.

    recipe -> token stores -> checkpoints -> their average, saved as a model folder -> scores of that model

The same command again continues an interrupted run and leaves a finished one alone: every stage first looks for its
result on disk. With more steps or more patience a finished run goes on from its last checkpoint (`recipe_changes.py`).
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import torch

from saccade.data.batches import Batches
from saccade.data.bucketed import BucketedBatches
from saccade.data.config import DataConfig, files_for_testing, languages
from saccade.data.packed import PackedBatches
from saccade.data.plausibility import doubts_about
from saccade.data.prepare import prepare
from saccade.data.prepared_corpus import Prepared
from saccade.data.token_store import TokenStore
from saccade.errors import ConfigError
from saccade.hardware import choose_device
from saccade.layers.adapters import merged
from saccade.layers.initialisation import scale_initial, skip_init
from saccade.memory import memory_is_enough
from saccade.models.capabilities import CountingModel, Penalised, reads_packed
from saccade.models.catalogue import build
from saccade.models.contract import Transducer
from saccade.recipes.automatic import Choice, Machine, asked_data, choose, measure
from saccade.recipes.automatic_fine_tuning import begins_from_a_model, choose_fine_tuning
from saccade.recipes.recipe import Recipe, load_recipe
from saccade.runs.final_model import FinalModel, average_last_checkpoints, held_out_pairs
from saccade.runs.fine_tuning import begin_from, check_that_it_can_be_tuned, vocabulary_of
from saccade.runs.output_folder import check_output_folder
from saccade.runs.recipe_changes import adopt_recipe, changes_here, continued, extended_at, steps_taken
from saccade.runs.refusal import leaving_nothing_when_refused, missing_folders
from saccade.runs.run_events import RunEvents
from saccade.runs.run_folder import RunResult, finished, has_started
from saccade.runs.usual_length import usual_length
from saccade.runs.validation import Validator
from saccade.serving.bundle import Bundle
from saccade.serving.quantization import STORAGES, Storage
from saccade.special_tokens import SPECIAL
from saccade.training import loop
from saccade.training.config import TrainingConfig
from saccade.training.counting import count
from saccade.training.distributed import World, process_group
from saccade.training.journal import Listener
from saccade.training.lock import run_lock
from saccade.training.schedule import learning_rate
from saccade.training.step_cuda_graph import captures_steps
from saccade.weights import model_size


def train(
    recipe: Recipe | DataConfig | str | Path | None = None,
    out: str | Path = "runs/run",
    *,
    overrides: Sequence[str] = (),
    device: str | torch.device | None = None,
    listeners: Sequence[Listener] = (),
    storage: Storage = "float32",
    command: str | None = None,
    stop_at: int | None = None,
    workers: int | None = 1,
    likelihood_only: bool = False,
) -> RunResult:
    """Trains a model by a recipe, or by one chosen for the files of a DataConfig, into the folder `out`.

    Without either, the run in `out` continues, with more steps or other limits where `overrides` say so. Listeners get
    every event of the journal and also {"event": "step", ...} after each step, {"event": "preparing", "text", "done",
    "total"} while data are prepared and the model is scored, and {"event": "note", "text"} for the user to read.
    `command` is what the model card gives as the command that made the model. `stop_at` interrupts the run after that
    step, as a signal would. `workers` is the number of processes that encode the text; None chooses it by the amount of
    text. It does not change the result. A script that asks for more than one must keep its own work below
    `if __name__ == "__main__"`. With `likelihood_only` validations measure the likelihood alone and translate nothing.
    """
    out = Path(out)
    if isinstance(overrides, str):
        raise ConfigError("`overrides` must be a list of changes, but is one text. Put it in brackets.")
    if storage not in STORAGES:
        raise ConfigError(f"`storage` must be one of {', '.join(STORAGES)}, but is {storage!r}.")
    with process_group(choose_device(None if device is None else str(device)), os.environ) as world:
        if world.first:
            check_output_folder(out)
        events = RunEvents(tuple(listeners) if world.first else ())
        choice = resolve_recipe(recipe, out, overrides=overrides, device=world.device)
        chosen = continued(choice.recipe, out)
        check_that_it_can_be_built(chosen)
        for reason in (*choice.reasons, *changes_here(chosen, out)):
            events.note(reason)
        command = command or f"saccade train {chosen.name} --out {out}"
        run = _Run(chosen, out, world, events, storage, command, workers, likelihood_only)
        if not world.first:
            return run.execute(stop_at)
        made = missing_folders(out)
        with run_lock(out, datetime.now().astimezone()), leaving_nothing_when_refused(out, made):
            adopt_recipe(chosen, out)
            if isinstance(recipe, DataConfig) and not has_started(out):
                events.note(f"All of it goes into {out / 'recipe.toml'}.")
            with memory_is_enough("the run"):
                return run.execute(stop_at)


def resolve_recipe(
    recipe: Recipe | DataConfig | str | Path | None,
    out: Path,
    *,
    overrides: Sequence[str] = (),
    device: str | torch.device | None = None,
) -> Choice:
    """The recipe that `train` uses for these arguments, with absolute paths, and why.

    Files without a recipe get one chosen for them, unless training on the same files has started in `out`: that run
    keeps its own.
    """
    written = out / "recipe.toml"
    match recipe:
        case DataConfig():
            data = recipe.with_absolute_paths()
            if written.is_file() and has_started(out):
                earlier = load_recipe(written, overrides)
                if earlier.data.agrees_with(data):
                    return Choice(earlier, (f"The run in {out} continues with the recipe chosen when it began.",))
            if begins_from_a_model(overrides):
                choice = choose_fine_tuning(data, Machine.here(device), overrides)
                return Choice(choice.recipe.with_absolute_paths(), choice.reasons)
            return choose(data, measure(asked_data(data, overrides)), Machine.here(device), overrides)
        case Recipe():
            found = recipe.with_overrides(overrides)
        case None if not written.is_file():
            raise ConfigError(
                f"`recipe` must be given, since `{out}` holds no run yet. Name one (`saccade recipes` lists them), "
                "or give --source and --target."
            )
        case _:
            found = load_recipe(recipe or written, overrides)
    return Choice(found.with_absolute_paths())


def check_that_it_can_be_built(recipe: Recipe) -> None:
    """Refuses a model that cannot be built, and text or batches that it cannot read, before any text is read.

    Whether, say, a score function suits the widths of a model is known only to that model. So one is built with a
    minimal vocabulary and uninitialised weights, and thrown away: preparing a corpus may take an hour, this a moment.
    """
    advice = "Choose smaller widths, fewer layers or a lower maximum_length, all under [model]."
    with skip_init(), memory_is_enough(f"the model of the recipe {recipe.name}", advice):
        model = build(recipe.architecture, recipe.model, SPECIAL + 1, SPECIAL + 1)
        if recipe.fine_tuning is not None:
            check_that_it_can_be_tuned(model, recipe.fine_tuning)
    if recipe.training.layout == "packed" and not reads_packed(model):
        raise ConfigError(
            f"`training.layout` must be auto or padded for {recipe.architecture}, which reads no packed batches as it "
            "is configured, but is 'packed'. Leave it out."
        )
    if recipe.data.maximum_length > model.maximum_length:
        raise ConfigError(
            f"`data.maximum_length` must be at most `model.maximum_length`, {model.maximum_length}, but is "
            f"{recipe.data.maximum_length}. Lower the one or raise the other."
        )


@dataclass(frozen=True)
class _Run:
    """One run in one process: its stages, from top to bottom in the order they are executed."""

    recipe: Recipe
    out: Path
    world: World
    events: RunEvents
    storage: Storage
    command: str
    workers: int | None
    likelihood_only: bool

    def execute(self, stop_at: int | None) -> RunResult:
        if done := finished(self.recipe, self.out):
            self.events.note(f"The run in {self.out} is finished; nothing to do.")
            return done
        prepared = self._prepare()
        model = self._build(prepared)
        trained = self._train(model, prepared, stop_at)
        result = RunResult(self.out, trained.progress.step, trained.ending)
        if result.interrupted or not self.world.first:
            return result
        averaged = average_last_checkpoints(model, self.out, self.recipe.training)
        final = FinalModel(self.recipe, self._bundle(model, prepared), trained, averaged, self.command)
        return final.save_and_score(self.out, prepared, self.world, self.events)

    def _prepare(self) -> Prepared:
        """Text to token stores, by the first process; the others open what it has made."""
        if not self.world.first:
            self.world.wait()
            return prepare(self.recipe.data, self.out / "data", vocabulary=vocabulary_of(self.recipe.fine_tuning))
        for files in files_for_testing(self.recipe.data).values():
            held_out_pairs(files)  # a fault in a test file must not come to light after hours of training
        vocabulary = vocabulary_of(self.recipe.fine_tuning)
        prepared = prepare(self.recipe.data, self.out / "data", self.events.progress, vocabulary, self.workers)
        self.events.note(prepared.report.text(self.recipe.data.does))
        for doubt in doubts_about(self.recipe.data):
            self.events.note(f"warning: {doubt}")
        self.world.wait()
        return prepared

    def _build(self, prepared: Prepared) -> Transducer[Any, Any]:
        sizes = prepared.source_tokenizer.size, prepared.target_tokenizer.size
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.recipe.training.seed)
            model = build(self.recipe.architecture, self.recipe.model, *sizes)
            if self.recipe.fine_tuning is not None:
                begun = bool(steps_taken(self.recipe, self.out))
                begin_from(model, self.recipe.fine_tuning, weights=not begun)
            elif self.recipe.training.initial_scale != 1.0:
                scale_initial(model, self.recipe.training.initial_scale)
            return model

    def _train(self, model: Transducer[Any, Any], prepared: Prepared, stop_at: int | None) -> loop.TrainingResult:
        training = self.recipe.training
        batches = training_batches(model, prepared.train, training, self.world)
        size = "counting" if isinstance(model, CountingModel) else _size(model)
        self.events.note(
            f"{size}, {len(prepared.train[0]):,} {self.recipe.data.does.examples}, "
            f"{len(batches.plan(0)):,} batches an epoch, {batches.padding:.1%} padding."
        )
        taken = steps_taken(self.recipe, self.out)
        if training.schedule == "linear" and taken and taken == extended_at(self.recipe):
            rate = learning_rate(taken + 1, model.width, training)
            self.events.note(
                f"The learning rate falls in a straight line to step {training.steps:,}, and goes on at {rate:.1e}."
            )
        as_bundle = partial(self._bundle, prepared=prepared)
        run = loop.Run(
            folder=self.out,
            world=self.world,
            validate=Validator(as_bundle, self.recipe.data, prepared, self.world.device, self.likelihood_only),
            listeners=self.events.listeners,
            about=_description(self.recipe, model),
            stop_at=stop_at,
            extended_at=extended_at(self.recipe),
        )
        trained = (count if isinstance(model, CountingModel) else loop.train)(model, batches, training, run)
        if taken and trained.progress.step == taken < training.steps and not trained.interrupted:
            self.events.note(f"No further step: `training.{trained.ending}` has ended the run. Raise it to train on.")
        return trained

    def _bundle(self, model: Transducer[Any, Any], prepared: Prepared) -> Bundle:
        """The model, with its adapters merged where it has any, and what turns text into its tokens and back."""
        source_language, target_language = languages(self.recipe.data)
        translates = self.recipe.data.task == "translation"
        return Bundle(
            model=merged(model),
            architecture=self.recipe.architecture,
            model_config=self.recipe.model,
            source_tokenizer=prepared.source_tokenizer,
            target_tokenizer=prepared.target_tokenizer,
            task=self.recipe.data.task,
            source_language=source_language,
            target_language=target_language,
            decoding=asdict(self.recipe.decoding),
            storage=self.storage,
            leaves=self.recipe.data.leaves if self.recipe.data.does.content == "trees" else None,
            usual_length=usual_length(prepared.train, self.recipe.fine_tuning) if translates else None,
        )


def training_batches(
    model: Transducer[Any, Any], stores: Sequence[TokenStore], training: TrainingConfig, world: World
) -> Batches:
    """Packed batches if the model reads them; else padded ones, of few shapes where steps can be captured for a GPU.

    With `training.layout = "padded"` they are padded in any case. A model that adds a term of its own to the loss gets
    no batches of few shapes: the rows that fill up a shape would count in that term.
    """
    kind: type[Batches] = Batches
    if training.packs:
        if reads_packed(model):
            kind = PackedBatches
        elif captures_steps(training, world) and training.accumulate == 1 and not isinstance(model, Penalised):
            kind = BucketedBatches
    return kind(stores, training.batch_tokens, training.seed)


def _description(recipe: Recipe, model: Transducer[Any, Any]) -> Mapping[str, Any]:
    """What `serving.described_model.build_for_replay` needs to build the model again."""
    adapters = None if recipe.fine_tuning is None else recipe.fine_tuning.adapters
    return {
        "architecture": recipe.architecture,
        "model": asdict(recipe.model),
        "source_vocabulary": model.source_vocabulary,
        "target_vocabulary": model.target_vocabulary,
        **({} if adapters is None else {"adapters": adapters}),
    }


def _size(model: Transducer[Any, Any]) -> str:
    """How many parameters there are and, where it is not all of them, how many are trained."""
    trained = sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
    all_of_them = model_size(model)
    size = f"{all_of_them:,} parameters"
    return size if trained in (0, all_of_them) else f"{size}, {trained:,} of them trained"
