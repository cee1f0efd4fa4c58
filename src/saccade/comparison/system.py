"""One system of a comparison: its runs taken together, and what is measured on its model besides."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from saccade.comparison.alignments import aligns, error_against, gold_links, word_alignments
from saccade.comparison.operations import Operations, operations_of
from saccade.comparison.parameter_matching import narrow
from saccade.comparison.record import Record
from saccade.comparison.structure import Structure, structure
from saccade.data.prepare import STAMP, open_prepared
from saccade.data.tasks import find_task
from saccade.evaluation.alignment_error import AlignmentError
from saccade.models.catalogue import Architecture, architecture, build
from saccade.papers import LINEAGE, PAPERS, Citation, Published, Reported, published
from saccade.serving.translation import TranslationOptions
from saccade.serving.translator import Translator, load
from saccade.serving.word_alignment import WordAlignment

SENTENCES = 256
"""How many sources are translated to see how fast that is."""

Clock = Callable[[], float]


@dataclass(frozen=True)
class Spread:
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
class Decoding:
    """How fast a model writes with the search it was saved with."""

    sentences_per_second: float
    tokens_per_second: float
    beam: int


@dataclass(frozen=True)
class System:
    """A contender, its runs by seed, and what its model is like."""

    label: str
    architecture: Architecture
    records: tuple[Record, ...]
    structure: Structure
    operations: Operations | None
    decoding: Decoding | None
    alignments: tuple[WordAlignment, ...]
    alignment_errors: tuple[AlignmentError, ...]
    translations: tuple[str, ...]
    reported: tuple[Reported, ...]
    elsewhere: tuple[Published, ...]

    @property
    def citation(self) -> Citation:
        """The paper it comes from."""
        return PAPERS[self.architecture.paper]

    @property
    def score(self) -> Spread:
        """The main metric of each seed."""
        return Spread(tuple(record.score for record in self.records))

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the score would lie on 95 of 100 such test sets: the mean of both ends over the seeds."""
        ends = [(one.low, one.high) for one in self.records if one.low is not None and one.high is not None]
        return (fmean(low for low, _ in ends), fmean(high for _, high in ends)) if ends else None

    @property
    def perplexity(self) -> Spread | None:
        """The perplexity of each seed, where all have one."""
        values = [record.perplexity for record in self.records]
        return Spread(tuple(one for one in values if one is not None)) if None not in values else None

    @property
    def training_speed(self) -> Spread:
        """Target tokens a second of each seed while training."""
        return Spread(tuple(record.tokens_per_second for record in self.records))

    @property
    def by_length(self) -> tuple[tuple[str, int, float], ...]:
        """Label, examples and mean score of each range of source lengths."""
        columns = zip(*(record.buckets for record in self.records), strict=True)
        return tuple((one[0].label, one[0].examples, fmean(seed.value for seed in one)) for one in columns)

    @property
    def fall(self) -> float | None:
        """How much worse the longest sources are than the shortest, in points of the metric; negative: better."""
        ranges = self.by_length
        if len(ranges) < 2:
            return None
        lost = ranges[0][2] - ranges[-1][2]
        return lost if self.records[0].higher_is_better else -lost

    @property
    def alignment_error(self) -> Spread | None:
        """The alignment error rate of each seed, where the right alignment is known."""
        return Spread(tuple(one.error_rate for one in self.alignment_errors)) if self.alignment_errors else None


def grouped(records: Sequence[Record]) -> list[tuple[str, tuple[Record, ...]]]:
    """Runs that differ in their seed alone, together, under the shortest name that tells them from the others."""
    order = {id(record): place for place, record in enumerate(records)}
    groups: list[tuple[Record, ...]] = []
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
    records: Sequence[Record],
    pairs: Sequence[tuple[str, str]],
    shown: Sequence[tuple[str, str]],
    device: str | None,
    clock: Clock = time.perf_counter,
) -> System:
    """Looks at the models of some finished runs of one system; `shown` are the sentences everybody translates."""
    recipe = records[0].recipe
    its = architecture(recipe.architecture)
    first, gold = load(records[0].folder, device=device), gold_links(recipe.data)
    writes = find_task(recipe.data.task).has_sources
    corpus, languages = recipe.data.corpus, _languages(first)
    return System(
        label=label,
        architecture=its,
        records=tuple(records),
        structure=_structure(its.name, narrow(recipe.model)),
        operations=_operations(records[0]),
        decoding=decoding_speed(first, [source for source, _ in pairs], clock) if writes else None,
        alignments=tuple(word_alignments(first, shown)) if aligns(first) else (),
        alignment_errors=_alignment_errors(records, pairs, gold, device) if gold and aligns(first) else (),
        translations=tuple(first.translate([source for source, _ in shown], truncate=True)) if writes else (),
        reported=LINEAGE.get(its.paper, ()),
        elsewhere=tuple(one for one in published(corpus, languages) if one.paper == its.paper) if corpus else (),
    )


def decoding_speed(translator: Translator, sources: Sequence[str], clock: Clock) -> Decoding:
    """Translates some sources twice; the first time only warms up."""
    sources = list(dict.fromkeys(sources))[:SENTENCES]
    options = TranslationOptions(truncate=True, first_window=SENTENCES)
    list(translator.stream(sources, options))
    began = clock()
    outputs = [translation.text for translation in translator.stream(sources, options)]
    seconds = max(clock() - began, 1e-9)
    tokens = sum(len(row) + 1 for row in translator.target_tokenizer.encode(outputs))
    return Decoding(len(sources) / seconds, tokens / seconds, translator.search.size)


def _alignment_errors(
    records: Sequence[Record], pairs: Sequence[tuple[str, str]], gold: Path, device: str | None
) -> tuple[AlignmentError, ...]:
    return tuple(error_against(load(record.folder, device=device), pairs, gold) for record in records)


@cache
def _structure(name: str, config: Any) -> Structure:
    """It depends on nothing else, so it is looked at once."""
    return structure(lambda source, target: build(name, config, source, target))


def _operations(record: Record) -> Operations | None:
    """None where the data of the run are gone."""
    data = Path(record.folder) / "data"
    if not (data / STAMP).is_file():
        return None
    return operations_of(record.recipe.architecture, record.recipe.model, open_prepared(data))


def _languages(translator: Translator) -> str | None:
    bundle = translator.bundle
    return f"{bundle.source_language}-{bundle.target_language}" if bundle.source_language else None
