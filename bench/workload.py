"""The work every library is given: model sizes, sentences, batches, and what the work must cost at least.

Only the standard library is used here, so that every environment can import it. Ids below `FIRST_WORD` are special;
an adapter lays them out as its library wants. A source of n positions, its EOS counted, is answered with exactly n
tokens, so that every search takes the same number of steps.
"""

import math
import random
from dataclasses import dataclass

PAD, BOS, EOS, FIRST_WORD = 0, 1, 2, 8

Sentence = list[int]
Batch = list[tuple[Sentence, Sentence]]


@dataclass(frozen=True)
class Size:
    """A model: the letters of the paper's Table 3, and its regularisation."""

    width: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    dropout: float = 0.1
    smoothing: float = 0.1


SIZES = {
    "tiny": Size(width=64, layers=1, heads=2, inner=128, vocabulary=512),
    "small": Size(width=256, layers=3, heads=4, inner=1024, vocabulary=8192),
    "base": Size(width=512, layers=6, heads=8, inner=2048, vocabulary=37_000),
    "base-16k": Size(width=512, layers=6, heads=8, inner=2048, vocabulary=16_000),
    "big": Size(width=1024, layers=6, heads=16, inner=4096, vocabulary=37_000, dropout=0.3),
}


@dataclass(frozen=True)
class Setup:
    """What an adapter is made for: "train" or "decode", in which of its variants, with how many threads."""

    size: Size
    mode: str
    variant: str
    threads: int


@dataclass(frozen=True)
class Corpus:
    """Log-normal source lengths with this mean and spread, in tokens; a target is about as long as its source."""

    mean: float
    sigma: float


CORPORA = {"short": Corpus(14.0, 0.40), "medium": Corpus(22.0, 0.55)}


@dataclass(frozen=True)
class Product:
    """`times` products of a [rows, inner] matrix with an [inner, outer] one."""

    rows: int
    inner: int
    outer: int
    times: int

    @property
    def operations(self) -> int:
        """Floating-point operations of all of them, forward."""
        return 2 * self.rows * self.inner * self.outer * self.times


def sentence_pairs(corpus: Corpus, count: int, vocabulary: int, seed: int) -> Batch:
    """Sentences of random words, 3 to 100 of them."""
    generator = random.Random(seed)
    location = math.log(corpus.mean) - corpus.sigma**2 / 2
    pairs = []
    for _ in range(count):
        source = generator.lognormvariate(location, corpus.sigma)
        target = source * generator.lognormvariate(0.0, 0.18)
        source_length, target_length = (max(3, min(100, round(length))) for length in (source, target))
        pairs.append((_words(generator, source_length, vocabulary), _words(generator, target_length, vocabulary)))
    return pairs


def batches(corpus: Corpus, count: int, vocabulary: int, tokens: int, seed: int = 1) -> list[Batch]:
    """Batches of at most `tokens` padded positions a target, EOS counted.

    Pairs are sorted by target length, then by source length, within a pool; the batches are shuffled.
    """
    generator = random.Random(seed + 1)
    made: list[Batch] = []
    part = 0
    while len(made) < count:
        pool = sentence_pairs(corpus, 8192, vocabulary, seed * 1000 + part)
        pool.sort(key=lambda pair: (len(pair[1]), len(pair[0])))
        full = cut(pool, tokens)
        generator.shuffle(full)
        made += full
        part += 1
    return made[:count]


def cut(pool: Batch, tokens: int) -> list[Batch]:
    """The longest runs of pairs, sorted by target length, that fit as rectangles; the incomplete last is left out."""
    full: list[Batch] = []
    run: Batch = []
    for pair in pool:
        # Sorted, so the newcomer is the longest.
        if run and (len(pair[1]) + 1) * (len(run) + 1) > tokens:
            full.append(run)
            run = []
        run.append(pair)
    return full


def sources(count: int, batch: int, vocabulary: int, seed: int = 7) -> list[list[Sentence]]:
    """Sources for decoding, in batches of one length, 16 to 24 positions; EOS counts and is not included."""
    generator = random.Random(seed)
    groups = []
    for _ in range(count // batch):
        length = generator.randrange(16, 25) - 1
        groups.append([_words(generator, length, vocabulary) for _ in range(batch)])
    return groups


def source_tokens(batch: Batch) -> int:
    """Real source positions, EOS counted."""
    return sum(len(source) + 1 for source, _ in batch)


def target_tokens(batch: Batch) -> int:
    """Real target positions, EOS counted: the tokens of every tokens/s."""
    return sum(len(target) + 1 for _, target in batch)


def padding(made: list[Batch]) -> tuple[float, float]:
    """Positions over real tokens, of both sides, when every batch is a rectangle."""
    positions = [sum(len(batch) * (max(len(pair[side]) for pair in batch) + 1) for batch in made) for side in (0, 1)]
    return positions[0] / sum(map(source_tokens, made)), positions[1] / sum(map(target_tokens, made))


def products(size: Size, source: int, target: int) -> list[Product]:
    """The model's matrix products, forward, over this many positions a side; those with one input are one product."""
    return [*encoder_products(size, source), *decoder_products(size, target)]


def encoder_products(size: Size, source: int) -> list[Product]:
    """What is done once for a source: the encoder, and the keys and values the decoder will look at."""
    width, inner, layers = size.width, size.inner, size.layers
    return [
        Product(source, width, 3 * width, layers),
        Product(source, width, width, layers),
        Product(source, width, inner, layers),
        Product(source, inner, width, layers),
        Product(source, width, 2 * width, layers),
    ]


def decoder_products(size: Size, target: int) -> list[Product]:
    """What is done for every target position."""
    width, inner, layers = size.width, size.inner, size.layers
    return [
        Product(target, width, 3 * width, layers),
        Product(target, width, width, 3 * layers),
        Product(target, width, inner, layers),
        Product(target, inner, width, layers),
        Product(target, width, size.vocabulary, 1),
    ]


def language_model_products(size: Size, target: int) -> list[Product]:
    """The same for a decoder alone: no keys, values, queries and outputs of attention over a source."""
    width, inner, layers = size.width, size.inner, size.layers
    return [
        Product(target, width, 3 * width, layers),
        Product(target, width, width, layers),
        Product(target, width, inner, layers),
        Product(target, inner, width, layers),
        Product(target, width, size.vocabulary, 1),
    ]


def training_operations(size: Size, batch: Batch) -> int:
    """Useful floating-point operations of a step: three times the forward products, and attention; no padding."""
    forward = sum(product.operations for product in products(size, source_tokens(batch), target_tokens(batch)))
    return 3 * (forward + sum(attention_operations(size, len(one) + 1, len(other) + 1) for one, other in batch))


def attention_operations(size: Size, source: int, target: int) -> int:
    """Scores and weighted sums of one pair, forward; of the decoder's own only what it may see."""
    return 4 * size.width * size.layers * (source * source + target * (target + 1) // 2 + source * target)


def weights_read(size: Size) -> int:
    """How many weights one decoder step must read."""
    return sum(product.inner * product.outer * product.times for product in decoder_products(size, 1))


def _words(generator: random.Random, count: int, vocabulary: int) -> Sentence:
    return [generator.randrange(FIRST_WORD, vocabulary) for _ in range(count)]
