"""The section [data] of a recipe: which text, and how it becomes tokens."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from saccade.data.noise import check_noise
from saccade.data.normalisation import without_surrogates
from saccade.data.parallel_text import PairFiles
from saccade.data.sentencepiece_model import PieceKind
from saccade.data.tasks import Task, find_task
from saccade.data.trees import Leaves
from saccade.errors import ConfigError

LARGEST_VOCABULARY = 10_000_000
"""More pieces than any corpus has: a mistyped number must not take all memory."""
_PATHS = ("source", "target", "valid_source", "valid_target", "test_source", "test_target")
_LISTS_OF_PATHS = ("mix_source", "mix_target")


@dataclass(frozen=True)
class DataConfig:
    """Which pairs, and how they become tokens: the section [data] of a recipe.

    Either `corpus` names one of the catalogue, or `source` and `target` are files (`source` alone: one file with both
    sides, the text of a language model, or trees with their words). What is None is decided by the task (`pieces`,
    `joint`) or by the size of the corpus (`vocabulary`). A language model has one tokenizer, for both the text and the
    source it does not have.

    With `corpus`, `target` alone is what its training sources are paired with instead of its own targets: what a
    teacher wrote for them, line by line. Validation and test stay the corpus's.

    `mix_source` and `mix_target` are further files to train on (old data, back-translations); nothing is held out from
    them. With `mix_share`, that share of all training pairs comes from them: pairs are left out evenly, or repeated,
    until it does.
    """

    corpus: str | None = None
    source: str | None = None
    target: str | None = None
    valid_source: str | None = None
    valid_target: str | None = None
    test_source: str | None = None
    test_target: str | None = None
    mix_source: tuple[str, ...] = ()
    mix_target: tuple[str, ...] = ()
    mix_share: float | None = None  # none: every pair once
    source_language: str | None = None
    target_language: str | None = None
    task: str = "translation"
    pieces: PieceKind | None = None  # both sides
    source_pieces: PieceKind | None = None
    target_pieces: PieceKind | None = None
    vocabulary: int | None = None  # of each side, or of both together where joint
    joint: bool | None = None
    symbols: tuple[str, ...] = ()  # words that are pieces of their own whatever the text, such as the tag <BT>
    byte_fallback: bool = True  # false: a word that the vocabulary lacks is UNK instead of being spelled in bytes
    leaves: Leaves = "tags"  # of linearised trees: what a parser writes for each word
    sampling: float = 0.0  # of `Tokenizer.sampled_encoder`; 0: always the best cut
    sampled_copies: int = 1  # copies of the training text, each cut and changed anew; epoch e reads e mod this many
    noise: float = 0.0  # training text as people write it: 1 for the shares of `saccade.data.noise.SHARES`, 0 for none
    noise_kinds: tuple[str, ...] = ()  # of SHARES; none named means all
    maximum_length: int = 256  # tokens of a side with EOS; longer pairs are left out and counted
    maximum_ratio: float = 9.0  # characters of the longer side for one of the shorter
    valid_lines: int = 2_000  # distinct sources held out when no validation files are given; a twentieth at most
    seed: int = 1  # of the sample pieces are learned from, of sampling and of noise

    def __post_init__(self) -> None:
        source, target = self.kinds
        if not self.does.has_sources and (self.joint is False or source != target):
            raise ConfigError(f"`joint` and `source_pieces` must be left out for {self.task}, which has no sources.")
        if self.does.content == "labelled" and (self.joint or target != "word"):
            raise ConfigError(f"`joint` and `target_pieces` must be left out for {self.task}: a label is one piece.")
        if not self.byte_fallback and (source, target) != ("word", "word"):
            raise ConfigError(
                f"`byte_fallback` must be true unless both sides have word pieces, but they are {source} and {target}. "
                'Set `pieces` to "word", or leave it out.'
            )
        if self.does.content == "trees" and (self.joint or target != "word"):
            raise ConfigError(f"`joint` and `target_pieces` must be left out for {self.task}: a bracket is one piece.")
        if self.leaves != "tags" and self.does.content != "trees":
            raise ConfigError(
                f"`leaves` must be left out for {self.task}, but is {self.leaves!r}: only trees have them."
            )
        if self.joint and source != target:
            raise ConfigError(f"`joint` must be false where pieces differ, but the sides have {source} and {target}.")
        if self.source is not None and self.corpus is not None:
            raise ConfigError(
                f"`corpus` and `source` must not both be given, but are {self.corpus!r} and {self.source!r}."
            )
        if self.corpus is not None and self.target is not None and self.does.content != "pairs":
            raise ConfigError(
                f"`target` must be left out for {self.task} with `corpus`, but is {self.target!r}: only the targets of "
                "pairs can be replaced."
            )
        self._check_mix()
        if self.symbols and "character" in (source, target):
            raise ConfigError("`symbols` must be left out where pieces are characters, which they would not be.")
        if any(len(symbol.split()) != 1 or symbol != symbol.strip() for symbol in self.symbols):
            raise ConfigError(f"`symbols` must be words without spaces, but are {', '.join(map(repr, self.symbols))}.")
        if not 0 <= self.sampling <= 1:
            raise ConfigError(f"`sampling` must be between 0 and 1, but is {self.sampling}.")
        if self.sampling and not {source, target} & {"bpe", "unigram"}:
            raise ConfigError(f"`sampling` must be 0 for {source} pieces, which can be cut in one way only.")
        check_noise(self.noise, self.noise_kinds)
        if self.noise and self.task != "translation":
            raise ConfigError(f"`noise` must be left out for {self.task}, but is {self.noise}: it is for translation.")
        if self.sampled_copies > 1 and not (self.sampling or self.noise):
            raise ConfigError(
                f"`sampled_copies` must be 1 without sampling or noise, but is {self.sampled_copies}: all copies would "
                "be the same. Set `sampling` or `noise`."
            )
        if self.vocabulary is not None and not 1 <= self.vocabulary <= LARGEST_VOCABULARY:
            raise ConfigError(
                f"`vocabulary` must be from 1 to {LARGEST_VOCABULARY:,}, but is {self.vocabulary:,}. "
                "Leave it out, and one that fits the corpus is taken."
            )
        for name, least in (("sampled_copies", 1), ("maximum_length", 2), ("maximum_ratio", 1), ("valid_lines", 1)):
            if not getattr(self, name) >= least:  # nor is a ratio that is no number
                raise ConfigError(f"`{name}` must be at least {least}, but is {getattr(self, name)}.")
        if not 0 <= self.seed < 2**63:
            raise ConfigError(f"`seed` must be 0 or more, and less than 2^63, but is {self.seed}.")
        self._check_paths()

    def _check_paths(self) -> None:
        """They are written into JSON files, where bytes that are no text have no place."""
        single = [(name, getattr(self, name)) for name in _PATHS]
        listed = [(name, path) for name in _LISTS_OF_PATHS for path in getattr(self, name)]
        for name, path in single + listed:
            if path is not None and without_surrogates(path) != path:
                raise ConfigError(
                    f"`{name}` must be a path in Unicode, but {path!r} has bytes that are no characters here. "
                    "Set LC_ALL=C.UTF-8, or rename it."
                )

    def _check_mix(self) -> None:
        if self.mix_source and self.does.content not in ("pairs", "text"):
            raise ConfigError(f"`mix_source` must be left out for {self.task}, whose outputs are a closed list.")
        if self.mix_target and len(self.mix_target) != len(self.mix_source):
            raise ConfigError(
                f"`mix_target` must have a file for each of `mix_source`, but they have {len(self.mix_target)} and "
                f"{len(self.mix_source)}. Give both, in the same order."
            )
        if self.mix_share is None:
            return
        if not self.mix_source:
            raise ConfigError("`mix_share` must come with files to mix in, but there are none. Give `mix_source`.")
        if not 0 < self.mix_share < 1:
            raise ConfigError(f"`mix_share` must be more than 0 and less than 1, but is {self.mix_share}.")

    def given(self) -> dict[str, Any]:
        """The keys that differ from their defaults."""
        default = DataConfig()
        return {key: value for key, value in vars(self).items() if value != getattr(default, key)}

    def agrees_with(self, asked: "DataConfig") -> bool:
        """Whether every key that `asked` gives has the same value here."""
        return all(getattr(self, key) == value for key, value in asked.given().items())

    def with_absolute_paths(self) -> "DataConfig":
        """The same files, by absolute paths."""
        paths = {name: getattr(self, name) for name in _PATHS if getattr(self, name) is not None}
        absolute: dict[str, Any] = {name: _absolute(path) for name, path in paths.items()}
        absolute |= {name: tuple(map(_absolute, getattr(self, name))) for name in _LISTS_OF_PATHS}
        return replace(self, **absolute)

    @property
    def does(self) -> Task:
        """The task itself."""
        return find_task(self.task)

    @property
    def kinds(self) -> tuple[PieceKind, PieceKind]:
        """The kind of piece of each side; a label or a bracket is one piece whatever its text is cut into."""
        task = self.does
        fixed = task.content in ("labelled", "trees")
        target = self.target_pieces or (None if fixed else self.pieces) or task.target_pieces
        return self.source_pieces or self.pieces or (task.source_pieces if task.has_sources else target), target

    @property
    def shares_vocabulary(self) -> bool:
        """Whether both sides have one tokenizer."""
        source, target = self.kinds
        return (self.does.joint and source == target) if self.joint is None else self.joint


def corpus_files(config: DataConfig) -> dict[str, PairFiles]:
    """The files of "train" and, where there are any, "valid"."""
    if config.corpus is not None:
        splits = _known_splits(config)
        if config.target is not None:
            splits["train"] = config.does.files(str(splits["train"].source), config.target)
        return {name: splits[name] for name in ("train", "valid") if name in splits}
    if config.source is None:
        raise ConfigError("`data.source` must be a file, or `data.corpus` a known corpus, but both are missing.")
    files = {"train": config.does.files(config.source, config.target)}
    if config.valid_source is not None:
        files["valid"] = config.does.files(config.valid_source, config.valid_target)
    return files


def mixed_files(config: DataConfig) -> list[PairFiles]:
    """The further files to train on."""
    targets = config.mix_target or (None,) * len(config.mix_source)
    return [config.does.files(source, target) for source, target in zip(config.mix_source, targets, strict=True)]


def files_for_testing(config: DataConfig) -> dict[str, PairFiles]:
    """The files of the splits that are only for testing."""
    if config.corpus is not None:
        return {name: files for name, files in _known_splits(config).items() if name not in ("train", "valid")}
    if config.test_source is not None:
        return {"test": config.does.files(config.test_source, config.test_target)}
    return {}


def languages(config: DataConfig) -> tuple[str | None, str | None]:
    """The language of each side, as far as it is known; text alone is on the target side."""
    if config.corpus is None:
        return config.source_language, config.target_language
    # Here, so that users of their own files never load what knows about corpora and downloads.
    from saccade.data.catalogue import direction, known, text_language

    corpus = known(config.corpus)
    if config.does.has_sources:
        return direction(corpus, config.source_language, config.target_language)
    return None, direction(corpus, None, config.target_language or text_language(corpus))[1]


def _absolute(path: str) -> str:
    return str(Path(path).expanduser().absolute())


def _known_splits(config: DataConfig) -> dict[str, PairFiles]:
    from saccade.data.catalogue import find

    assert config.corpus is not None
    return {name: config.does.part(files) for name, files in find(config.corpus, *languages(config)).splits.items()}
