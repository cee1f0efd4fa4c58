"""How a corpus that comes in one piece is cut into train, valid and test: pure functions from raw text to pairs.

Every cut puts a sentence (or a word) where a hash of its letters says, so that

  - all pairs with the same source stay together: what is tested was never trained on;
  - the cut does not depend on the order of the file, on a seed or on the version of anything;
  - a stranger with the same file gets the same split, bit for bit (the catalogue holds its checksums).
"""

import hashlib
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from saccade.data.trees import Tree

Pair = tuple[str, str]


@dataclass(frozen=True)
class SplitPairs:
    """The pairs of each split, by name, and the people whom the licence asks to credit.

    Where it is known which words belong together, `links` says so for each pair: `0-0 2-1`, source place first.
    """

    pairs: dict[str, list[Pair]]
    authors: tuple[str, ...] = ()
    links: Mapping[str, list[str]] = field(default_factory=dict)


def letters(text: str) -> str:
    """The words of a text without case and punctuation: "Jump!" and "Jump." are one sentence."""
    return " ".join(re.findall(r"\w+", text.lower()))


def bucket(text: str) -> int:
    """A number from 0 to 999 that depends only on the letters of the text: the first 32 bits of SHA-1, modulo 1000."""
    digest = hashlib.sha1(letters(text).encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) % 1000


def lines_of(text: str) -> list[str]:
    """Lines end at a line feed and nowhere else: str.splitlines would also cut at U+2028 inside a sentence."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def tatoeba(texts: Sequence[str]) -> SplitPairs:
    """English TAB other TAB credit: 1.5 % of the English sentences are test, 1.5 % valid, the rest train.

    A train pair whose *other* side is the translation of a held-out sentence is left out too, so that neither
    direction has seen its test answers. The file comes sorted by length and train is shuffled, so that a tokenizer
    that learns from the first lines learns from all kinds.
    """
    (text,) = texts
    rows = [line.split("\t") for line in lines_of(text)]
    portions: dict[str, list[Pair]] = {"train": [], "valid": [], "test": []}
    for english, other, _ in rows:
        number = bucket(english)
        portions["test" if number < 15 else "valid" if number < 30 else "train"].append((english, other))
    held_out = {letters(other) for _, other in portions["test"] + portions["valid"]}
    portions["train"] = [pair for pair in portions["train"] if letters(pair[1]) not in held_out]
    random.Random(1).shuffle(portions["train"])
    credited = {name for row in rows for name in re.findall(r"#\d+ \(([^()]+)\)", row[2])}
    return SplitPairs(portions, tuple(sorted(credited, key=str.casefold)))


def pronouncing_dictionary(texts: Sequence[str]) -> SplitPairs:
    """CMU dictionary format, `word(2) HH AH0 # note`: 5 % of the words are test, 5 % valid, the rest train.

    Stress digits go, as in all published scores; `word(2)` is a further pronunciation of `word`; two that differed
    only in stress are one.
    """
    (text,) = texts
    portions: dict[str, list[Pair]] = {"train": [], "valid": [], "test": []}
    for word, phones in dict.fromkeys(_pronunciation(line) for line in lines_of(text) if line.strip()):
        number = bucket(word)
        portions["test" if number < 50 else "valid" if number < 100 else "train"].append((word, phones))
    return SplitPairs(portions)


def _pronunciation(line: str) -> Pair:
    word, *phones = line.split("#")[0].split()
    return re.sub(r"\(\d+\)$", "", word), " ".join(phone.rstrip("012") for phone in phones)


def published_pronunciations(texts: Sequence[str]) -> SplitPairs:
    """Word TAB phones, train and test as published: 2.5 % of the train words become valid, test stays whole."""
    train_text, test_text = texts
    portions: dict[str, list[Pair]] = {"train": [], "valid": [], "test": []}
    for line in lines_of(train_text):
        word, phones = line.split("\t")
        portions["valid" if bucket(word) < 25 else "train"].append((word, phones))
    for line in lines_of(test_text):
        word, phones = line.split("\t")
        portions["test"].append((word, phones))
    return SplitPairs(portions)


def reversed_letters() -> SplitPairs:
    """A toy task made on the spot: "c a f" becomes "f a c". 3 to 8 of ten letters, no sequence twice."""
    generator = random.Random(2017)
    sources: dict[str, None] = {}
    while len(sources) < 5400:
        sources[" ".join(generator.choices("abcdefghij", k=generator.randint(3, 8)))] = None
    pairs = [(source, source[::-1]) for source in sources]
    return SplitPairs({"train": pairs[:5000], "valid": pairs[5000:5200], "test": pairs[5200:]})


def sentence_origins(texts: Sequence[str]) -> SplitPairs:
    """English sentences and the kind of text they come from: captions, everyday, parliament, news."""
    captions, everyday, parliament, *news = texts
    named = {"captions": captions, "everyday": everyday, "parliament": parliament, "news": "".join(news)}
    return _balanced(named, most=6_000)


def sentence_languages(texts: Sequence[str]) -> SplitPairs:
    """Everyday sentences and the language they are in: German, English, Spanish."""
    return _balanced(dict(zip(("de", "en", "es"), texts, strict=True)), most=20_000)


def bracketed_trees(texts: Sequence[str]) -> SplitPairs:
    """One bracketed tree a line, train, valid and test as published: the words of each tree, and the tree."""
    portions: dict[str, list[Pair]] = {}
    for split, text in zip(("train", "valid", "test"), texts, strict=True):
        trees = [Tree.read(line) for line in lines_of(text)]
        portions[split] = [(" ".join(tree.words), str(tree)) for tree in trees]
    return SplitPairs(portions)


def _balanced(texts: Mapping[str, str], most: int) -> SplitPairs:
    """Lines and their labels: 5 % of the sentences are test, 5 % valid, the rest train; every label as often as others.

    A sentence that has two labels says nothing and goes. Of each label the sentences with the smallest digests are
    taken, at most `most` of them and no more than the rarest label has. Those of a large corpus then all have small
    digests, so the order in which the labels are mixed is that of the digests read backwards.
    """
    labels: dict[str, set[str]] = {}
    lines: dict[str, str] = {}
    for label, text in texts.items():
        for line in lines_of(text):
            if letters(line):
                labels.setdefault(letters(line), set()).add(label)
                lines.setdefault(letters(line), line)
    digests = {key: _digest(key) for key in lines}
    chosen: dict[str, list[str]] = {label: [] for label in texts}
    for key in sorted(lines, key=digests.__getitem__):
        if len(labels[key]) == 1:
            [label] = labels[key]
            chosen[label].append(key)
    size = min(most, *(len(keys) for keys in chosen.values()))
    portions: dict[str, list[Pair]] = {"train": [], "valid": [], "test": []}
    for split, begin, end in (("test", 0, size // 20), ("valid", size // 20, size // 10), ("train", size // 10, size)):
        pairs = [(key, label) for label, keys in chosen.items() for key in keys[begin:end]]
        portions[split] = [(lines[key], label) for key, label in sorted(pairs, key=lambda pair: digests[pair[0]][::-1])]
    return SplitPairs(portions)


def _digest(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
