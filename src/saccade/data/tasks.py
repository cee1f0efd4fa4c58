"""What pairs can mean: which pieces each side is cut into, and what says that a model got better.

A new task is one entry here; its metrics are names that evaluation knows.
"""

from dataclasses import dataclass

from saccade.data.tokenizer import PieceKind
from saccade.errors import ConfigError, did_you_mean


@dataclass(frozen=True)
class Task:
    """One kind of transduction; `joint` means one vocabulary for both sides."""

    name: str
    source_pieces: PieceKind
    target_pieces: PieceKind
    joint: bool
    metrics: tuple[str, ...]
    main_metric: str
    higher_is_better: bool
    summary: str


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
    )
}


def find_task(name: str) -> Task:
    """The task of this name."""
    if name not in TASKS:
        raise ConfigError(f"`task` must be one of {', '.join(TASKS)}, but is {name!r}.{did_you_mean(name, TASKS)}")
    return TASKS[name]
