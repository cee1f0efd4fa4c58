"""Languages made up on the spot, whose translations are known to the last word.

`reordering` writes sentences of an invented language and their translations. Both have clauses with a subject, a verb
and mostly an object, but

    near     the adjectives of a noun stand before it in the source, and behind it, turned around, in the target
    far      the verb ends its clause in the source, and follows the subject in the target
    farther  a clause that a subordinating word opens in the source comes first in the target, with that word before it
    many     some words become two words

Every target word knows the source word it was made from, so the right alignment is there by construction, and since
nothing is ambiguous a perfect score is possible.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from saccade.data.splits import SplitPairs

Words = list[str]
Link = tuple[int, int]

_SIZES = {"train": 20_000, "valid": 500, "test": 500}
_LONGEST = 32  # source words
_KINDS = {"determiner": 4, "adjective": 24, "noun": 40, "adverb": 8, "verb": 30, "and": 2, "because": 3}
_DOUBLED = 0.25


@dataclass(frozen=True)
class Lexicon:
    """The source words of each kind, and the one or two target words of each source word."""

    words: dict[str, tuple[str, ...]]
    translations: dict[str, tuple[str, ...]]

    @classmethod
    def invent(cls, chance: random.Random) -> "Lexicon":
        """Draws words that can be pronounced; no word belongs to both languages or means two things."""
        first = [consonant + vowel for consonant, vowel in product("bdfglmnrst", "aeiou")]
        source = iter(chance.sample([begin + end for begin, end in product(first, first)], 400))
        target = iter(chance.sample([begin + end + "k" for begin, end in product(first, first)], 400))
        words = {kind: tuple(next(source) for _ in range(count)) for kind, count in _KINDS.items()}
        translations = {}
        for kind, members in words.items():
            for word in members:
                twice = kind in ("noun", "verb") and chance.random() < _DOUBLED
                translations[word] = tuple(next(target) for _ in range(2 if twice else 1))
        return cls(words, translations)


@dataclass(frozen=True)
class AlignedSentence:
    """A source, its target, and which source word each target word was made from: (source place, target place)."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[Link, ...]

    @property
    def pharaoh(self) -> str:
        """The links as alignment tools write them: `0-0 2-1`."""
        return " ".join(f"{source}-{target}" for source, target in self.links)


@dataclass(frozen=True)
class _Part:
    """Source words, and their places (counted from the part's first word) in the order of the target."""

    words: Words
    order: list[int]

    def __add__(self, other: "_Part") -> "_Part":
        return _joined([self, other], (0, 1))


def _word(lexicon: Lexicon, kind: str, chance: random.Random) -> _Part:
    return _Part([chance.choice(lexicon.words[kind])], [0])


def _joined(parts: Sequence[_Part], target_order: Sequence[int]) -> _Part:
    """Parts one after another in the source, and in another order in the target."""
    starts = [sum(len(part.words) for part in parts[:place]) for place in range(len(parts))]
    order = [starts[place] + one for place in target_order for one in parts[place].order]
    return _Part([word for part in parts for word in part.words], order)


def _noun_phrase(lexicon: Lexicon, chance: random.Random) -> _Part:
    """Determiner, adjectives, noun; in the target the noun comes before its adjectives, the nearest first."""
    adjectives = [_word(lexicon, "adjective", chance) for _ in range(chance.choice((0, 0, 1, 1, 2, 3)))]
    parts = [_word(lexicon, "determiner", chance), *adjectives, _word(lexicon, "noun", chance)]
    return _joined(parts, [0, len(parts) - 1, *range(len(parts) - 2, 0, -1)])


def _clause(lexicon: Lexicon, chance: random.Random) -> _Part:
    """Subject, perhaps an object, perhaps an adverb, verb; in the target the verb comes second."""
    between = [_noun_phrase(lexicon, chance)] if chance.random() < 0.8 else []
    between += [_word(lexicon, "adverb", chance)] if chance.random() < 0.4 else []
    parts = [_noun_phrase(lexicon, chance), *between, _word(lexicon, "verb", chance)]
    return _joined(parts, [0, len(parts) - 1, *range(1, len(parts) - 1)])


def sentence(lexicon: Lexicon, chance: random.Random) -> AlignedSentence:
    """One to four clauses; a subordinate one moves, whole, before the one it belongs to."""
    whole = _clause(lexicon, chance)
    for _ in range(chance.choice((0, 0, 0, 1, 1, 2, 3))):
        kind = chance.choice(("and", "because"))
        link, further = _word(lexicon, kind, chance), _clause(lexicon, chance)
        whole = _joined([whole, link, further], (0, 1, 2) if kind == "and" else (1, 2, 0))
    target: Words = []
    links: list[Link] = []
    for place in whole.order:
        for word in lexicon.translations[whole.words[place]]:
            links.append((place, len(target)))
            target.append(word)
    return AlignedSentence(tuple(whole.words), tuple(target), tuple(links))


def reordering() -> SplitPairs:
    """The corpus of this name: no source twice, so what is tested was never trained on."""
    chance = random.Random(2015)
    lexicon = Lexicon.invent(chance)
    found: dict[tuple[str, ...], AlignedSentence] = {}
    while len(found) < sum(_SIZES.values()):
        one = sentence(lexicon, chance)
        if len(one.source) <= _LONGEST:
            found.setdefault(one.source, one)
    sentences = iter(found.values())
    pairs, links = {}, {}
    for split, size in _SIZES.items():
        portion = [next(sentences) for _ in range(size)]
        pairs[split] = [(" ".join(one.source), " ".join(one.target)) for one in portion]
        links[split] = [one.pharaoh for one in portion]
    return SplitPairs(pairs, links=links)
