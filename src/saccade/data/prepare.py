"""From text files to what training reads: tokenizers, token stores, validation text; in two passes and bounded memory.

    joint.model                          or source.model and target.model
    train-0/ ... train-n/                token stores; several are copies of the same pairs, cut and changed differently
    valid/                               the token store of the validation pairs
    valid.source.txt  valid.target.txt   their text as it was given: line i belongs to pair i of the store
    report.json                          what was read, kept and left out, and why
    prepared.json                        what it was made from; written last

The folder is made aside and renamed, so a folder of this name is whole; asking again for the same thing opens it.
"""

import json
import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field

from saccade.data.config import DataConfig, corpus_files, languages, mixed_files
from saccade.data.corpus_encoding import CHUNK, Augmentation, Chunk, PairEncoder
from saccade.data.corpus_report import CorpusReport
from saccade.data.corpus_scan import CorpusScan, scan_corpus
from saccade.data.corpus_workers import EncodingProcesses, encoding_processes
from saccade.data.labels import Labels
from saccade.data.mixing import BEYOND_SHARE, check_tags, copies, mixed_pairs, wanted_pairs
from saccade.data.noise import CASES, TextNoise, shares_in_words
from saccade.data.parallel_text import Limits, PairFiles, numbered_pairs, read_pairs
from saccade.data.piece_learning import SAMPLE_LINES
from saccade.data.progress import Progress, silent
from saccade.data.sentencepiece_model import PieceKind
from saccade.data.tasks import Task
from saccade.data.text_lines import read_lines
from saccade.data.token_store import FILES as STORE_FILES
from saccade.data.token_store import StoreWriter, TokenStore
from saccade.data.tokenizer import Tokenizer
from saccade.data.tokenizer_files import JOINT, load_tokenizers, save_tokenizers, tokenizer_files
from saccade.data.tree_symbols import TreeSymbols
from saccade.data.trees import linearise
from saccade.errors import ConfigError, FormatError, InputError, SourceError
from saccade.folders import atomic_folder, check_files, not_written, replaceable, sha256_of
from saccade.json_files import StrictContent, checked, read_json, read_sealed_json, sealed

FORMAT = 1
STAMP = "prepared.json"
REPORT = "report.json"
VALID_TEXTS = ("valid.source.txt", "valid.target.txt")
HELD_OUT = "held out for validation"
_REMOVE = "Remove its folder, and it is made again."
_LATER_KEYS = ("mix_source", "mix_target", "mix_share", "symbols", "noise", "noise_kinds")
# Automatic vocabulary sizes: (pairs at most, tokens). Beyond them, the size the paper uses for 4.5 million pairs.
VOCABULARIES = ((10_000, 4_000), (250_000, 8_000), (1_000_000, 16_000), (3_000_000, 32_000))
LARGEST_VOCABULARY = 37_000

Item = TypeVar("Item")


@dataclass(frozen=True)
class PreparationReport:
    """What became of the lines of each split, and what they became.

    `noise` is the share of the pairs of all training stores that has each kind of noise.
    """

    splits: dict[str, CorpusReport]
    source_vocabulary: int
    target_vocabulary: int
    source_tokens: int
    target_tokens: int
    noise: dict[str, float] = field(default_factory=dict)

    def text(self, task: Task) -> str:
        """In the words of the task; text alone has no source side."""
        lines = [f"{name}: {report.text(task.examples)}" for name, report in self.splits.items()]
        if not task.has_sources:
            return "\n".join([*lines, f"{self.target_vocabulary:,} pieces; {self.target_tokens:,} tokens"])
        sizes = f"{self.source_vocabulary:,} source and {self.target_vocabulary:,} target pieces"
        lines.append(f"{sizes}; {self.source_tokens:,} source and {self.target_tokens:,} target tokens")
        return "\n".join([*lines, shares_in_words(self.noise)] if self.noise else lines)

    def to_json(self) -> dict[str, Any]:
        """Without a word about noise where there is none: so were all reports before there could be any."""
        content = asdict(self)
        return content if self.noise else {key: value for key, value in content.items() if key != "noise"}


Fingerprint = list[str | int]


class _Stamp(StrictContent):
    """prepared.json. `checksums` are those of the files beside it but for the stores, which have their own."""

    format: int
    config: dict[str, Any]
    files: dict[str, list[Fingerprint]]
    checksums: dict[str, str] = Field(default_factory=dict)
    seal: str = ""


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


def prepare(
    config: DataConfig, out: Path, progress: Progress = silent, vocabulary: Path | None = None, workers: int = 1
) -> Prepared:
    """Makes `out` from the files of `config`, or opens it where that has been done already.

    `vocabulary` is a folder with tokenizers to cut the text with; without one, they are learned from the text. So many
    `workers` encode text, each a process; what they make does not depend on their number. Subword sampling takes one.
    """
    if workers > 1 and config.sampling:
        # sentencepiece draws other numbers in every process, whatever its seed.
        raise ConfigError(
            f"`workers` must be 1 with `sampling`, whose random cuts differ from process to process, but is {workers}. "
            "Leave one of them out."
        )
    done = _read_stamp(out) if (out / STAMP).exists() else None
    replaceable(out, written_files)
    same = done is not None and _config_of(done, out) == config
    try:
        files, mixed = corpus_files(config), mixed_files(config)
        read = {name: [_fingerprint(path) for path in pair.paths] for name, pair in files.items()}
        if mixed:
            read["mixed"] = [_fingerprint(path) for pair in mixed for path in pair.paths]
        if vocabulary is not None:
            read["vocabulary"] = [_fingerprint(path) for path in tokenizer_files(vocabulary)]
    except (InputError, SourceError):
        if same:
            return open_prepared(out)  # the text is gone, but the prepared data are here
        raise
    if same and done is not None and done.files == read:
        return open_prepared(out)
    try:
        with atomic_folder(out, written_files) as partial:
            _Preparation(config, files, mixed, partial, progress, vocabulary, workers).run()
            checksums = {path.name: sha256_of(path) for path in sorted(partial.iterdir()) if path.is_file()}
            stamp = sealed({"format": FORMAT, "config": _stamped(config), "files": read, "checksums": checksums})
            (partial / STAMP).write_text(json.dumps(stamp, indent=1))
    except OSError as problem:
        raise not_written(out, problem) from problem
    return open_prepared(out)


def open_prepared(folder: Path) -> Prepared:
    """Opens what `prepare` has made."""
    stamp = _read_stamp(folder)
    check_files(folder, stamp.checksums, _REMOVE)
    copies = _config_of(stamp, folder).sampled_copies
    source, target = load_tokenizers(folder, joint=(folder / JOINT).exists())
    sizes = source.size, target.size
    valid = TokenStore.open(folder / "valid", sizes)
    texts = [list(read_lines(folder / name)) for name in VALID_TEXTS]
    if any(len(lines) != len(valid) for lines in texts):
        raise FormatError(
            f"`{folder}` must have a line in {' and in '.join(VALID_TEXTS)} for each of the {len(valid)} pairs of "
            f"valid, but they have {len(texts[0])} and {len(texts[1])}. {_REMOVE}"
        )
    return Prepared(
        folder=folder,
        source_tokenizer=source,
        target_tokenizer=target,
        train=tuple(TokenStore.open(folder / f"train-{copy}", sizes) for copy in range(copies)),
        valid=valid,
        valid_text=list(zip(*texts, strict=True)),
        report=checked(PreparationReport, read_json(folder / REPORT, advice=_REMOVE), folder / REPORT, _REMOVE),
    )


def written_files(folder: Path) -> Collection[str] | None:
    """The files of a prepared corpus; None where there is no prepared.json of ours."""
    try:
        if not {"config", "files"} <= read_json(folder / STAMP, FORMAT).keys():
            return None
    except FormatError:
        return None
    stores = [path.name for path in (folder / "valid", *folder.glob("train-*"))]
    inside = {f"{store}/{name}" for store in stores for name in STORE_FILES}
    tokenizers = {path.name for path in tokenizer_files(folder)}
    return {STAMP, REPORT, *tokenizers, *VALID_TEXTS, *inside}


@dataclass(frozen=True)
class _Preparation:
    """One making of a folder."""

    config: DataConfig
    files: dict[str, PairFiles]
    mixed: list[PairFiles]
    folder: Path
    progress: Progress
    vocabulary: Path | None
    workers: int

    def run(self) -> None:
        pieces = self._closed_list()
        pairs = read_pairs(self.files["train"], CorpusReport(), self._limits)
        found = scan_corpus(
            self._shown("reading", pieces.watching(pairs) if pieces else pairs),
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
        if isinstance(pieces, Labels):
            pieces.check(self.files["train"].paths[-1])
        mixed = self._scan_mixed()
        tokenizers = self._tokenizers(found, mixed, pieces)
        encoder = PairEncoder(*tokenizers, self.config.maximum_length, self._as_symbols)
        reports = {"train": CorpusReport()} | ({"mixed in": CorpusReport()} if self.mixed else {})
        held_out, tokens, noise = self._train(encoder, found, mixed, reports)
        if "valid" in self.files:
            # An evaluation is not made easier: pairs out of proportion stay.
            valid = CorpusReport()
            limits = Limits(characters=self._limits.characters, ratio=float("inf"))
            held_out = list(numbered_pairs(self.files["valid"], valid, limits))
            if isinstance(pieces, Labels):
                pieces.check_known(held_out, self.files["valid"].paths[-1])
        else:
            valid = CorpusReport(read=len(held_out), kept=len(held_out))
        self._valid(encoder, held_out, valid)
        splits = {**reports, "valid": valid}
        report = PreparationReport(splits, encoder.source.size, encoder.target.size, *tokens, noise)
        (self.folder / REPORT).write_text(json.dumps(report.to_json(), indent=1, ensure_ascii=False))

    def _closed_list(self) -> Labels | TreeSymbols | None:
        """What counts the pieces of the targets where these are a closed list."""
        match self.config.does.content:
            case "labelled":
                return Labels()
            case "trees":
                return TreeSymbols(self.config.leaves)
            case _:
                return None

    def _as_symbols(self, target: str) -> str:
        """A target as its tokenizer reads it."""
        return linearise(target, self.config.leaves) if self.config.does.content == "trees" else target

    @cached_property
    def _noise(self) -> TextNoise | None:
        config = self.config
        if not config.noise:
            return None
        return TextNoise.of(config.noise, config.noise_kinds, languages(config), config.symbols)

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

    def _scan_mixed(self) -> CorpusScan:
        """How much there is to mix in, and a sample of it: its words are to have pieces too."""
        pairs = (pair[1:] for _, pair in mixed_pairs(self.mixed, CorpusReport(), self._limits))
        return scan_corpus(
            self._shown("reading what is mixed in", pairs) if self.mixed else (),
            sample_pairs=self._sample_pairs,
            held_out_sources=0,
            seed=self.config.seed,
            side=self._side,
        )

    def _tokenizers(
        self, found: CorpusScan, mixed: CorpusScan, pieces: Labels | TreeSymbols | None
    ) -> tuple[Tokenizer, Tokenizer]:
        """Those that were given, or such as are learned from the text."""
        if self.vocabulary is not None:
            source, target = load_tokenizers(self.vocabulary, joint=(self.vocabulary / JOINT).exists())
        else:
            self.progress("learning pieces", 0, 1)
            source, target = self._learned([*found.sample, *mixed.sample], found.pairs + mixed.pairs, pieces)
            self.progress("learning pieces", 1, 1)
        check_tags(self.mixed, source, given=self.vocabulary is not None)
        save_tokenizers(self.folder, source, target)
        return source, target

    def _learned(
        self, sample: list[tuple[str, str]], pairs: int, pieces: Labels | TreeSymbols | None
    ) -> tuple[Tokenizer, Tokenizer]:
        if self._noise is not None:
            sample, _ = self._noise.only(CASES).changed(sample, random.Random(self.config.seed))
        sources, targets = ([pair[side] for pair in sample] for side in (0, 1))
        kinds = self.config.kinds
        if self.config.shares_vocabulary:
            joint = self._tokenizer(kinds[0], sources + targets, pairs)
            return joint, joint
        source = self._tokenizer(kinds[0], sources, pairs)
        return source, pieces.tokenizer() if pieces else self._tokenizer(kinds[1], targets, pairs)

    def _tokenizer(self, kind: PieceKind, lines: list[str], pairs: int) -> Tokenizer:
        size = self.config.vocabulary
        if size is None and kind in ("bpe", "unigram"):
            size = automatic_vocabulary(pairs)
        closed = not self.config.byte_fallback
        symbols = self.config.symbols
        return Tokenizer.train(lines, pieces=kind, size=size, sample_lines=len(lines), closed=closed, symbols=symbols)

    def _train(
        self, encoder: PairEncoder, found: CorpusScan, mixed: CorpusScan, reports: dict[str, CorpusReport]
    ) -> tuple[list[tuple[int, str, str]], tuple[int, int], dict[str, float]]:
        """Writes the training stores; returns the pairs held out, the tokens of each side and the shares of noise."""
        config, held_out, report = self.config, list[tuple[int, str, str]](), reports["train"]
        augmentation = None
        if config.sampling or self._noise:
            augmentation = Augmentation(config.sampling, config.sampled_copies, config.seed, self._noise)
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
            workers = stack.enter_context(encoding_processes(encoder, self.workers))
            own = encoder.encode(remaining(), report, name, augmentation, workers)
            pairs, noise = 0, Counter[str]()
            for chunk in chain(own, self._mixed_in(encoder, found, mixed, reports, augmentation, workers)):
                pairs += len(chunk.texts)
                noise.update(chunk.noise)
                for writer, tokens in zip(writers, chunk.copies, strict=True):
                    writer.add(*tokens)
        if not report.kept:
            raise InputError(f"`{name}` must hold a usable pair, but has none. {'; '.join(str(report).split(chr(10)))}")
        shares = {kind: count / (pairs * config.sampled_copies) for kind, count in sorted(noise.items())}
        return held_out, writers[0].tokens, shares

    def _mixed_in(
        self,
        encoder: PairEncoder,
        found: CorpusScan,
        mixed: CorpusScan,
        reports: dict[str, CorpusReport],
        augmentation: Augmentation | None,
        workers: EncodingProcesses | None,
    ) -> Iterator[Chunk]:
        """The further pairs, as many of them as the share asks for; none of a source that is validated on."""
        if not mixed.pairs:
            return
        report = reports["mixed in"]
        wanted = wanted_pairs(found.pairs, mixed.pairs, self.config.mix_share)

        def remaining() -> Iterator[tuple[int, str, str]]:
            lines = self._shown("encoding what is mixed in", mixed_pairs(self.mixed, report, self._limits), mixed.pairs)
            for number, (files, pair) in enumerate(lines):
                times = copies(number, mixed.pairs, wanted)
                if pair[1 + self._side] in found.held_out:
                    report.take_back(HELD_OUT, f"{files.source}:{pair[0]}")
                elif not times:
                    report.take_back(BEYOND_SHARE, f"{files.source}:{pair[0]}")
                else:
                    yield from [pair] * times

        another = None if augmentation is None else replace(augmentation, seed=augmentation.seed + 1)
        yield from encoder.encode(remaining(), report, str(self.mixed[0].source), another, workers)

    def _valid(self, encoder: PairEncoder, pairs: list[tuple[int, str, str]], report: CorpusReport) -> None:
        name = str(self.files.get("valid", self.files["train"]).source)
        texts: list[tuple[str, str]] = []
        with StoreWriter(self.folder / "valid", max(encoder.source.size, encoder.target.size)) as writer:
            for chunk in encoder.encode(pairs, report, name):
                writer.add(*chunk.copies[0])
                texts.extend(chunk.texts)
        for side, name in enumerate(VALID_TEXTS):
            (self.folder / name).write_text(
                "".join(f"{text[side]}\n" for text in texts), encoding="utf-8", newline="\n"
            )

    def _shown(self, message: str, items: Iterable[Item], total: int | None = None) -> Iterator[Item]:
        done = 0
        for done, item in enumerate(items, start=1):
            if done % CHUNK == 1:
                self.progress(message, done - 1, total)
            yield item
        self.progress(message, done, done)


def _fingerprint(path: Path) -> Fingerprint:
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


def _read_stamp(folder: Path) -> _Stamp:
    """What prepared.json says; an earlier version wrote it without a seal and without checksums."""
    path = folder / STAMP
    content = read_json(path, FORMAT, _REMOVE)
    if "seal" in content or "checksums" in content:
        content = read_sealed_json(path, FORMAT, advice=_REMOVE)
    return checked(_Stamp, content, path, _REMOVE)


def _stamped(config: DataConfig) -> dict[str, Any]:
    """All keys, but for later ones that are not set: what is prepared without them stays as it always was."""
    return {key: value for key, value in asdict(config).items() if value or key not in _LATER_KEYS}


def _config_of(stamp: _Stamp, folder: Path) -> DataConfig:
    return checked(DataConfig, stamp.config, folder / STAMP, _REMOVE)
