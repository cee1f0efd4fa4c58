"""One system of a comparison: the results of all its seeds, and what is measured on its model."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from saccade.comparison.alignments import AlignedPairs, SystemAlignment, aligns, system_alignment, word_alignments
from saccade.comparison.complexity import Complexity, measure_complexity
from saccade.comparison.finished_run import FinishedRun
from saccade.comparison.operations import Operations, operations_of
from saccade.comparison.parameter_matching import narrow
from saccade.data.prepared_corpus import STAMP, open_prepared
from saccade.data.tasks import find_task
from saccade.models.catalogue import Architecture, architecture, build
from saccade.papers import LINEAGE, PAPERS, Citation, Published, Reported, published
from saccade.serving.loading import load
from saccade.serving.translation_options import TranslationOptions
from saccade.serving.translator import Translator
from saccade.serving.word_alignment import WordAlignment

SENTENCES = 256
"""How many sources are translated to measure the speed."""


@dataclass(frozen=True)
class SeedValues:
    """A number measured once for each seed."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Their mean."""
        return fmean(self.values)

    @property
    def deviation(self) -> float | None:
        """Their standard deviation, from two seeds on."""
        return stdev(self.values) if len(self.values) > 1 else None


@dataclass(frozen=True)
class DecodingSpeed:
    """The speed of translation with the search settings of the model."""

    sentences_per_second: float
    tokens_per_second: float
    beam: int


@dataclass(frozen=True)
class MeasuredSystem:
    """A system, its finished runs by seed, and what was measured on its model."""

    label: str
    architecture: Architecture
    runs: tuple[FinishedRun, ...]
    complexity: Complexity
    operations: Operations | None
    decoding: DecodingSpeed | None
    alignments: tuple[WordAlignment, ...]
    system_alignments: tuple[SystemAlignment, ...]
    """One for each seed, where the right alignment is known."""
    translations: tuple[str, ...]
    reported: tuple[Reported, ...]
    elsewhere: tuple[Published, ...]

    @property
    def citation(self) -> Citation:
        """The paper it comes from."""
        return PAPERS[self.architecture.paper]

    @property
    def score(self) -> SeedValues:
        """The main metric of each seed."""
        return SeedValues(tuple(record.score for record in self.runs))

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the score would lie on 95 of 100 such test sets: the mean of both ends over the seeds."""
        ends = [(one.low, one.high) for one in self.runs if one.low is not None and one.high is not None]
        return (fmean(low for low, _ in ends), fmean(high for _, high in ends)) if ends else None

    @property
    def perplexity(self) -> SeedValues | None:
        """The perplexity of each seed, where all have one."""
        values = [record.perplexity for record in self.runs]
        return SeedValues(tuple(one for one in values if one is not None)) if None not in values else None

    @property
    def training_speed(self) -> SeedValues:
        """Target tokens a second of each seed while training."""
        return SeedValues(tuple(record.tokens_per_second for record in self.runs))

    @property
    def by_length(self) -> tuple[tuple[str, int, float], ...]:
        """Label, examples and mean score of each range of source lengths."""
        columns = zip(*(record.buckets for record in self.runs), strict=True)
        return tuple((one[0].label, one[0].examples, fmean(seed.value for seed in one)) for one in columns)

    @property
    def fall(self) -> float | None:
        """How much worse the longest sources are than the shortest, in points of the metric; negative: better."""
        ranges = self.by_length
        if len(ranges) < 2:
            return None
        lost = ranges[0][2] - ranges[-1][2]
        return lost if self.runs[0].higher_is_better else -lost

    @property
    def alignment_error(self) -> SeedValues | None:
        """The alignment error rate of each seed, where the right alignment is known."""
        errors = tuple(one.own.error_rate for one in self.system_alignments)
        return SeedValues(errors) if errors else None


def grouped(records: Sequence[FinishedRun]) -> list[tuple[str, tuple[FinishedRun, ...]]]:
    """Runs that differ in their seed alone, together, under the shortest name that tells them from the others."""
    order = {id(record): place for place, record in enumerate(records)}
    groups: list[tuple[FinishedRun, ...]] = []
    for record in records:
        same = next((group for group in groups if group[0].recipe.keys() == record.recipe.keys()), None)
        if same is None:
            groups.append((record,))
        else:
            groups[groups.index(same)] = (*same, record)
    groups.sort(key=lambda group: order[id(group[0])])
    by_architecture = [group[0].recipe.architecture for group in groups]
    by_recipe = [group[0].recipe.name for group in groups]
    labels = []
    for group, first, second in zip(groups, by_architecture, by_recipe, strict=True):
        if by_architecture.count(first) == 1:
            labels.append(first)
        else:
            labels.append(second if by_recipe.count(second) == 1 else Path(group[0].folder).name)
    return list(zip(labels, groups, strict=True))


def measure_system(
    label: str,
    records: Sequence[FinishedRun],
    pairs: Sequence[tuple[str, str]],
    shown: Sequence[tuple[str, str]],
    device: str | None,
) -> MeasuredSystem:
    """Measures the models of some finished runs of one system; `shown` are sentences that every system translates."""
    recipe = records[0].recipe
    its = architecture(recipe.architecture)
    first = load(records[0].folder, device=device, engine="torch")
    writes = find_task(recipe.data.task).has_sources
    corpus, languages = recipe.data.corpus, _languages(first)
    return MeasuredSystem(
        label=label,
        architecture=its,
        runs=tuple(records),
        complexity=_complexity(its.name, narrow(recipe.model)),
        operations=_operations(records[0]),
        decoding=decoding_speed(first, [source for source, _ in pairs]) if writes else None,
        alignments=tuple(word_alignments(first, shown)) if aligns(first) else (),
        system_alignments=_system_alignments(records, device) if aligns(first) else (),
        translations=tuple(first.translate([source for source, _ in shown], truncate=True)) if writes else (),
        reported=LINEAGE.get(its.paper, ()),
        elsewhere=tuple(one for one in published(corpus, languages) if one.paper == its.paper) if corpus else (),
    )


def decoding_speed(translator: Translator, sources: Sequence[str]) -> DecodingSpeed:
    """Translates some sources twice; the first time is a warm-up."""
    sources = list(dict.fromkeys(sources))[:SENTENCES]
    options = TranslationOptions(truncate=True, first_window=SENTENCES)
    list(translator.stream(sources, options))
    began = time.perf_counter()
    outputs = [translation.text for translation in translator.stream(sources, options)]
    seconds = max(time.perf_counter() - began, 1e-9)
    tokens = sum(len(row) + 1 for row in translator.target_tokenizer.encode(outputs))
    return DecodingSpeed(len(sources) / seconds, tokens / seconds, translator.search.size)


def _system_alignments(records: Sequence[FinishedRun], device: str | None) -> tuple[SystemAlignment, ...]:
    data = records[0].recipe.data
    development, test = AlignedPairs.of(data, "valid"), AlignedPairs.of(data, "test")
    if development is None or test is None:
        return ()
    return tuple(system_alignment(load(record.folder, device=device), development, test) for record in records)


@cache
def _complexity(name: str, config: Any) -> Complexity:
    """Cached: it depends on nothing else."""
    return measure_complexity(lambda source, target: build(name, config, source, target))


def _operations(record: FinishedRun) -> Operations | None:
    """None where the data of the run are gone."""
    data = Path(record.folder) / "data"
    if not (data / STAMP).is_file():
        return None
    return operations_of(record.recipe.architecture, record.recipe.model, open_prepared(data))


def _languages(translator: Translator) -> str | None:
    bundle = translator.bundle
    return f"{bundle.source_language}-{bundle.target_language}" if bundle.source_language else None
