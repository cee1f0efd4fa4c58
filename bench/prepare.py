"""How fast text becomes token stores, beside what sentencepiece alone needs to encode the same text.

    SACCADE_DATA=... python -m bench.prepare --pairs 2000000

The text is Europarl German-English, repeated until there are enough pairs. Prints a Markdown table.
"""

import argparse
import os
import resource
import shutil
import sys
import tempfile
import time
from itertools import chain, cycle, islice
from pathlib import Path

import sentencepiece

from saccade.data.corpus import read_lines
from saccade.data.prepare import DataConfig, prepare

SIDES = ("de", "en")
CHUNK = 100_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=2_000_000)
    parser.add_argument("--vocabulary", type=int, default=16_000)
    arguments = parser.parse_args()
    data = os.environ.get("SACCADE_DATA")
    if not data:
        print("error: SACCADE_DATA must name the folder of corpora, but is unset. Set it.", file=sys.stderr)
        return 2
    corpus = Path(data) / "europarl-de-en"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for side in SIDES:
            lines = list(read_lines(corpus / f"train.{side}.xz"))
            with (folder / f"train.{side}").open("w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in islice(cycle(lines), arguments.pairs))
        del lines
        size = sum((folder / f"train.{side}").stat().st_size for side in SIDES) / 1e6
        config = DataConfig(
            source=str(folder / "train.de"),
            target=str(folder / "train.en"),
            valid_source=str(corpus / "dev.de"),
            valid_target=str(corpus / "dev.en"),
            vocabulary=arguments.vocabulary,
        )
        began = time.perf_counter()
        prepared = prepare(config, folder / "prepared")
        ours = time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        model = folder / "alone.model"
        prepared.source_tokenizer.save(model)
        alone = encode_alone(model, folder)
        shutil.rmtree(folder / "prepared")
    print("| | seconds | MB/s | peak GiB |")
    print("|---|---|---|---|")
    print(f"| saccade: read twice, learn pieces, encode, store | {ours:.0f} | {size / ours:.1f} | {peak:.2f} |")
    print(f"| sentencepiece alone: encode | {alone:.0f} | {size / alone:.1f} | |")
    print(f"\n{arguments.pairs:,} pairs, {size:.0f} MB, {os.cpu_count()} cores, vocabulary {arguments.vocabulary:,}")
    return 0


def encode_alone(model: Path, folder: Path) -> float:
    """Seconds the library needs for the same lines in batches, the reading of the file left out."""
    processor = sentencepiece.SentencePieceProcessor(model_file=str(model))
    seconds = 0.0
    lines = chain.from_iterable((folder / f"train.{side}").open(encoding="utf-8") for side in SIDES)
    while chunk := list(islice(lines, CHUNK)):
        began = time.perf_counter()
        processor.Encode(chunk, num_threads=-1)
        seconds += time.perf_counter() - began
    return seconds


if __name__ == "__main__":
    sys.exit(main())
