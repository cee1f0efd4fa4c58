"""Sentences of an invented language with their translations, and for each word the word it was made from.

Nouns and adjectives are drawn at random. Every word has one translation. In the reordered language the adjectives
before a noun stand behind it in the target, the nearest first: `a b N c M` becomes `N b a M c`. In the monotone one
nothing moves.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from saccade.special_tokens import SPECIAL

# More words than a small network has units: with twenty of each it keeps its neighbours' words in every annotation, and
# a decoder that writes everything right may look beside the word it means.
NOUNS, ADJECTIVES = 100, 100


@dataclass(frozen=True)
class Made:
    """A pair, and the source place of each target word."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    places: tuple[int, ...]

    @property
    def tokens(self) -> tuple[list[int], list[int]]:
        """Both sides as numbers, EOS left out: a word and its translation have the same."""
        return [number(word) for word in self.source], [number(word) for word in self.target]


VOCABULARY = SPECIAL + NOUNS + ADJECTIVES


def number(word: str) -> int:
    """The token of a word."""
    return SPECIAL + int(word[1:]) + (0 if word[0].lower() == "n" else NOUNS)


def made(length: int, share_of_nouns: float, reorders: bool, chance: random.Random) -> Made:
    """A sentence of so many words, the last of them a noun."""
    source = [
        f"n{chance.randrange(NOUNS)}" if chance.random() < share_of_nouns else f"a{chance.randrange(ADJECTIVES)}"
        for _ in range(length - 1)
    ]
    source.append(f"n{chance.randrange(NOUNS)}")
    places = _moved(source) if reorders else list(range(length))
    return Made(tuple(source), tuple(source[place].upper() for place in places), tuple(places))


def _moved(source: Sequence[str]) -> list[int]:
    places: list[int] = []
    waiting: list[int] = []
    for place, word in enumerate(source):
        waiting.append(place)
        if word.startswith("n"):
            places += reversed(waiting)
            waiting = []
    return places


def corpus(count: int, lengths: range, reorders: bool, seed: int, share_of_nouns: float = 0.4) -> list[Made]:
    """So many sentences, none twice; all lengths equally often, as far as there are so many short ones."""
    chance = random.Random(seed)
    found: dict[tuple[str, ...], Made] = {}
    while len(found) < count:
        one = made(chance.choice(lengths), share_of_nouns, reorders, chance)
        found.setdefault(one.source, one)
    return list(found.values())
