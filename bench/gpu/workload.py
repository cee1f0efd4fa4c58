"""What every implementation trains on and decodes: the paper's 25,000 tokens a side, and sources of one length."""

from dataclasses import dataclass

import numpy as np

from bench.workload import FIRST_WORD, Sentence

TOKENS = 25_000
MEAN_LENGTH = 27
DECODED_LENGTH = 27
"""Positions of a source, and of its output, in decoding."""
BEAM = 4
DECODING_BATCHES = (1, 64, 512)
"""How many sentences are decoded at once."""
_SENTENCES = 200_000


@dataclass(frozen=True)
class Batch:
    """Sentences as word ids, without EOS."""

    sources: list[Sentence]
    targets: list[Sentence]

    @property
    def target_tokens(self) -> int:
        """Real target positions, EOS counted."""
        return sum(len(target) + 1 for target in self.targets)


def batches(count: int, vocabulary: int, tokens: int = TOKENS, mean: float = MEAN_LENGTH, seed: int = 0) -> list[Batch]:
    """`count` of the batches, in random order: rows x the longer side is at most `tokens`."""
    generator = np.random.Generator(np.random.PCG64(seed))
    sigma = 0.55
    raw = np.exp(np.log(mean) - sigma**2 / 2 + sigma * generator.standard_normal(_SENTENCES))
    source = np.clip(np.rint(raw), 3, 120).astype(int)
    target = np.clip(np.rint(source * 1.05 * np.exp(0.12 * generator.standard_normal(_SENTENCES))), 3, 130).astype(int)
    order = np.lexsort((source, np.maximum(source, target)))
    cuts = _cuts(np.maximum(source, target)[order], tokens)
    chosen = generator.permutation(len(cuts) - 1)[:count]
    rows = [order[cuts[cut] : cuts[cut + 1]] for cut in chosen]
    return [Batch(*(_words(side[indices], vocabulary, generator) for side in (source, target))) for indices in rows]


def _words(lengths: np.ndarray, vocabulary: int, generator: np.random.Generator) -> list[Sentence]:
    return [generator.integers(FIRST_WORD, vocabulary, length - 1).tolist() for length in lengths]


def _cuts(longer: np.ndarray, tokens: int) -> list[int]:
    """Where batches of ascending lengths begin, and the end of the last that is full."""
    cuts = [0]
    for place, length in enumerate(longer.tolist()):
        if (place + 1 - cuts[-1]) * length > tokens:
            cuts.append(place)
    return cuts
