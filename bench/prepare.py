"""How fast text becomes token stores, beside what sentencepiece alone needs to encode the same text.

    SACCADE_DATA=... python -m bench.prepare --pairs 2000000

The text is Europarl German-English, as it is up to its 380,000 pairs. Beyond, it is repeated, and in each repetition
the words that occur only once in all of it are spelt another way: a text of new sentences also goes on bringing new
words, and saccade, which cuts every word once, must not profit from a text that does not. Their number is printed.

The library's time is taken half before and half after ours, in batches, with all cores, without reading the file. Ours
is everything, in a process of its own. Prints Markdown.
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

from saccade.data.corpus import read_lines
from saccade.data.prepare import DataConfig, prepare
from saccade.data.tokenizer import Tokenizer

SIDES = ("de", "en")
CHUNK = 20_000  # lines a batch: what gives the library its best speed, and what ours uses
LEARNED_FROM = 100_000  # lines, for the library's own run


@dataclass(frozen=True)
class Cost:
    """Seconds by the clock, seconds of all cores together, and the most memory held."""

    seconds: float
    processor_seconds: float
    gibibytes: float = 0.0


def main() -> int:
    """Measures, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=2_000_000)
    parser.add_argument("--vocabulary", type=int, default=16_000)
    parser.add_argument("--prepare", type=Path, help=argparse.SUPPRESS)  # the process that is ours
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
        program = [sys.executable, "-m", "bench.prepare", "--prepare", temporary]
        done = subprocess.run(
            [*program, "--vocabulary", str(arguments.vocabulary)], check=True, capture_output=True, text=True
        )
        ours = Cost(**json.loads(done.stdout))
        after = encode_alone(model, folder / f"train.{SIDES[1]}")
    alone = Cost(before.seconds + after.seconds, before.processor_seconds + after.processor_seconds)
    print("| | seconds | processor seconds | MB/s | of sentencepiece | peak GiB |")
    print("|---|---|---|---|---|---|")
    for name, cost in (("saccade: read twice, learn, encode, store", ours), ("sentencepiece alone: encode", alone)):
        speeds = f"{megabytes / cost.seconds:.1f} | {alone.seconds / cost.seconds:.2f}"
        peak = f"{cost.gibibytes:.2f}" if cost.gibibytes else ""
        print(f"| {name} | {cost.seconds:.0f} | {cost.processor_seconds:.0f} | {speeds} | {peak} |")
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
    """The lines again and again, words that occur once spelt anew each time: their letters turned by one place more."""
    counts = Counter(chain.from_iterable(map(str.split, lines)))
    rare = [[word for word in line.split() if counts[word] == 1] for line in lines]
    for repetition in count():
        for line, words in zip(lines, rare, strict=True):
            for word in words:
                turned = repetition % len(word)
                line = line.replace(word, word[turned:] + word[:turned])
            yield line


def prepare_here(folder: Path, vocabulary: int) -> Cost:
    """What preparing takes in this process."""
    config = DataConfig(
        source=str(folder / f"train.{SIDES[0]}"),
        target=str(folder / f"train.{SIDES[1]}"),
        valid_source=str(folder / f"dev.{SIDES[0]}"),
        valid_target=str(folder / f"dev.{SIDES[1]}"),
        vocabulary=vocabulary,
    )
    began, processor = time.perf_counter(), time.process_time()
    prepare(config, folder / "prepared")
    seconds, processor_seconds = time.perf_counter() - began, time.process_time() - processor
    return Cost(seconds, processor_seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)


def encode_alone(model: Path, file: Path) -> Cost:
    """What the library takes for the lines of a file, the reading left out."""
    processor = sentencepiece.SentencePieceProcessor(model_file=str(model))
    seconds = processor_seconds = 0.0
    lines = file.open(encoding="utf-8")
    while chunk := list(islice(lines, CHUNK)):
        began, busy = time.perf_counter(), time.process_time()
        processor.Encode(chunk, num_threads=-1)
        seconds += time.perf_counter() - began
        processor_seconds += time.process_time() - busy
    lines.close()
    return Cost(seconds, processor_seconds)


if __name__ == "__main__":
    sys.exit(main())
