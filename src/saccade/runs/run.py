"""The whole way: from a recipe to a trained, averaged, scored model in one folder.

The same command again continues an interrupted run, and leaves a finished one alone. Every stage either has its result
on disk already or makes it: the text becomes stores, the stores become checkpoints, their mean becomes the model, and
the model, as it is stored, is scored.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import torch

from saccade.data.batches import Batches
from saccade.data.catalogue import known
from saccade.data.corpus import LONGEST_LINE, CorpusReport, Limits, PairFiles, read_pairs
from saccade.data.packed import PackedBatches
from saccade.data.prepare import DataConfig, Prepared, files_for_testing, languages, prepare
from saccade.errors import ConfigError
from saccade.evaluation.report import EvaluationReport
from saccade.models.catalogue import build
from saccade.models.contract import Transducer
from saccade.recipes.automatic import Choice, propose
from saccade.recipes.recipe import Recipe, load_recipe, with_absolute_paths, with_overrides
from saccade.recipes.refusal import refuse_what_cannot_be_built
from saccade.runs.model_card import Made, card_text
from saccade.runs.run_folder import (
    RunResult,
    began,
    finished,
    settle,
    withdrawn_if_refused,
    write_evaluation,
    write_result,
)
from saccade.runs.validation import Validator
from saccade.serving.bundle import Bundle, load_bundle, save_bundle
from saccade.serving.evaluate import evaluate_model
from saccade.serving.quantization import STORAGES, Storage
from saccade.serving.translation import Options
from saccade.serving.translator import Translator, choose_device
from saccade.training import loop
from saccade.training.averaging import average
from saccade.training.bookkeeping import checkpoints_of
from saccade.training.counting import count
from saccade.training.distributed import World, joined
from saccade.training.journal import Listener
from saccade.training.lock import holding
from saccade.weights import restore_weights

Item = TypeVar("Item")
What = Recipe | DataConfig | str | Path | None


def train(
    recipe: What = None,
    out: str | Path = "runs/run",
    *,
    overrides: Sequence[str] = (),
    device: str | torch.device | None = None,
    listeners: Sequence[Listener] = (),
    storage: Storage = "float32",
    command: str | None = None,
    stop_at: int | None = None,
) -> RunResult:
    """Trains a model as a recipe says, or as suits the files of a DataConfig, into the folder `out`.

    Without either, the run that lies in `out` goes on. Listeners hear every event of the journal and, besides,
    {"event": "step", ...} after each step, {"event": "preparing", "text", "done", "total"} before the first and while
    the model is scored, and {"event": "note", "text"}, which is for a person. `command` is what the model card says
    made the model. `stop_at` stops after that step as a signal would.
    """
    out = Path(out)
    if isinstance(overrides, str):
        raise ConfigError("`overrides` must be a list of changes, but is one text. Put it in brackets.")
    if storage not in STORAGES:
        raise ConfigError(f"`storage` must be one of {', '.join(STORAGES)}, but is {storage!r}.")
    chosen = choose_device(None if device is None else str(device))
    with joined(chosen, os.environ) as world:
        notes = _Notes(tuple(listeners) if world.first else ())
        choice = resolve(recipe, out, overrides=overrides, device=world.device)
        for reason in choice.reasons:
            notes.say(reason)
        found = choice.recipe
        refuse_what_cannot_be_built(found)
        run = _Running(found, out, world, notes, storage, command or f"saccade train {found.name} --out {out}")
        if not world.first:
            return run.go(stop_at)
        with holding(out, datetime.now().astimezone()), withdrawn_if_refused(out):
            settle(found, out)
            if isinstance(recipe, DataConfig) and not began(out):
                notes.say(f"All of it is written to {out / 'recipe.toml'}.")
            return run.go(stop_at)


def resolve(
    recipe: What, out: str | Path, *, overrides: Sequence[str] = (), device: str | torch.device | None = None
) -> Choice:
    """The recipe that `train` would use for the same arguments, and what led to it."""
    out = Path(out)
    match recipe:
        case DataConfig():
            return propose(recipe, out, device=device, overrides=overrides)
        case None if not (out / "recipe.toml").is_file():
            raise ConfigError(
                f"`recipe` must be given, since `{out}` holds no run yet. Name one (`saccade recipes` lists them), "
                "or give --source and --target."
            )
        case None:
            found = load_recipe(out / "recipe.toml", overrides)
        case Recipe():
            found = with_overrides(recipe, overrides)
        case _:
            found = load_recipe(recipe, overrides)
    return Choice(with_absolute_paths(found), ())


@dataclass(frozen=True)
class _Notes:
    """Who hears what is said."""

    listeners: tuple[Listener, ...]

    def say(self, text: str) -> None:
        self._tell({"event": "note", "text": text})

    def preparing(self, text: str, done: int, total: int | None) -> None:
        self._tell({"event": "preparing", "text": text, "done": done, "total": total})

    def counted(self, text: str, total: int, items: Iterator[Item]) -> Iterator[Item]:
        """The same items, told as they pass."""
        for done, item in enumerate(items, start=1):
            self.preparing(text, done, total)
            yield item

    def _tell(self, event: Mapping[str, Any]) -> None:
        for listener in self.listeners:
            listener(event)


@dataclass(frozen=True)
class _Running:
    """One run on its way."""

    recipe: Recipe
    out: Path
    world: World
    notes: _Notes
    storage: Storage
    command: str

    def go(self, stop_at: int | None) -> RunResult:
        if done := finished(self.recipe, self.out):
            self.notes.say(f"The run in {self.out} is finished; nothing to do.")
            return done
        prepared = self._prepared()
        model = self._model(prepared)
        bundle = self._bundle(model, prepared)
        training = self.recipe.training
        laid_out = PackedBatches if model.packs and training.packs else Batches
        batches = laid_out(prepared.train, training.batch_tokens, training.seed)
        size = "counting" if model.counts else f"{model_size(model):,} parameters"
        self.notes.say(
            f"{size}, {len(prepared.train[0]):,} pairs, "
            f"{len(batches.plan(0)):,} batches an epoch, {batches.padding:.1%} padding."
        )
        learn = count if model.counts else loop.train
        trained = learn(
            model,
            batches,
            self.recipe.training,
            loop.Run(
                folder=self.out,
                world=self.world,
                validate=Validator(bundle, prepared.valid, prepared.valid_text, self.world.device),
                listeners=self.notes.listeners,
                about=_about(self.recipe, model),
                stop_at=stop_at,
            ),
        )
        result = RunResult(self.out, trained.standing.step, trained.ending)
        if result.interrupted or not self.world.first:
            return result
        return self._finish(bundle, prepared, result, trained.standing.seconds)

    def _prepared(self) -> Prepared:
        """Text to stores, by the first process; the others open what it has made."""
        folder = self.out / "data"
        if self.world.first:
            prepared = prepare(self.recipe.data, folder, self.notes.preparing)
            self.notes.say(str(prepared.report))
            self.world.wait()
            return prepared
        self.world.wait()
        return prepare(self.recipe.data, folder)

    def _model(self, prepared: Prepared) -> Transducer[Any, Any]:
        sizes = prepared.source_tokenizer.size, prepared.target_tokenizer.size
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.recipe.training.seed)
            return build(self.recipe.architecture, self.recipe.model, *sizes)

    def _bundle(self, model: Transducer[Any, Any], prepared: Prepared) -> Bundle:
        data = self.recipe.data
        source_language, target_language = languages(data)
        return Bundle(
            model=model,
            architecture=self.recipe.architecture,
            model_config=self.recipe.model,
            source_tokenizer=prepared.source_tokenizer,
            target_tokenizer=prepared.target_tokenizer,
            task=data.task,
            source_language=source_language,
            target_language=target_language,
            decoding=asdict(self.recipe.decoding),
            storage=self.storage,
        )

    def _finish(self, bundle: Bundle, prepared: Prepared, result: RunResult, seconds: float) -> RunResult:
        """Averages, stores, scores what was stored, and writes the card beside it."""
        averaged = checkpoints_of(self.out, self.recipe.training).recent(self.recipe.training.average)
        restore_weights(bundle.model, average(averaged))
        folder = self.out / "model"
        self._save(bundle, folder, "Not scored yet: continue the run.\n")
        reports = self._reports(folder, prepared)
        made = Made(
            parameters=model_size(bundle.model),
            bytes=sum(path.stat().st_size for path in folder.iterdir()),
            steps=result.steps,
            minutes=seconds / 60,
            ended_by=result.ending,
            averaged=len(averaged),
            device=_device_name(self.world),
            command=self.command,
        )
        corpus = None if self.recipe.data.corpus is None else known(self.recipe.data.corpus)
        self._save(bundle, folder, card_text(self.recipe, corpus, len(prepared.train[0]), made, reports))
        scores = {split: {one.metric: one.value for one in report.scores} for split, report in reports.items()}
        result = RunResult(self.out, result.steps, result.ending, scores)
        write_evaluation(self.out, reports)
        write_result(self.recipe, result)
        return result

    def _save(self, bundle: Bundle, folder: Path, card: str) -> None:
        save_bundle(
            folder,
            model=bundle.model,
            architecture=bundle.architecture,
            model_config=bundle.model_config,
            tokenizers=(bundle.source_tokenizer, bundle.target_tokenizer),
            task=bundle.task,
            languages=(bundle.source_language, bundle.target_language),
            decoding=bundle.decoding,
            card_text=card,
            storage=self.storage,
        )

    def _reports(self, folder: Path, prepared: Prepared) -> dict[str, EvaluationReport]:
        """The scores of the model on disk, which may be coarser than the one in memory, on every held-out split."""
        translator = Translator([load_bundle(folder, self.world.device)], self.world.device)
        splits: dict[str, Sequence[tuple[str, str]]] = {"valid": prepared.valid_text}
        splits |= {split: held_out_pairs(files) for split, files in files_for_testing(self.recipe.data).items()}
        reports = {}
        for split, pairs in splits.items():
            sources = len({source for source, _ in pairs})
            watch = partial(self.notes.counted, f"scoring {split}", sources)
            reports[split] = evaluate_model(translator, pairs, Options(truncate=True, first_window=1024), watch).report
            main = reports[split].main
            self.notes.say(f"{split}: {main.label} {main.value:.2f} on {len(pairs):,} lines.")
        return reports


def model_size(model: Transducer[Any, Any]) -> int:
    """The number of parameters, tied ones counted once, and of what was counted into tables."""
    tables = [model.get_buffer(name) for name in model.tables]
    return sum(tensor.numel() for tensor in (*model.parameters(), *tables))


def _about(recipe: Recipe, model: Transducer[Any, Any]) -> Mapping[str, Any]:
    return {
        "architecture": recipe.architecture,
        "model": asdict(recipe.model),
        "source_vocabulary": model.source_vocabulary,
        "target_vocabulary": model.target_vocabulary,
    }


def held_out_pairs(files: PairFiles) -> list[tuple[str, str]]:
    """All of them, however long or odd: a test that leaves out what is hard is none."""
    return list(read_pairs(files, CorpusReport(), Limits(characters=LONGEST_LINE, ratio=inf)))


def _device_name(world: World) -> str:
    if world.device.type == "cuda":
        name = torch.cuda.get_device_name(world.device)
        return name if world.size == 1 else f"{world.size} x {name}"
    return f"{torch.get_num_threads()} threads of a processor"
