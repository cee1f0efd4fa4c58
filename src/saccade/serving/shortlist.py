"""A shortlist for a model that is there, learned from text: see `data/shortlist.py`."""

import random
from dataclasses import dataclass
from pathlib import Path

from saccade.data.corpus_report import CorpusReport
from saccade.data.parallel_text import PairFiles, read_pairs
from saccade.data.reservoir import reservoir
from saccade.data.shortlist import learn_shortlist
from saccade.errors import InputError
from saccade.serving.bundle import Bundle, add_shortlist

SAMPLE = 200_000
HELD_OUT = 1000


@dataclass(frozen=True)
class Learned:
    """How good a shortlist is: on pairs it has not seen, how many pieces a sentence gets, and what share it needs."""

    pieces: float
    vocabulary: int
    covered: float
    pairs: int

    def __str__(self) -> str:
        return (
            f"{self.pieces:.0f} of {self.vocabulary:,} pieces a sentence, which hold {self.covered:.1%} of the target "
            f"pieces of {self.pairs:,} other pairs"
        )


def teach_shortlist(folder: Path, files: PairFiles, seed: int = 1) -> Learned:
    """Learns from a sample of the pairs and puts the shortlist into the model folder."""
    bundle = Bundle.load(folder)
    source, target = bundle.source_tokenizer, bundle.target_tokenizer
    pairs = reservoir(read_pairs(files, CorpusReport()), SAMPLE, random.Random(seed))
    if len(pairs) < 2:
        raise InputError(f"`{files.source}` must hold at least 2 pairs to learn from, but holds {len(pairs)}.")
    random.Random(seed).shuffle(pairs)
    sides = (source.encode([one for one, _ in pairs]), target.encode([other for _, other in pairs]))
    encoded = list(zip(*sides, strict=True))
    held_out = min(HELD_OUT, len(encoded) // 2)
    shortlist = learn_shortlist(encoded[held_out:], source.size, target.size, copies=source == target)
    add_shortlist(folder, shortlist)
    covered, length = shortlist.coverage(encoded[:held_out])
    return Learned(length, target.size, covered, held_out)
