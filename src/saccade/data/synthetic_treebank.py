"""A treebank made up on the spot: sentences of a probabilistic context-free grammar, with the tree of each derivation.

The grammar has the ambiguity that makes parsing hard: "with ..." may belong to the verb or to the noun before it, and
nothing but the words tells which.

    (VP saw (NP the bird) (PP with (NP the telescope)))             one sees with an instrument
    (VP saw (NP (NP the bird) (PP with (NP green feathers))))       a bird has feathers

A parser that knows the words can be perfect, and one that knows only the tags of the nouns before them cannot.
"""

import random

from saccade.data.splits import SplitPairs
from saccade.data.trees import Tree

_SIZES = {"train": 6_000, "valid": 300, "test": 300}
_LONGEST = 24  # words

GRAMMAR: dict[str, dict[str, float]] = {
    "S:main": {"NP:person VP:main .": 1.0},
    "S:said": {"NP:person VP:said": 1.0},
    "VP:main": {
        "VBD:think SBAR": 0.15,
        "VBD:wait PP:place": 0.15,
        "ADVP VBD:wait": 0.1,
        "VBD:see NP:animal": 0.2,
        "VBD:see NP:animal PP:instrument": 0.3,
        "ADVP VBD:see NP:animal": 0.1,
    },
    "VP:said": {"VBD:wait PP:place": 0.4, "VBD:see NP:animal": 0.3, "VBD:see NP:animal PP:instrument": 0.3},
    "SBAR": {"IN:that S:said": 1.0},
    "ADVP": {"RB": 1.0},
    "NP:person": {
        "DT NN:person": 0.5,
        "DT JJ NN:person": 0.25,
        "NP:person PP:place": 0.15,
        "NP:person CC NP:person": 0.1,
    },
    "NP:animal": {
        "DT NN:animal": 0.35,
        "DT JJ NN:animal": 0.2,
        "NP:animal PP:part": 0.35,
        "NP:animal CC NP:animal": 0.1,
    },
    "NP:instrument": {"DT NN:instrument": 0.7, "DT JJ NN:instrument": 0.3},
    "NP:part": {"NNS:part": 0.5, "JJ NNS:part": 0.5},
    "NP:place": {"DT NN:place": 0.8, "DT JJ NN:place": 0.2},
    "PP:instrument": {"IN:with NP:instrument": 1.0},
    "PP:part": {"IN:with NP:part": 1.0},
    "PP:place": {"IN:place NP:place": 1.0},
}
"""What each symbol may become, and how probable that is. A label or tag stands before the colon, its kind behind."""

WORDS: dict[str, str] = {
    ".": ".",
    "DT": "the a every this",
    "JJ": "small old green quick quiet heavy",
    "RB": "often rarely slowly again",
    "CC": "and or",
    "IN:that": "that",
    "IN:with": "with",
    "IN:place": "in from near",
    "NN:animal": "bird fox horse turtle beetle lion",
    "NN:person": "girl boy teacher sailor painter doctor",
    "NN:instrument": "telescope camera lens mirror lantern",
    "NNS:part": "feathers stripes spots horns whiskers",
    "NN:place": "garden harbour forest market valley",
    "VBD:see": "saw watched found painted followed",
    "VBD:wait": "slept waited sang laughed",
    "VBD:think": "said knew thought believed",
}
"""What each tag may be written as, all words equally probable."""


def derive(chance: random.Random) -> Tree:
    """One sentence: symbols are replaced from left to right until only words are left."""
    symbols: list[str] = []
    words: list[str] = []
    remaining = ["S:main"]
    while remaining:
        symbol = remaining.pop()
        label = symbol.partition(":")[0]
        if symbol in GRAMMAR:
            expansions = GRAMMAR[symbol]
            [chosen] = chance.choices(list(expansions), list(expansions.values()))
            symbols.append(f"({label}")
            remaining += [f"){label}", *reversed(chosen.split())]
        elif symbol in WORDS:
            symbols.append(label)
            words.append(chance.choice(WORDS[symbol].split()))
        else:
            symbols.append(symbol)
    return Tree.of(symbols, words)


def toy_treebank() -> SplitPairs:
    """The corpus of this name: words and trees, no sentence twice."""
    chance = random.Random(2014)
    found: dict[tuple[str, ...], Tree] = {}
    while len(found) < sum(_SIZES.values()):
        tree = derive(chance)
        if len(tree.words) <= _LONGEST:
            found.setdefault(tree.words, tree)
    trees = iter(found.values())
    portions = {split: [next(trees) for _ in range(size)] for split, size in _SIZES.items()}
    return SplitPairs({split: [(" ".join(tree.words), str(tree)) for tree in own] for split, own in portions.items()})
