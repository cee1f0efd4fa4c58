"""A treebank made up on the spot: sentences of a small grammar with the tree each was derived by.

The grammar has the ambiguity that makes parsing hard: "with ..." may belong to the verb or to the noun before it, and
nothing but the words tells which.

    (VP saw (NP the bird) (PP with (NP the telescope)))             one sees with an instrument
    (VP saw (NP (NP the bird) (PP with (NP the feathers))))         a bird has feathers

A parser that knows the words can be perfect, and one that knows only the tags cannot.
"""

import random

from saccade.data.splits import SplitPairs
from saccade.data.trees import Tree

_SIZES = {"train": 6_000, "valid": 300, "test": 300}
_LONGEST = 24  # words
_ROUNDS = 2  # how many times a noun phrase may be extended

_WORDS = {
    "DT": ("the", "a", "every", "this"),
    "JJ": ("small", "old", "green", "quick", "quiet", "heavy"),
    "animal": ("bird", "fox", "horse", "turtle", "beetle", "lion"),
    "person": ("girl", "boy", "teacher", "sailor", "painter", "doctor"),
    "instrument": ("telescope", "camera", "lens", "mirror", "lantern"),
    "part": ("feathers", "stripes", "spots", "horns", "whiskers"),
    "place": ("garden", "harbour", "forest", "market", "valley"),
    "seen": ("saw", "watched", "found", "painted", "followed"),
    "went": ("slept", "waited", "sang", "left", "laughed"),
    "said": ("said", "knew", "thought", "believed"),
    "CC": ("and", "or"),
    "RB": ("often", "rarely", "slowly", "again"),
}
_TAGS = {
    **dict.fromkeys(("animal", "person", "instrument", "place"), "NN"),
    "part": "NNS",
    **dict.fromkeys(("seen", "went", "said"), "VBD"),
}


class _Writer:
    """Derives one sentence; symbols and words are written as a derivation goes on, from left to right."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.symbols: list[str] = []
        self.words: list[str] = []

    def sentence(self) -> Tree:
        self._clause(end=True)
        return Tree.of(self.symbols, self.words)

    def _clause(self, *, end: bool = False) -> None:
        self.symbols.append("(S")
        self._noun_phrase("person", _ROUNDS)
        self._verb_phrase(deeper=end)
        if end:
            self._leaf(".", ".")
        self.symbols.append(")S")

    def _verb_phrase(self, *, deeper: bool) -> None:
        self.symbols.append("(VP")
        if self._happens(0.3):
            self.symbols.append("(ADVP")
            self._word("RB")
            self.symbols.append(")ADVP")
        if deeper and self._happens(0.2):
            self._word("said")
            self.symbols.append("(SBAR")
            self._leaf("IN", "that")
            self._clause()
            self.symbols.append(")SBAR")
        elif self._happens(0.25):
            self._word("went")
            self._prepositional_phrase("in", "place")
        else:
            self._word("seen")
            # With an instrument the phrase is the verb's, with a part it is the noun's.
            self._noun_phrase("animal", _ROUNDS)
            if self._happens(0.5):
                self._prepositional_phrase("with", "instrument")
        self.symbols.append(")VP")

    def _noun_phrase(self, kind: str, rounds: int) -> None:
        self.symbols.append("(NP")
        choice = self._chance.random() if rounds else 1.0
        if choice < 0.3:
            self._noun_phrase(kind, rounds - 1)
            if kind == "animal":
                self._prepositional_phrase("with", "part")
            else:
                self._prepositional_phrase("from", "place")
        elif choice < 0.42:
            self._noun_phrase(kind, 0)
            self._word("CC")
            self._noun_phrase(kind, 0)
        else:
            self._word("DT")
            if self._happens(0.4):
                self._word("JJ")
            self._word(kind)
        self.symbols.append(")NP")

    def _prepositional_phrase(self, preposition: str, kind: str) -> None:
        self.symbols.append("(PP")
        self._leaf("IN", preposition)
        self._noun_phrase(kind, 0)
        self.symbols.append(")PP")

    def _word(self, kind: str) -> None:
        self._leaf(_TAGS.get(kind, kind), self._chance.choice(_WORDS[kind]))

    def _leaf(self, tag: str, word: str) -> None:
        self.symbols.append(tag)
        self.words.append(word)

    def _happens(self, probability: float) -> bool:
        return self._chance.random() < probability


def toy_treebank() -> SplitPairs:
    """The corpus of this name: words and trees, no sentence twice."""
    chance = random.Random(2014)
    found: dict[tuple[str, ...], Tree] = {}
    while len(found) < sum(_SIZES.values()):
        tree = _Writer(chance).sentence()
        if len(tree.words) <= _LONGEST:
            found.setdefault(tree.words, tree)
    trees = iter(found.values())
    portions = {split: [next(trees) for _ in range(size)] for split, size in _SIZES.items()}
    return SplitPairs({split: [(" ".join(tree.words), str(tree)) for tree in own] for split, own in portions.items()})
