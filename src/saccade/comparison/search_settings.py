"""What the search and the average of checkpoints buy: finished runs translated again with other settings.

Nothing is trained for it. Each setting is tried on the development set with the model of every seed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from saccade.comparison.measured_system import SeedValues
from saccade.data.prepared_corpus import open_prepared
from saccade.decoding.beam import BeamConfig, StopRule
from saccade.hardware import choose_device
from saccade.recipes.recipe import Recipe
from saccade.serving.bundle import Bundle
from saccade.serving.evaluate import evaluate_model
from saccade.serving.translation_options import TranslationOptions
from saccade.serving.translator import Translator
from saccade.training.bookkeeping import checkpoints_of
from saccade.training.checkpoint import average_checkpoints
from saccade.weights import restore_weights

BEAMS = (1, 2, 4, 8, 16, 32)
ALPHAS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
AVERAGES = (1, 3, 5)


@dataclass(frozen=True)
class TriedSetting:
    """One setting and the BLEU of every seed with it; `varied` is what differs between the settings of one list."""

    varied: str
    value: str
    bleu: SeedValues


def searches(own: BeamConfig) -> Iterator[tuple[str, str, BeamConfig]]:
    """What is varied, its value, and the search; all else is the recipe's own."""
    for size in BEAMS:
        yield "beam", str(size), replace(own, size=size, nbest=1)
    for alpha in ALPHAS:
        yield "length penalty", str(alpha), replace(own, alpha=alpha)
    for rule in get_args(StopRule):
        yield "stop rule", rule, replace(own, stop=rule)


def tried_settings(folders: Sequence[Path], recipe: Recipe, device: str | None) -> list[TriedSetting]:
    """All settings with the models of these runs, which differ in their seed alone."""
    found: dict[tuple[str, str], list[float]] = {}
    for folder in folders:
        pairs = open_prepared(folder / "data").valid_text
        bundle = Bundle.load(folder / "model", choose_device(device))
        for varied, value, search in searches(recipe.decoding):
            found.setdefault((varied, value), []).append(_bleu(bundle, search, pairs, device))
        for count in AVERAGES:
            recent = checkpoints_of(folder, recipe.training).recent(count)
            if len(recent) == count:
                restore_weights(bundle.model, average_checkpoints(recent))
                score = _bleu(bundle, recipe.decoding, pairs, device)
                found.setdefault(("average of checkpoints", str(count)), []).append(score)
    return [TriedSetting(varied, value, SeedValues(tuple(values))) for (varied, value), values in found.items()]


def _bleu(bundle: Bundle, search: BeamConfig, pairs: Sequence[tuple[str, str]], device: str | None) -> float:
    options = TranslationOptions(truncate=True, first_window=1024, search=search)
    return evaluate_model(Translator([bundle], choose_device(device)), pairs, options).report.main.value
