"""From text files to what training reads (`prepared_corpus.py`), in two passes and bounded memory.

The first pass chooses the text from which pieces are learned and the pairs that are held out for validation; the second
writes tokens. Where counts of words are enough to learn from, the text is split into words once, and tokens are made
from those (`corpus_words.py`). The folder is made aside and renamed when it is complete, so a folder of this name is
never half made; asking again for the same thing opens it.
"""

import json
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from saccade.data.config import DataConfig, corpus_files, languages, mixed_files
from saccade.data.corpus_encoding import CHUNK, Augmentation, Chunk, PairEncoder, numbered_chunks
from saccade.data.corpus_report import CorpusReport
from saccade.data.corpus_scan import CorpusScan, HeldOut, scan_corpus
from saccade.data.corpus_words import ChunkOfWords, CorpusWords
from saccade.data.corpus_workers import EncodingProcesses, encoding_processes, words_of_chunks, worthwhile_processes
from saccade.data.labels import Labels
from saccade.data.learned_tokenizers import (
    ClosedList,
    closed_list,
    learned_from_words,
    learned_tokenizers,
    pairs_to_learn_from,
    tokenizers_of_words,
)
from saccade.data.mixing import BEYOND_SHARE, check_tags, copies, mixed_pairs, wanted_pairs
from saccade.data.noise import TextNoise
from saccade.data.parallel_text import Limits, PairFiles, numbered_pairs, read_pairs
from saccade.data.prepared_corpus import (
    REPORT,
    STAMP,
    VALID_TEXTS,
    Fingerprint,
    PreparationReport,
    Prepared,
    fingerprint,
    fingerprint_of_ends,
    open_prepared,
    read_stamp,
    stamped_config,
    write_stamp,
    written_files,
)
from saccade.data.progress import Progress, silent
from saccade.data.token_store import StoreWriter
from saccade.data.tokenizer import Tokenizer
from saccade.data.tokenizer_files import JOINT, load_tokenizers, save_tokenizers, tokenizer_files
from saccade.data.trees import linearise
from saccade.errors import InputError, SourceError
from saccade.folders import atomic_folder, not_written, replaceable

HELD_OUT = "held out for validation"
WORDS = "words"  # a file of the folder while it is made

Item = TypeVar("Item")


def prepare(
    config: DataConfig,
    out: Path,
    progress: Progress = silent,
    vocabulary: Path | None = None,
    workers: int | None = 1,
) -> Prepared:
    """Makes `out` from the files of `config`, or opens it where that has been done already.

    `vocabulary` is a folder with tokenizers to cut the text with; without one, they are learned from the text.
    `workers` is the number of processes that encode the text; None chooses it by the amount of text. It does not change
    the result.
    """
    done = read_stamp(out) if (out / STAMP).exists() else None
    replaceable(out, written_files)
    same = done is not None and stamped_config(done, out) == config
    try:
        files, mixed = corpus_files(config), mixed_files(config)
        paths = {name: list(pair.paths) for name, pair in files.items()}
        if mixed:
            paths["mixed"] = [path for pair in mixed for path in pair.paths]
        if vocabulary is not None:
            paths["vocabulary"] = list(tokenizer_files(vocabulary))
        read = _fingerprints(paths, fingerprint)
        known = done.files if same and done is not None else None
        unchanged = known is not None and (known == read or known == _fingerprints(paths, fingerprint_of_ends))
    except (InputError, SourceError):
        if same:
            return open_prepared(out)  # the text is gone, but the prepared data are here
        raise
    if unchanged:
        return open_prepared(out)
    if workers is None:
        workers = worthwhile_processes([*paths["train"], *paths.get("mixed", ())], config.sampled_copies)
    try:
        with atomic_folder(out, written_files) as partial:
            _Preparation(config, files, mixed, partial, progress, vocabulary, workers).run()
            write_stamp(partial, config, read)
    except OSError as problem:
        raise not_written(out, problem) from problem
    return open_prepared(out)


def _fingerprints(paths: dict[str, list[Path]], one: Callable[[Path], Fingerprint]) -> dict[str, list[Fingerprint]]:
    return {name: [one(path) for path in group] for name, group in paths.items()}


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
        reports = {"train": CorpusReport()} | ({"mixed in": CorpusReport()} if self.mixed else {})
        pieces = closed_list(self.config)
        given = self._given_for_validation()  # first: a fault in it must not be found after hours of reading
        held_out: list[tuple[int, str, str]] = []
        if self._words_are_enough:
            encoder, chunks = self._from_words(reports["train"], held_out)
        else:
            encoder, chunks = self._from_text(pieces, reports, held_out)
        tokens, noise = self._train(encoder, chunks, reports["train"])
        if given is not None:
            valid, held_out = given
            if isinstance(pieces, Labels):
                pieces.check_known(held_out, self.files["valid"].paths[-1])
        else:
            valid = CorpusReport(read=len(held_out), kept=len(held_out))
        self._valid(encoder, held_out, valid)
        splits = {**reports, "valid": valid}
        report = PreparationReport(splits, encoder.source.size, encoder.target.size, *tokens, noise)
        text = json.dumps(report.to_json(), indent=1, ensure_ascii=False)
        (self.folder / REPORT).write_text(text, encoding="utf-8", errors="replace")

    def _given_for_validation(self) -> tuple[CorpusReport, list[tuple[int, str, str]]] | None:
        """The validation text, where it has files of its own."""
        if "valid" not in self.files:
            return None
        report = CorpusReport()
        # An evaluation is not made easier: pairs out of proportion stay.
        limits = Limits(characters=self._limits.characters, ratio=float("inf"))
        return report, list(numbered_pairs(self.files["valid"], report, limits))

    @property
    def _words_are_enough(self) -> bool:
        """Whether its words and how often they occur are all that is needed of the text."""
        return not (self.mixed or self.config.sampling or self.vocabulary) and learned_from_words(self.config)

    def _from_words(
        self, report: CorpusReport, held_out: list[tuple[int, str, str]]
    ) -> tuple[PairEncoder, Generator[Chunk, None, None]]:
        """Splits the text into words once; pieces are learned from their counts, and tokens are made from them."""
        config, words, hold_out = self.config, CorpusWords(self.folder / WORDS), HeldOut()
        if "valid" not in self.files:
            pairs = read_pairs(self.files["train"], CorpusReport(), self._limits)
            hold_out = self._scan(self._shown("choosing what to validate on", pairs), sample_pairs=0).held_out
        remaining = self._remaining("reading", None, hold_out, report, held_out)
        words.write(words_of_chunks(numbered_chunks(remaining, report), self.workers))
        usable = words.pairs + len(held_out)
        if not words.pairs:
            raise self._too_little(usable)

        def learn() -> tuple[Tokenizer, Tokenizer]:
            counts = words.counts(
                pairs_to_learn_from(config),
                config.seed,
                joint=config.shares_vocabulary,
                held_out=[number for number, _, _ in held_out],
            )
            return tokenizers_of_words(config, counts, usable)

        encoder = self._encoder(learn)
        if encoder.cuts_words_apart:
            return encoder, self._encoded_words(encoder, words, report)
        words.remove()  # a symbol of the recipe has a space in it: words alone do not give the tokens of a text
        report.take()
        held_out.clear()
        found, none = CorpusScan(usable, [], hold_out), CorpusScan(0, [], HeldOut())
        return encoder, self._encoded(encoder, found, none, {"train": report}, held_out)

    def _encoded_words(
        self, encoder: PairEncoder, words: CorpusWords, report: CorpusReport
    ) -> Generator[Chunk, None, None]:
        done = 0

        def shown() -> Iterator[ChunkOfWords]:
            nonlocal done
            for chunk in words:
                self.progress("encoding", done, words.pairs)
                yield chunk
                done += len(chunk.lines)
            self.progress("encoding", done, done)

        yield from encoder.encode_words(shown(), report, str(self.files["train"].source))
        words.remove()

    def _from_text(
        self, pieces: ClosedList | None, reports: dict[str, CorpusReport], held_out: list[tuple[int, str, str]]
    ) -> tuple[PairEncoder, Generator[Chunk, None, None]]:
        """Reads the text once to choose what to learn from and what to hold out, and once more to encode it."""
        pairs = read_pairs(self.files["train"], CorpusReport(), self._limits)
        shown = self._shown("reading", pieces.watching(pairs) if pieces else pairs)
        found = self._scan(shown, pairs_to_learn_from(self.config))
        if not found.sample:
            raise self._too_little(found.pairs)
        if isinstance(pieces, Labels):
            pieces.check(self.files["train"].paths[-1])
        mixed = self._scan_mixed()
        encoder = self._encoder(
            lambda: learned_tokenizers(
                self.config, [*found.sample, *mixed.sample], found.pairs + mixed.pairs, pieces, self._noise
            )
        )
        return encoder, self._encoded(encoder, found, mixed, reports, held_out)

    def _scan(self, pairs: Iterable[tuple[str, str]], sample_pairs: int) -> CorpusScan:
        return scan_corpus(
            pairs,
            sample_pairs=sample_pairs,
            held_out_sources=0 if "valid" in self.files else self.config.valid_lines,
            seed=self.config.seed,
            side=self._side,
        )

    def _remaining(
        self,
        message: str,
        total: int | None,
        hold_out: HeldOut,
        report: CorpusReport,
        held_out: list[tuple[int, str, str]],
    ) -> Iterator[tuple[int, str, str]]:
        """The usable pairs to train on; those that are held out are appended to `held_out` instead."""
        name, side = self.files["train"].source, 1 + self._side
        lines = numbered_pairs(self.files["train"], report, self._limits)
        for pair in self._shown(message, lines, total):
            if pair[side] in hold_out:
                held_out.append(pair)
                report.take_back(HELD_OUT, f"{name}:{pair[0]}")
            else:
                yield pair

    def _too_little(self, pairs: int) -> InputError:
        return InputError(
            f"`{self.files['train'].source}` must hold at least two different usable sources, "
            f"one of them to validate on, but has {pairs} usable pairs. Add pairs, or give validation files."
        )

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
        """The side by which pairs are told apart: the source, or the only text there is."""
        return 0 if self.config.does.has_sources else 1

    @property
    def _limits(self) -> Limits:
        # Hardly any text gets so many characters into a token: a line beyond this is not worth cutting.
        return Limits(characters=64 * self.config.maximum_length, ratio=self.config.maximum_ratio)

    def _scan_mixed(self) -> CorpusScan:
        """How much there is to mix in, and a sample of it, so that pieces are learned from its words too."""
        pairs = (pair[1:] for _, pair in mixed_pairs(self.mixed, CorpusReport(), self._limits))
        return scan_corpus(
            self._shown("reading what is mixed in", pairs) if self.mixed else (),
            sample_pairs=pairs_to_learn_from(self.config),
            held_out_sources=0,
            seed=self.config.seed,
            side=self._side,
        )

    def _encoder(self, learn: Callable[[], tuple[Tokenizer, Tokenizer]]) -> PairEncoder:
        """Encodes with the tokenizers that were given, or with those that `learn` learns."""
        if self.vocabulary is not None:
            source, target = load_tokenizers(self.vocabulary, joint=(self.vocabulary / JOINT).exists())
        else:
            self.progress("learning pieces", 0, 1)
            source, target = learn()
            self.progress("learning pieces", 1, 1)
        check_tags(self.mixed, source, given=self.vocabulary is not None)
        save_tokenizers(self.folder, source, target)
        return PairEncoder(source, target, self.config.maximum_length, self._as_symbols)

    def _train(
        self, encoder: PairEncoder, chunks: Generator[Chunk, None, None], report: CorpusReport
    ) -> tuple[tuple[int, int], dict[str, float]]:
        """Writes the training stores; returns the tokens of each side and the shares of noise."""
        copies = self.config.sampled_copies
        vocabulary = max(encoder.source.size, encoder.target.size)
        with ExitStack() as stack:
            stack.enter_context(closing(chunks))
            folders = [self.folder / f"train-{copy}" for copy in range(copies)]
            writers = [stack.enter_context(StoreWriter(folder, vocabulary)) for folder in folders]
            pairs, noise = 0, Counter[str]()
            for chunk in chunks:
                pairs += chunk.pairs
                noise.update(chunk.noise)
                for writer, tokens in zip(writers, chunk.copies, strict=True):
                    writer.add(*tokens)
        if not report.kept:
            name = self.files["train"].source
            raise InputError(f"`{name}` must hold a usable pair, but has none. {'; '.join(str(report).split(chr(10)))}")
        return writers[0].tokens, {kind: count / (pairs * copies) for kind, count in sorted(noise.items())}

    def _encoded(
        self,
        encoder: PairEncoder,
        found: CorpusScan,
        mixed: CorpusScan,
        reports: dict[str, CorpusReport],
        held_out: list[tuple[int, str, str]],
    ) -> Generator[Chunk, None, None]:
        """The second pass over text; `held_out` gets the pairs that are not trained on."""
        config, report, name = self.config, reports["train"], str(self.files["train"].source)
        augmentation = None
        if config.sampling or self._noise:
            augmentation = Augmentation(config.sampling, config.sampled_copies, config.seed, self._noise)
        remaining = self._remaining("encoding", found.pairs, found.held_out, report, held_out)
        with encoding_processes(encoder, self.workers) as workers:
            yield from encoder.encode(remaining, report, name, augmentation, workers)
            yield from self._mixed_in(encoder, found, mixed, reports, augmentation, workers)

    def _mixed_in(
        self,
        encoder: PairEncoder,
        found: CorpusScan,
        mixed: CorpusScan,
        reports: dict[str, CorpusReport],
        augmentation: Augmentation | None,
        workers: EncodingProcesses | None,
    ) -> Generator[Chunk, None, None]:
        """The pairs that are mixed in, as many as the share asks for; none whose source is held out for validation."""
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
