"""What pairs can mean: which pieces each side is cut into, and what says that a model got better.

A new task is one entry here; its metrics are names that evaluation knows.
"""

from dataclasses import dataclass
from pathlib import Path

from saccade.data.parallel_text import Content, PairFiles
from saccade.data.sentencepiece_model import PieceKind
from saccade.errors import ConfigError, did_you_mean


@dataclass(frozen=True)
class Task:
    """One kind of transduction; `joint` means one vocabulary for both sides.

    `architectures` is the `task` of the architectures that can do it. Text alone (`content`) has no sources: a model
    of it writes nothing that could be compared, and is judged by how probable it finds the text.
    """

    name: str
    source_pieces: PieceKind
    target_pieces: PieceKind
    joint: bool
    metrics: tuple[str, ...]
    main_metric: str
    higher_is_better: bool
    summary: str
    content: Content = "pairs"
    architectures: str = "translation"

    @property
    def has_sources(self) -> bool:
        """Whether there is something to read before writing."""
        return self.content != "text"

    @property
    def examples(self) -> str:
        """What a model of this task learns from, as users count it."""
        return {"pairs": "pairs", "text": "lines", "labelled": "labelled texts", "trees": "trees"}[self.content]

    def files(self, source: str | Path, target: str | Path | None = None) -> PairFiles:
        """The files a user names, as those of this task."""
        return PairFiles(Path(source), None if target is None else Path(target), self.content)

    def part(self, split: PairFiles) -> PairFiles:
        """What this task takes of a split of a known corpus: of pairs, where it reads text alone, the target side."""
        if self.has_sources:
            return PairFiles(split.source, split.target, self.content)
        return PairFiles(split.target or split.source, None, self.content)


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            name="translation",
            source_pieces="bpe",
            target_pieces="bpe",
            joint=True,
            metrics=("bleu", "chrf"),
            main_metric="bleu",
            higher_is_better=True,
            summary="sentences of one language to sentences of another",
        ),
        Task(
            name="pronunciation",
            source_pieces="character",
            target_pieces="word",
            joint=False,
            metrics=("phoneme_error_rate", "word_error_rate"),
            main_metric="phoneme_error_rate",
            higher_is_better=False,
            summary="spellings to phones separated by spaces",
        ),
        Task(
            name="summarisation",
            source_pieces="bpe",
            target_pieces="bpe",
            joint=True,
            metrics=("chrf", "bleu", "lead_chrf"),
            main_metric="chrf",
            higher_is_better=True,
            summary="texts to what they say in a line",
        ),
        Task(
            name="forecasting",
            source_pieces="word",
            target_pieces="word",
            joint=True,
            metrics=("scaled_error", "seasonal_scaled_error"),
            main_metric="scaled_error",
            higher_is_better=False,
            summary="whole numbers measured one after another to the next ones",
        ),
        Task(
            name="language-modelling",
            source_pieces="bpe",
            target_pieces="bpe",
            joint=True,
            metrics=("perplexity", "word_perplexity"),
            main_metric="word_perplexity",
            higher_is_better=False,
            summary="how probable a text is, and how it goes on",
            content="text",
            architectures="language-modelling",
        ),
        Task(
            name="classification",
            source_pieces="bpe",
            target_pieces="word",
            joint=False,
            metrics=("accuracy",),
            main_metric="accuracy",
            higher_is_better=True,
            summary="sentences to labels",
            content="labelled",
            architectures="classification",
        ),
        Task(
            name="parsing",
            source_pieces="bpe",
            target_pieces="word",
            joint=False,
            metrics=("bracket_f1", "bracket_precision", "bracket_recall", "complete_match", "well_formed"),
            main_metric="bracket_f1",
            higher_is_better=True,
            summary="sentences to their constituency trees",
            content="trees",
        ),
    )
}


def find_task(name: str) -> Task:
    """The task of this name."""
    if name not in TASKS:
        raise ConfigError(f"`task` must be one of {', '.join(TASKS)}, but is {name!r}.{did_you_mean(name, TASKS)}")
    return TASKS[name]
