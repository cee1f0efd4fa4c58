"""What `saccade bulk` does to a shard: translate its lines, or score its pairs, as the verbs of these names do."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from saccade.cli.score import check_on_error, score_line
from saccade.cli.translated_lines import write_translation
from saccade.cli.translation_arguments import LoadedTranslation, TranslationArguments
from saccade.errors import ConfigError
from saccade.serving.problems import TRUNCATED, Problems

if TYPE_CHECKING:
    import saccade.bulk.shards
    import saccade.bulk.work
    import saccade.serving.translator

WRITTEN_TOGETHER = 64
"""Lines that are written, and told of, at once."""
# How many threads or workers there are is of no consequence for an output, and another machine may have others.
_THREADS = re.compile(r", \d+ (thread|worker)s?")


@dataclass(frozen=True)
class TranslationWork:
    """Lines to translate."""

    arguments: TranslationArguments
    path: Path

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The file."""
        return (self.path,)

    @property
    def device(self) -> str | None:
        """Where the model runs."""
        return self.arguments.device

    def window_sizes(self) -> Iterator[int]:
        """As of one process over the whole file."""
        from saccade.serving.translation_options import TranslationOptions

        assert self.arguments.window is not None, "shards are cut before anybody knows the device"
        return TranslationOptions(window=self.arguments.window).window_sizes()

    def load(self, say: "saccade.bulk.work.Say") -> "LoadedTranslationWork":
        """With its model."""
        from saccade.documents.formats import find_format

        loaded = self.arguments.load(say)
        kind = find_format(self.path)
        if kind is not None and not self.arguments.no_split and loaded.translator.task == "translation":
            raise ConfigError(
                f"`{self.path}` must be lines of text, but is a document ({kind.name}). Use `saccade translate`, or "
                "add --no-split to take it as lines."
            )
        return LoadedTranslationWork(loaded, self.path, say)


@dataclass(frozen=True)
class LoadedTranslationWork:
    """The same with a translator."""

    loaded: LoadedTranslation
    path: Path
    say: "saccade.bulk.work.Say"

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that the output depends on, apart from the input."""
        return {"verb": "translate", **_without_threads(self.loaded.settings)}

    def process(
        self,
        shard: "saccade.bulk.shards.Shard",
        outputs: Sequence["saccade.bulk.work.Sink"],
        watch: "saccade.bulk.work.Watch",
    ) -> Problems:
        """Writes the translation of each line, and what the report says about it."""
        from saccade.data.text_lines import lines_or_errors

        lines = lines_or_errors(self.path, shard.ranges[0])
        if shard.number == 0 and self.loaded.options.window >= self.loaded.options.first_window:
            lines = self.loaded.with_language_checked(lines, self.say)
        writer = _ShardOutput(outputs, watch)
        options = replace(self.loaded.options, first_window=shard.window)
        translations = self.loaded.translator.stream(lines, options, self.loaded.prefix, first=shard.first)
        for translation in translations:
            write_translation(translation, self.loaded.form, writer)
        writer.flush()
        return writer.problems


class _ShardOutput:
    """Where the lines of a shard go: many at once, since a GPU makes them faster than they are written one by one."""

    def __init__(self, outputs: Sequence["saccade.bulk.work.Sink"], watch: "saccade.bulk.work.Watch") -> None:
        self.problems = Problems()
        self._outputs, self._watch = outputs, watch
        self._lines: list[str] = []

    def write(self, source: str, line: str, problem: str | None) -> None:  # noqa: ARG002
        """Takes the output of the next source line, and what the report says about it."""
        self._lines.append(line)
        if len(self._lines) >= WRITTEN_TOGETHER:
            self.flush()
        if problem is not None and len(self._outputs) > 1:
            self._outputs[1].write(problem.encode("utf-8", "replace"))

    def flush(self) -> None:
        """Writes what has come."""
        self._outputs[0].write("".join(self._lines).encode("utf-8", "replace"))
        self._watch(len(self._lines))
        self._lines = []


@dataclass(frozen=True)
class ScoringWork:
    """Pairs to score."""

    model: str
    ensemble: list[str] | None
    source_language: str | None
    target_language: str | None
    source: Path
    target: Path | None
    as_json: bool
    truncate: bool
    on_error: str
    device: str | None

    def check(self) -> None:
        """Refuses what cannot be meant, before anything is loaded."""
        check_on_error(self.on_error)

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The one or two files."""
        return (self.source,) if self.target is None else (self.source, self.target)

    def window_sizes(self) -> Iterator[int]:
        """As of one process over all pairs."""
        from saccade.serving.pair_scoring import SCORED_TOGETHER

        while True:
            yield SCORED_TOGETHER

    def load(self, say: "saccade.bulk.work.Say") -> "LoadedScoringWork":  # noqa: ARG002 nothing to say
        """With its model."""
        from saccade.serving.loading import load

        translator = load(
            self.model,
            *(self.ensemble or ()),
            device=self.device,
            source_language=self.source_language,
            target_language=self.target_language,
        )
        translator.check_languages()
        return LoadedScoringWork(self, translator)


@dataclass(frozen=True)
class LoadedScoringWork:
    """The same with a translator."""

    work: ScoringWork
    translator: "saccade.serving.translator.Translator"

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that the output depends on, apart from the input."""
        from saccade.serving.translation_options import TranslationOptions
        from saccade.serving.unfinished import search_settings

        work = self.work
        asked = {"as_json": work.as_json, "truncate": work.truncate, "on_error": work.on_error}
        return {"verb": "score", **_without_threads(search_settings(self.translator, TranslationOptions())), **asked}

    def process(
        self,
        shard: "saccade.bulk.shards.Shard",
        outputs: Sequence["saccade.bulk.work.Sink"],
        watch: "saccade.bulk.work.Watch",
    ) -> Problems:
        """Writes the score of each pair."""
        from saccade.data.parallel_text import every_pair
        from saccade.data.tasks import find_task

        files = replace(find_task(self.translator.task).files(self.work.source, self.work.target), ranges=shard.ranges)
        scored = self.translator.stream_scores(
            every_pair(files),
            truncate=self.work.truncate,
            on_error=self.work.on_error,  # type: ignore[arg-type] # checked before
            stable=True,
            first=shard.first,
        )
        problems = Problems()
        for number, result in enumerate(scored, start=shard.first):
            if result.error is not None or result.truncated:
                problems.add(number, result.error.reason if result.error else TRUNCATED)
            outputs[0].write(f"{score_line(result, self.work.as_json)}\n".encode())
            watch(1)
        return problems


def _without_threads(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {**settings, "engine": _THREADS.sub("", settings["engine"])}
