"""What held-out pairs teach about the outputs of a model, put into its folder: see `quality/profile.py`.

A training run learns it from the validation pairs that it translates in the end anyway (`runs/run.py`), but for the
names, which need training pairs as well.
"""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sacrebleu.metrics.chrf import CHRF

from saccade.errors import ConfigError, InputError
from saccade.hardware import choose_device
from saccade.quality.calibration import GOOD, UNCALIBRATED, Calibration, Judged
from saccade.quality.checks import checks_for
from saccade.quality.lengths import LengthBounds
from saccade.quality.names import TranslatedNames
from saccade.quality.profile import QualityProfile
from saccade.quality.words import folded_words
from saccade.serving.bundle import Bundle, add_profile
from saccade.serving.translation import Translation, Watch
from saccade.serving.translator import Translator

NAME_PAIRS = 200_000
"""Training pairs that translated names are learned from."""
FEWEST = 100
"""Pairs from which something can be learned."""


def calibrate(
    folder: Path,
    pairs: Sequence[tuple[str, str]],
    training: Sequence[tuple[str, str]] = (),
    *,
    device: str | None = None,
    watch: Watch = iter,
) -> QualityProfile:
    """Learns from held-out pairs, and the names from training pairs too; puts it into the model folder and its card."""
    chosen = choose_device(device)
    bundle = Bundle.load(folder, chosen)
    if not translates_languages(bundle):
        raise ConfigError(
            "`model` must translate between two languages that it names, but does not. Choose another, or train it "
            "with data.source_language and data.target_language set."
        )
    if len(pairs) < FEWEST:
        raise InputError(f"the held-out text must have at least {FEWEST} pairs, but has {len(pairs)}. Give more.")
    translator = Translator([bundle], chosen).with_calibration(UNCALIBRATED)
    options = translator.options(scores=True, split_sentences=False, repair=False, on_error="copy")
    translations = list(watch(translator.stream((source for source, _ in pairs), options)))
    profile = QualityProfile(
        LengthBounds.learned(pairs),
        TranslatedNames.learned([*pairs, *training]),
        calibrated(translations, [reference for _, reference in pairs]),
    )
    add_profile(folder, profile)
    return profile


def learned_while_scoring(translations: Sequence[Translation], pairs: Sequence[tuple[str, str]]) -> QualityProfile:
    """What the translations of all distinct sources of these pairs teach; each is judged by its first reference."""
    references = dict(reversed(pairs))
    return QualityProfile(
        LengthBounds.learned(pairs), None, calibrated(translations, [references[one.source] for one in translations])
    )


def translates_languages(bundle: Bundle) -> bool:
    """Whether something can be learned about the outputs of a model."""
    return bundle.task == "translation" and checks_for(bundle.source_language, bundle.target_language) is not None


def calibrated(translations: Sequence[Translation], references: Sequence[str]) -> Calibration:
    """The maps from uncalibrated confidences to how often they were right, and how certain outputs are."""
    chrf = CHRF()
    words: list[list[Judged]] = []
    sentences: list[Judged] = []
    outputs: list[tuple[float, int]] = []
    for translation, reference in zip(translations, references, strict=True):
        confidence = translation.nbest[0].confidence
        if confidence is None:
            continue
        sentences.append((confidence.sentence, chrf.sentence_score(translation.text, [reference]).score >= GOOD))
        words.append(judged_words(confidence.words, reference))
        tokens = translation.nbest[0].token_log_probabilities or ()
        outputs.append((math.fsum(tokens), len(tokens)))
    return Calibration.fitted(words, sentences, outputs)


def judged_words(words: Sequence[tuple[str, float]], reference: str) -> list[Judged]:
    """Each word with letters or digits, and whether the reference has it, as often as it is written."""
    left = Counter(folded_words(reference))
    judged = []
    for word, probability in words:
        parts = folded_words(word)
        if parts:
            judged.append((probability, all(left[part] > 0 for part in parts)))
            left.subtract(parts)
    return judged
