"""The way of text through one model, put together from its folder: read, searched, checked for faults, scored."""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import torch

from saccade.quality.calibration import Calibration
from saccade.quality.checks import checks_for
from saccade.quality.faults import FaultFinder
from saccade.serving.bundle import Bundle
from saccade.serving.capitals import has_usual_cases
from saccade.serving.line_translation import LineTranslator
from saccade.serving.line_windows import LineWindows
from saccade.serving.model_engines import ModelEngines
from saccade.serving.pair_scoring import PairScorer
from saccade.serving.source_lines import Line, LineReader, RefusedLine
from saccade.serving.text_translation import Search, TextTranslator
from saccade.serving.translation import Translation
from saccade.serving.translation_options import TranslationOptions


@dataclass
class Pipeline:
    """What works on the text of a model.

    `elsewhere` is what lines go through, if not through the search of this pipeline.
    """

    bundle: Bundle
    engines: ModelEngines
    device: torch.device
    calibration: Calibration | None
    elsewhere: Search | None = None

    def __post_init__(self) -> None:
        self.reader = LineReader(
            self.bundle.source_tokenizer,
            self.bundle.target_tokenizer,
            self.engines.model.maximum_length,
            self.bundle.has_sources,
            self.engines.trees,
            self.bundle.usual_length,
        )

    @cached_property
    def lines(self) -> LineTranslator:
        """From lines that have been read to translations."""
        languages = self.bundle.source_language, self.bundle.target_language
        return LineTranslator(
            self.engines,
            self.bundle.source_tokenizer,
            self.bundle.target_tokenizer,
            self.bundle.has_sources,
            self.bundle.search,
            self.finder,
            self.calibration,
            self.bundle.task == "translation" and has_usual_cases(*languages),
            languages,
        )

    @cached_property
    def finder(self) -> FaultFinder | None:
        """What looks for faults: in translations between two languages that are known."""
        languages = self.bundle.source_language, self.bundle.target_language
        known = self.bundle.profile
        learned = () if known is None else (known.lengths, known.names)
        return checks_for(*languages, *learned) if self.bundle.task == "translation" else None

    @cached_property
    def pairs(self) -> PairScorer:
        """What scores given pairs."""
        unscored = self.bundle.search.unscored_prefix
        return PairScorer(self.engines.model, self.device, self.reader, self.engines.stable_scores, unscored)

    @property
    def texts(self) -> TextTranslator:
        """What translates texts and documents by their sentences."""
        # Not kept: it refers to this object, and a translator on a GPU must give its memory back when it is dropped.
        return TextTranslator(self.reader, self.search_lines, self.bundle.source_language, self.engines.model.attends)

    @property
    def windows(self) -> LineWindows:
        """What translates any number of lines."""
        return LineWindows(self.reader, self.search_lines, self.texts)

    def search_lines(self, lines: Sequence[Line | RefusedLine], options: TranslationOptions) -> Iterator[Translation]:
        """The translation of each line that has been read for the model."""
        return (self.elsewhere or self.lines.translate)(lines, options)

    def through(self, search: Search) -> "Pipeline":
        """The same, but lines go through `search`."""
        other = copy(self)
        other.elsewhere = search
        return other

    def with_calibration(self, calibration: Calibration | None) -> "Pipeline":
        """The same, with other confidences."""
        other = copy(self)
        other.__dict__.pop("lines", None)
        other.calibration = calibration
        return other
