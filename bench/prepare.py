"""How fast text becomes token stores, beside what sentencepiece alone needs to encode the same text.

    SACCADE_DATA=... python -m bench.prepare --pairs 2000000

The text is Europarl German-English, 380,000 pairs. More pairs are made by repeating it, and in each repetition words
that occur only once are spelt another way: real text goes on bringing new words, and saccade, which segments every
distinct word once, must not profit from text that does not. The number of distinct words is printed.

sentencepiece is timed half before and half after saccade, in batches, with all cores, without reading the file. The
time of saccade is that of the whole preparation, in a process of its own. Prints Markdown.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import chain, count, islice
from pathlib import Path

import sentencepiece

from saccade.data.config import DataConfig
from saccade.data.prepare import prepare
from saccade.data.text_lines import read_lines
from saccade.data.tokenizer import Tokenizer

SIDES = ("de", "en")
CHUNK = 20_000  # lines a batch: the size at which sentencepiece is fastest, and saccade's own
LEARNED_FROM = 100_000  # lines, for the run of sentencepiece alone


@dataclass(frozen=True)
class Cost:
    """Seconds by the clock, seconds of all cores together, and the most memory held."""

    seconds: float
    cpu_seconds: float
    gibibytes: float = 0.0


def main() -> int:
    """Measures, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=2_000_000)
    parser.add_argument("--vocabulary", type=int, default=16_000)
    parser.add_argument("--prepare", type=Path, help=argparse.SUPPRESS)  # the process in which saccade is measured
    arguments = parser.parse_args()
    if arguments.prepare:
        print(json.dumps(asdict(prepare_here(arguments.prepare, arguments.vocabulary))))
        return 0
    data = os.environ.get("SACCADE_DATA")
    if not data:
        print("error: SACCADE_DATA must name the folder of corpora, but is unset. Set it.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        types, tokens = write_text(Path(data) / "europarl-de-en", folder, arguments.pairs)
        megabytes = sum((folder / f"train.{side}").stat().st_size for side in SIDES) / 1e6
        model = folder / "alone.model"
        lines = chain.from_iterable(islice(read_lines(folder / f"train.{side}"), LEARNED_FROM) for side in SIDES)
        Tokenizer.train(lines, pieces="bpe", size=arguments.vocabulary).save(model)
        before = encode_alone(model, folder / f"train.{SIDES[0]}")
        command = [sys.executable, "-m", "bench.prepare", "--prepare", temporary]
        done = subprocess.run(
            [*command, "--vocabulary", str(arguments.vocabulary)], check=True, capture_output=True, text=True
        )
        ours = Cost(**json.loads(done.stdout))
        after = encode_alone(model, folder / f"train.{SIDES[1]}")
    alone = Cost(before.seconds + after.seconds, before.cpu_seconds + after.cpu_seconds)
    print("| | seconds | CPU seconds | MB/s | of sentencepiece | peak GiB |")
    print("|---|---|---|---|---|---|")
    for name, cost in (("saccade: read, learn, encode, store", ours), ("sentencepiece alone: encode", alone)):
        speeds = f"{megabytes / cost.seconds:.1f} | {alone.seconds / cost.seconds:.2f}"
        peak = f"{cost.gibibytes:.2f}" if cost.gibibytes else ""
        print(f"| {name} | {cost.seconds:.0f} | {cost.cpu_seconds:.0f} | {speeds} | {peak} |")
    print(
        f"\n{arguments.pairs:,} pairs, {megabytes:.0f} MB, {tokens:,} words, {types:,} different ones, "
        f"{os.cpu_count()} cores, vocabulary {arguments.vocabulary:,}"
    )
    return 0


def write_text(corpus: Path, folder: Path, pairs: int) -> tuple[int, int]:
    """Writes both sides, and the validation pairs; returns how many different words there are, and how many in all."""
    types, tokens = set[str](), 0
    for side in SIDES:
        (folder / f"dev.{side}").write_bytes((corpus / f"dev.{side}").read_bytes())
        with (folder / f"train.{side}").open("w", encoding="utf-8") as file:
            for line in islice(growing(list(read_lines(corpus / f"train.{side}.xz"))), pairs):
                file.write(f"{line}\n")
                words = line.split()
                types.update(words)
                tokens += len(words)
    return len(types), tokens


def growing(lines: list[str]) -> Iterator[str]:
    """The lines again and again; each time, the letters of words that occur once are rotated by one more place."""
    counts = Counter(chain.from_iterable(map(str.split, lines)))
    rare = [[word for word in line.split() if counts[word] == 1] for line in lines]
    for repetition in count():
        for line, words in zip(lines, rare, strict=True):
            for word in words:
                turned = repetition % len(word)
                line = line.replace(word, word[turned:] + word[:turned])
            yield line


def prepare_here(folder: Path, vocabulary: int) -> Cost:
    """What saccade takes to prepare the corpus, in this process."""
    config = DataConfig(
        source=str(folder / f"train.{SIDES[0]}"),
        target=str(folder / f"train.{SIDES[1]}"),
        valid_source=str(folder / f"dev.{SIDES[0]}"),
        valid_target=str(folder / f"dev.{SIDES[1]}"),
        vocabulary=vocabulary,
    )
    began, cpu = time.perf_counter(), time.process_time()
    prepare(config, folder / "prepared")
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu
    return Cost(seconds, cpu_seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)


def encode_alone(model: Path, file: Path) -> Cost:
    """What sentencepiece takes for the lines of a file, without reading it."""
    encoder = sentencepiece.SentencePieceProcessor(model_file=str(model))
    seconds = cpu_seconds = 0.0
    lines = file.open(encoding="utf-8")
    while chunk := list(islice(lines, CHUNK)):
        began, busy = time.perf_counter(), time.process_time()
        encoder.Encode(chunk, num_threads=-1)
        seconds += time.perf_counter() - began
        cpu_seconds += time.process_time() - busy
    lines.close()
    return Cost(seconds, cpu_seconds)


if __name__ == "__main__":
    sys.exit(main())
