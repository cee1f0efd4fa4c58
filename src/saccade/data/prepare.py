"""From text files to what training reads: tokenizers, token stores, validation text; in two passes and bounded memory.

    joint.model                          or source.model and target.model
    train-0/ ... train-n/                token stores; several are differently cut copies of the same pairs
    valid/                               the token store of the validation pairs
    valid.source.txt  valid.target.txt   their text as it was given: line i belongs to pair i of the store
    report.json                          what was read, kept and left out, and why
    prepared.json                        what it was made from; written last

The folder is made aside and renamed, so a folder of this name is whole; asking again for the same thing opens it.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

from saccade.data.corpus import CorpusReport, LeftOut, Limits, PairFiles, numbered_pairs, read_lines, read_pairs
from saccade.data.corpus_encoding import CHUNK, Encoder, Sampling
from saccade.data.corpus_scan import Survey, survey
from saccade.data.labels import Labels
from saccade.data.store import StoreWriter, TokenStore
from saccade.data.tasks import Task, find_task
from saccade.data.tokenizer import SAMPLE_LINES, PieceKind, Tokenizer
from saccade.errors import ConfigError, FormatError, InputError, RunError, SourceError
from saccade.folders import whole_folder

FORMAT = 1
STAMP = "prepared.json"
REPORT = "report.json"
HELD_OUT = "held out for validation"
# The size of a vocabulary nobody chose: up to so many pairs, so many pieces; beyond, the paper's for 4.5 million.
VOCABULARIES = ((10_000, 4_000), (250_000, 8_000), (1_000_000, 16_000), (3_000_000, 32_000))
LARGEST_VOCABULARY = 37_000

Progress = Callable[[str, int, int | None], None]  # what is done, how far, of how much
Item = TypeVar("Item")


@dataclass(frozen=True)
class DataConfig:
    """Which pairs, and how they become tokens: the section [data] of a recipe.

    Either `corpus` names one of the catalogue, or `source` and `target` are files (`source` alone: one file with both
    sides, or the text of a language model). What is None is decided by the task (`pieces`, `joint`) or by the size of
    the corpus (`vocabulary`). A language model has one tokenizer, for both the text and the source it does not have.
    """

    corpus: str | None = None
    source: str | None = None
    target: str | None = None
    valid_source: str | None = None
    valid_target: str | None = None
    test_source: str | None = None
    test_target: str | None = None
    source_language: str | None = None
    target_language: str | None = None
    task: str = "translation"
    pieces: PieceKind | None = None  # both sides
    source_pieces: PieceKind | None = None
    target_pieces: PieceKind | None = None
    vocabulary: int | None = None  # of each side, or of both together where joint
    joint: bool | None = None
    sampling: float = 0.0  # of `Tokenizer.encode_sampled`; 0: always the best cut
    sampled_copies: int = 1  # how many times training text is cut anew; epoch e reads copy e mod sampled_copies
    maximum_length: int = 256  # tokens of a side with EOS; longer pairs are left out and counted
    maximum_ratio: float = 9.0  # characters of the longer side for one of the shorter
    valid_lines: int = 2_000  # distinct sources held out when no validation files are given; a twentieth at most
    seed: int = 1  # of the sample pieces are learned from, and of sampling

    def __post_init__(self) -> None:
        source, target = self.kinds
        if not self.does.has_sources and (self.joint is False or source != target):
            raise ConfigError(f"`joint` and `source_pieces` must be left out for {self.task}, which has no sources.")
        if self.does.content == "labelled" and (self.joint or target != "word"):
            raise ConfigError(f"`joint` and `target_pieces` must be left out for {self.task}: a label is one piece.")
        if self.joint and source != target:
            raise ConfigError(f"`joint` must be false where pieces differ, but the sides have {source} and {target}.")
        if self.source is not None and self.corpus is not None:
            raise ConfigError(
                f"`corpus` and `source` must not both be given, but are {self.corpus!r} and {self.source!r}."
            )
        if not 0 <= self.sampling <= 1:
            raise ConfigError(f"`sampling` must be between 0 and 1, but is {self.sampling}.")
        if self.sampling and not {source, target} & {"bpe", "unigram"}:
            raise ConfigError(f"`sampling` must be 0 for {source} pieces, which can be cut in one way only.")
        if self.sampled_copies > 1 and not self.sampling:
            raise ConfigError(
                f"`sampled_copies` must be 1 without sampling, but is {self.sampled_copies}. Set `sampling`."
            )
        for name, least in (("sampled_copies", 1), ("maximum_length", 2), ("maximum_ratio", 1), ("valid_lines", 1)):
            if getattr(self, name) < least:
                raise ConfigError(f"`{name}` must be at least {least}, but is {getattr(self, name)}.")

    @property
    def does(self) -> Task:
        """The task itself."""
        return find_task(self.task)

    @property
    def kinds(self) -> tuple[PieceKind, PieceKind]:
        """The kind of piece of each side; a label is one piece whatever its text is cut into."""
        task = self.does
        target = self.target_pieces or (None if task.content == "labelled" else self.pieces) or task.target_pieces
        return self.source_pieces or self.pieces or (task.source_pieces if task.has_sources else target), target

    @property
    def shares_vocabulary(self) -> bool:
        """Whether both sides have one tokenizer."""
        source, target = self.kinds
        return (self.does.joint and source == target) if self.joint is None else self.joint


@dataclass(frozen=True)
class PreparationReport:
    """What became of the lines of each split, and what they became."""

    splits: dict[str, CorpusReport]
    source_vocabulary: int
    target_vocabulary: int
    source_tokens: int
    target_tokens: int

    def __str__(self) -> str:
        lines = [f"{name}: {report}" for name, report in self.splits.items()]
        sizes = f"{self.source_vocabulary:,} source and {self.target_vocabulary:,} target pieces"
        return "\n".join([*lines, f"{sizes}; {self.source_tokens:,} source and {self.target_tokens:,} target tokens"])


@dataclass(frozen=True)
class Prepared:
    """A corpus ready to train on."""

    folder: Path
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    train: tuple[TokenStore, ...]
    valid: TokenStore
    valid_text: list[tuple[str, str]]
    report: PreparationReport


def automatic_vocabulary(pairs: int) -> int:
    """How many bpe or unigram pieces a corpus of this size can teach: rare pieces are never learned well."""
    return next((size for most, size in VOCABULARIES if pairs <= most), LARGEST_VOCABULARY)


def prepare(config: DataConfig, out: Path, progress: Progress | None = None) -> Prepared:
    """Makes `out` from the files of `config`, or opens it where that has been done already."""
    if out.is_file() or (out.is_dir() and not (out / STAMP).exists() and any(out.iterdir())):
        raise ConfigError(f"`{out}` must be a new folder or one made by this command, but holds other files.")
    stamp: dict[str, Any] = {"format": FORMAT, "config": asdict(config)}
    done = _read_json(out / STAMP) if (out / STAMP).exists() else None
    try:
        files = corpus_files(config)
        stamp["files"] = {name: [_fingerprint(path) for path in pair.paths] for name, pair in files.items()}
    except (InputError, SourceError):
        if done is None or done["config"] != stamp["config"]:
            raise
        return open_prepared(out)  # the text is gone, but what was made of it is here
    if done == stamp:
        return open_prepared(out)
    try:
        with whole_folder(out) as aside:
            _Preparation(config, files, aside, progress or _silent).run()
            (aside / STAMP).write_text(json.dumps(stamp, indent=1))
    except OSError as error:
        raise RunError(f"`{out}` must be writable, but is not: {error.strerror}. Free space there.") from error
    return open_prepared(out)


def corpus_files(config: DataConfig) -> dict[str, PairFiles]:
    """The files of "train" and, where there are any, "valid"."""
    if config.corpus is not None:
        splits = _known_splits(config)
        return {name: splits[name] for name in ("train", "valid") if name in splits}
    if config.source is None:
        raise ConfigError("`data.source` must be a file, or `data.corpus` a known corpus, but both are missing.")
    files = {"train": config.does.files(config.source, config.target)}
    if config.valid_source is not None:
        files["valid"] = config.does.files(config.valid_source, config.valid_target)
    return files


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


def _known_splits(config: DataConfig) -> dict[str, PairFiles]:
    from saccade.data.catalogue import find

    assert config.corpus is not None
    return {name: config.does.part(files) for name, files in find(config.corpus, *languages(config)).splits.items()}


def open_prepared(folder: Path) -> Prepared:
    """Opens what `prepare` has made."""
    stamp = _read_json(folder / STAMP)
    if stamp["format"] > FORMAT:
        raise FormatError(f"`{folder}` must have format {FORMAT}, but has {stamp['format']}. Use a newer saccade.")
    if (folder / "joint.model").exists():
        source = target = Tokenizer.load(folder / "joint.model")
    else:
        source, target = Tokenizer.load(folder / "source.model"), Tokenizer.load(folder / "target.model")
    copies = range(stamp["config"]["sampled_copies"])
    valid_files = (folder / "valid.source.txt", folder / "valid.target.txt")
    report = _read_json(folder / REPORT)
    splits = {
        name: CorpusReport(
            entry["read"], entry["kept"], {why: LeftOut(**counted) for why, counted in entry["left_out"].items()}
        )
        for name, entry in report.pop("splits").items()
    }
    return Prepared(
        folder=folder,
        source_tokenizer=source,
        target_tokenizer=target,
        train=tuple(TokenStore.open(folder / f"train-{copy}") for copy in copies),
        valid=TokenStore.open(folder / "valid"),
        valid_text=list(zip(*map(read_lines, valid_files), strict=True)),
        report=PreparationReport(splits, **report),
    )


@dataclass(frozen=True)
class _Preparation:
    """One making of a folder."""

    config: DataConfig
    files: dict[str, PairFiles]
    folder: Path
    progress: Progress

    def run(self) -> None:
        labels = Labels()
        pairs = read_pairs(self.files["train"], CorpusReport(), self._limits)
        found = survey(
            self._shown("reading", labels.watching(pairs) if self._labelled else pairs),
            sample_pairs=self._sample_pairs,
            held_out_sources=0 if "valid" in self.files else self.config.valid_lines,
            seed=self.config.seed,
            side=self._side,
        )
        if not found.sample:
            name = self.files["train"].source
            raise InputError(
                f"`{name}` must hold at least two different usable sources, "
                f"one of them to validate on, but has {found.pairs} usable pairs. Add pairs, or give validation files."
            )
        if self._labelled:
            labels.check(self.files["train"].paths[-1])
        encoder = Encoder(*self._learn(found, labels), self.config.maximum_length)
        train = CorpusReport()
        held_out, tokens = self._train(encoder, found, train)
        if "valid" in self.files:
            # An evaluation is not made easier: pairs out of proportion stay.
            valid = CorpusReport()
            limits = Limits(characters=self._limits.characters, ratio=float("inf"))
            held_out = list(numbered_pairs(self.files["valid"], valid, limits))
            if self._labelled:
                labels.check_known(held_out, self.files["valid"].paths[-1])
        else:
            valid = CorpusReport(read=len(held_out), kept=len(held_out))
        self._valid(encoder, held_out, valid)
        report = PreparationReport({"train": train, "valid": valid}, encoder.source.size, encoder.target.size, *tokens)
        (self.folder / REPORT).write_text(json.dumps(asdict(report), indent=1, ensure_ascii=False))

    @property
    def _labelled(self) -> bool:
        return self.config.does.content == "labelled"

    @property
    def _side(self) -> int:
        """The side that tells pairs apart."""
        return 0 if self.config.does.has_sources else 1

    @property
    def _limits(self) -> Limits:
        # Hardly any text gets so many characters into a token: a line beyond this is not worth cutting.
        return Limits(characters=64 * self.config.maximum_length, ratio=self.config.maximum_ratio)

    @property
    def _sample_pairs(self) -> int:
        lines = min(SAMPLE_LINES[kind] for kind in self.config.kinds)
        return lines // 2 if self.config.shares_vocabulary else lines

    def _learn(self, found: Survey, labels: Labels) -> tuple[Tokenizer, Tokenizer]:
        self.progress("learning pieces", 0, 1)
        sources, targets = ([pair[side] for pair in found.sample] for side in (0, 1))
        kinds, size = self.config.kinds, self.config.vocabulary
        if self.config.shares_vocabulary:
            source = target = self._tokenizer("joint", kinds[0], sources + targets, size, found.pairs)
        else:
            source = self._tokenizer("source", kinds[0], sources, size, found.pairs)
            if self._labelled:
                target = labels.tokenizer()
                target.save(self.folder / "target.model")
            else:
                target = self._tokenizer("target", kinds[1], targets, size, found.pairs)
        self.progress("learning pieces", 1, 1)
        return source, target

    def _tokenizer(self, name: str, kind: PieceKind, lines: list[str], size: int | None, pairs: int) -> Tokenizer:
        if size is None and kind in ("bpe", "unigram"):
            size = automatic_vocabulary(pairs)
        tokenizer = Tokenizer.train(lines, pieces=kind, size=size, sample_lines=len(lines))
        tokenizer.save(self.folder / f"{name}.model")
        return tokenizer

    def _train(
        self, encoder: Encoder, found: Survey, report: CorpusReport
    ) -> tuple[list[tuple[int, str, str]], tuple[int, int]]:
        """Writes the training stores; returns the pairs held out and how many tokens there are on each side."""
        config, held_out = self.config, list[tuple[int, str, str]]()
        sampling = Sampling(config.sampling, config.sampled_copies, config.seed) if config.sampling else None
        name = str(self.files["train"].source)

        def remaining() -> Iterator[tuple[int, str, str]]:
            lines = numbered_pairs(self.files["train"], report, self._limits)
            for pair in self._shown("encoding", lines, found.pairs):
                if pair[1 + self._side] in found.held_out:
                    held_out.append(pair)
                    report.take_back(HELD_OUT, f"{name}:{pair[0]}")
                else:
                    yield pair

        vocabulary = max(encoder.source.size, encoder.target.size)
        with ExitStack() as stack:
            folders = [self.folder / f"train-{copy}" for copy in range(config.sampled_copies)]
            writers = [stack.enter_context(StoreWriter(folder, vocabulary)) for folder in folders]
            for chunk in encoder.encode(remaining(), report, name, sampling):
                for writer, tokens in zip(writers, chunk.copies, strict=True):
                    writer.add(*tokens)
        if not report.kept:
            raise InputError(f"`{name}` must hold a usable pair, but has none. {'; '.join(str(report).split(chr(10)))}")
        return held_out, writers[0].tokens

    def _valid(self, encoder: Encoder, pairs: list[tuple[int, str, str]], report: CorpusReport) -> None:
        name = str(self.files.get("valid", self.files["train"]).source)
        texts: list[tuple[str, str]] = []
        with StoreWriter(self.folder / "valid", max(encoder.source.size, encoder.target.size)) as writer:
            for chunk in encoder.encode(pairs, report, name):
                writer.add(*chunk.copies[0])
                texts.extend(chunk.texts)
        for side, path in enumerate((self.folder / "valid.source.txt", self.folder / "valid.target.txt")):
            path.write_text("".join(f"{text[side]}\n" for text in texts), encoding="utf-8", newline="\n")

    def _shown(self, message: str, items: Iterable[Item], total: int | None = None) -> Iterator[Item]:
        done = 0
        for done, item in enumerate(items, start=1):
            if done % CHUNK == 1:
                self.progress(message, done - 1, total)
            yield item
        self.progress(message, done, done)


def _fingerprint(path: Path) -> list[str | int]:
    """Name, size and a hash of both ends: enough to notice another file, at any size at once."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            ends = blake2b(file.read(1 << 20), digest_size=16)
            file.seek(max(0, size - (1 << 20)))
            ends.update(file.read())
    except OSError as error:
        raise InputError(f"`{path}` must be a readable file, but is not: {error.strerror}. Check the path.") from error
    return [path.name, size, ends.hexdigest()]


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FormatError(f"`{path}` must be JSON written by saccade, but is damaged. Remove its folder.") from error
    assert isinstance(content, dict)
    return content


def _silent(message: str, done: int, total: int | None) -> None:
    """Progress nobody asked for."""
