"""The model that a run leaves: the mean of its last checkpoints, scored as it was saved, with its card.

average_last_checkpoints -> the model folder -> scores and confidences of what that folder holds -> the card
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import torch

from saccade.counted import counted
from saccade.data.catalogue import known
from saccade.data.config import files_for_testing
from saccade.data.corpus_report import CorpusReport
from saccade.data.parallel_text import Limits, PairFiles, read_pairs
from saccade.data.prepared_corpus import Prepared
from saccade.data.text_lines import LONGEST_LINE
from saccade.evaluation.report import EvaluationReport
from saccade.models.contract import Transducer
from saccade.quality.calibration import UNCALIBRATED
from saccade.quality.profile import QualityProfile
from saccade.recipes.recipe import Recipe
from saccade.runs.model_card import TrainingFacts, card_text
from saccade.runs.run_events import RunEvents
from saccade.runs.run_folder import RunResult, write_evaluation, write_result
from saccade.serving.bundle import Bundle
from saccade.serving.calibrate import FEWEST, learned_while_scoring, translates_languages
from saccade.serving.evaluate import evaluate_model
from saccade.serving.translation_options import TranslationOptions
from saccade.serving.translator import Translator
from saccade.training.bookkeeping import checkpoints_of
from saccade.training.checkpoint import average_checkpoints
from saccade.training.config import TrainingConfig
from saccade.training.distributed import World
from saccade.training.loop import TrainingResult
from saccade.weights import model_size, restore_weights


def average_last_checkpoints(model: Transducer[Any, Any], run: Path, training: TrainingConfig) -> int:
    """Puts the mean of the last checkpoints into the model; returns how many there were."""
    checkpoints = checkpoints_of(run, training).recent(training.average)
    restore_weights(model, average_checkpoints(checkpoints))
    return len(checkpoints)


@dataclass(frozen=True)
class FinalModel:
    """A model whose training has ended, and how it was made: of how many checkpoints, by which recipe and command."""

    recipe: Recipe
    bundle: Bundle
    trained: TrainingResult
    averaged: int
    command: str

    def save_and_score(self, out: Path, prepared: Prepared, world: World, events: RunEvents) -> RunResult:
        """Saves the model, scores it as it was saved, and adds the card with the scores; then the run is finished."""
        folder, steps, ending = out / "model", self.trained.progress.step, self.trained.ending
        self.bundle.save(folder, "Not scored yet: continue the run.\n")
        reports, profile = scores_of(folder, self.recipe, prepared, world.device, events)
        facts = TrainingFacts(
            parameters=model_size(self.bundle.model),
            bytes=sum(path.stat().st_size for path in folder.iterdir()),
            steps=steps,
            minutes=self.trained.progress.seconds / 60,
            ended_by=ending,
            averaged=self.averaged,
            device=_device_name(world),
            command=self.command,
        )
        corpus = None if self.recipe.data.corpus is None else known(self.recipe.data.corpus)
        calibration = None if profile is None else profile.calibration
        card = card_text(self.recipe, corpus, len(prepared.train[0]), facts, reports, calibration)
        replace(self.bundle, profile=profile).save(folder, card)
        scores = {split: {one.metric: one.value for one in report.scores} for split, report in reports.items()}
        result = RunResult(out, steps, ending, scores)
        write_evaluation(out, reports)
        write_result(self.recipe, result)
        return result


def scores_of(
    folder: Path, recipe: Recipe, prepared: Prepared, device: torch.device, events: RunEvents
) -> tuple[dict[str, EvaluationReport], QualityProfile | None]:
    """The scores of the saved model, whose precision may be lower than in training, on every held-out split.

    What it writes for the validation split also tells how sure one may be of its outputs.
    """
    saved = Translator([Bundle.load(folder, device)], device)
    translator = saved.with_calibration(UNCALIBRATED)
    splits: dict[str, Sequence[tuple[str, str]]] = {"valid": prepared.valid_text}
    splits |= {split: held_out_pairs(files) for split, files in files_for_testing(recipe.data).items()}
    reports, profile = {}, None
    for split, pairs in splits.items():
        sources = len({source for source, _ in pairs})
        watch = partial(events.counted, f"scoring {split}", sources)
        learns = split == "valid" and sources >= FEWEST and translates_languages(translator.bundle)
        options = TranslationOptions(truncate=True, first_window=1024, scores=learns)
        evaluated = evaluate_model(translator, pairs, options, watch)
        reports[split] = evaluated.report
        if learns:
            profile = learned_while_scoring(evaluated.translations, pairs)
        main = reports[split].main
        events.note(f"{split}: {main.label} {main.value:.2f} on {counted(len(pairs), 'line')}.")
    return reports, profile


def held_out_pairs(files: PairFiles) -> list[tuple[str, str]]:
    """Every pair of a test set, however long or odd: leaving out what is hard would flatter the model."""
    return list(read_pairs(files, CorpusReport(), Limits(characters=LONGEST_LINE, ratio=inf)))


def _device_name(world: World) -> str:
    if world.device.type == "cuda":
        name = torch.cuda.get_device_name(world.device)
        return name if world.size == 1 else f"{world.size} x {name}"
    threads = torch.get_num_threads()
    return counted(threads, "CPU thread")
