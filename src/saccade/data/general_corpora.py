"""Corpora of many kinds of text, joined from several sources: what a translator for text in the wild is trained on.

Only sources whose licence lets a model trained on them be given away under another licence are in them. What is left
out for a share-alike licence: MDN's documentation, two Bibles, Mozilla's and Unciv's user interfaces, OWASP,
MT-GenEval, XQuAD and CoCoA-MT.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from saccade.data.corpus_sources import Corpus, LocalFiles
from saccade.data.splits import Pair, SplitPairs, lines_of

_PARLIAMENT = "European Parliament proceedings, reuse with the source acknowledged"
ENGLISH_SPANISH: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "europarl": ("European Parliament, debates 1999-2012", _PARLIAMENT),
        "ms-dynamics-operations": ("Microsoft, Dynamics 365 documentation", "CC-BY 4.0"),
        "novels": ("22 novels of Project Gutenberg", "public domain in the USA"),
        "python-docs": ("Python documentation and its Spanish translators", "CC0"),
        "ms-business-central": ("Microsoft, Business Central documentation", "CC-BY 4.0"),
        "ms-visualstudio": ("Microsoft, Visual Studio documentation", "CC-BY 4.0"),
        "ethereum-docs": ("ethereum.org, documentation", "MIT"),
        "bible-web-pddpt": ("World English Bible and Palabra de Dios para ti (eBible)", "public domain and CC-BY 4.0"),
        "godot-docs": ("Godot Engine documentation", "CC-BY 3.0"),
        "react-docs": ("React documentation", "CC-BY 4.0"),
        "tldr-pages": ("tldr-pages", "CC-BY 4.0"),
        "rust-book": ("The Rust Programming Language", "MIT or Apache-2.0"),
        "ethereum-ui": ("ethereum.org, user interface", "MIT"),
        "programming-historian": ("Programming Historian, lessons", "CC-BY"),
        "us-civic": ("login.gov, vita-min, Bloom and CiviForm, user interfaces", "CC0, MIT and Apache-2.0"),
        "kubernetes-docs": ("Kubernetes documentation", "CC-BY 4.0"),
        "gnome-help": ("GNOME user help", "CC-BY 3.0"),
        "osm-presets": ("OpenStreetMap id-tagging-schema", "ISC"),
        "cldr-names": ("Unicode CLDR", "Unicode-3.0"),
        "opensource-guide": ("Open Source Guides", "CC-BY 4.0"),
        "tico19-dev": ("TICO-19", "CC0"),
    }
)
"""The folders of `real-en-es/train` by size: whose text it is, and its licence."""
TATOEBA = ("contributors of Tatoeba (tatoeba.org)", "CC-BY 2.0 FR")


@dataclass(frozen=True)
class JoinedCorpora:
    """The files of several corpora as one: first those to train on, then those of every other split, two for each."""

    trained: int
    held_out: tuple[str, ...]

    def __call__(self, texts: Sequence[str]) -> SplitPairs:
        """All pairs of a split; those to train on in an order drawn once, so that any part of them has all kinds."""
        sides = [lines_of(text) for text in texts]
        corpora = [list(zip(*sides[first : first + 2], strict=True)) for first in range(0, len(sides), 2)]
        pairs: dict[str, list[Pair]] = {"train": [pair for corpus in corpora[: self.trained] for pair in corpus]}
        for split, corpus in zip(self.held_out, corpora[self.trained :], strict=True):
            pairs[split] = [*pairs.get(split, []), *corpus]
        random.Random(0).shuffle(pairs["train"])
        return SplitPairs(pairs)


def _files(train: Sequence[str], held_out: Sequence[tuple[str, str]], languages: tuple[str, str]) -> LocalFiles:
    names = [*train, *(name for _, name in held_out)]
    sides = tuple(f"{name}.{language}" for name in names for language in languages)
    return LocalFiles(sides, JoinedCorpora(len(train), tuple(split for split, _ in held_out)))


def _credits(sources: Sequence[tuple[str, str]]) -> str:
    return "; ".join(f"{whose} ({licence})" for whose, licence in sources)


_ENGLISH_SPANISH_HELD_OUT = (
    ("valid", "tatoeba-en-es/valid"),
    ("valid", "real-en-es/test/news-test2008"),
    ("test", "tatoeba-en-es/test"),
    ("newstest2011", "real-en-es/test/newstest2011"),
    ("newstest2012", "real-en-es/test/newstest2012"),
    ("europarl", "real-en-es/test/europarl-heldout"),
    ("ud-pud", "real-en-es/test/ud-pud"),
)
_GERMAN_ENGLISH_HELD_OUT = (
    ("valid", "tatoeba-en-de/valid"),
    ("valid", "wmt-newstest/newstest2012"),
    ("test", "tatoeba-en-de/test"),
    ("newstest2013", "wmt-newstest/newstest2013"),
    ("europarl", "europarl-de-en/test"),
)

GENERAL_CORPORA = (
    Corpus(
        name="english-spanish",
        summary="English and Spanish of 22 sources: parliament, documentation, novels, everyday and more",
        task="translation",
        languages=("en", "es"),
        licence="that of each source: " + "; ".join(sorted({one for _, one in (*ENGLISH_SPANISH.values(), TATOEBA)})),
        attribution=_credits([*ENGLISH_SPANISH.values(), TATOEBA]),
        citation="see the attribution; test sets of the Conference on Machine Translation and Universal Dependencies",
        splits={
            "train": 1_465_792,
            "valid": 4_124,
            "test": 2_144,
            "newstest2011": 3_003,
            "newstest2012": 3_003,
            "europarl": 2_000,
            "ud-pud": 1_000,
        },
        sources=(
            _files(
                [*(f"real-en-es/train/{name}" for name in ENGLISH_SPANISH), "tatoeba-en-es/train"],
                _ENGLISH_SPANISH_HELD_OUT,
                ("en", "es"),
            ),
        ),
        checksums={
            "train.en": "ccf92d3784b78199ac2f7c79dfc2007be875abe0e62b3c0fb4b7cdad83424382",
            "train.es": "25c05f3e720ddb470ae4bd21ab0347e52ab8feb3343a639fc22649e612d5a27b",
            "valid.en": "fba22c66793401ce389beae8897ebe0e1e382a9b07f3008cfec5d54b8cdceac2",
            "valid.es": "ea77bccc2f732924452d82b71f222585d99a9c35fa981fc7e36813236df5cfe0",
            "test.en": "55843b3d99c5b4e77024d3a9d74a811bad91a5436841edad0c8c9f394c3739fb",
            "test.es": "9a12205da30fb44fee3a22f817b3414a7aafa080b16d1df09cabb36732a26ffc",
            "newstest2011.en": "d387569743c0fa9097df4d4e2c1dd9e6ba9ef3cee6e0f473da3204c887dcf8fd",
            "newstest2011.es": "2cfc4007fa812891c6e89ccf0ee3b3c0d2fbfb422f54a3996cc60296224794b1",
            "newstest2012.en": "f9e51f85c4948033fc7d77ef427f4d88908a8dd3f778970f62d0baafac3ff97e",
            "newstest2012.es": "399bdda6a530fb1d0d4df28bcb6af055c607d0f0ab64894ac9d70b8047a91c7c",
            "europarl.en": "7a178b1ddcf3ac1a9a1f14afa47c285883ac828fe03f4a6a3a0bd408c321edc6",
            "europarl.es": "f194837d2bf2cb494d420be2589304ae6b37a3c4318db910474093163887b16c",
            "ud-pud.en": "33ba9e548762dac0b624bd1db8eb077a38d4159d3b126393d6bfbfc3089858f7",
            "ud-pud.es": "65e87a764fe4cc1d61883d0f7c6d78dcc2a9017f722776ebb84f49e9de520016",
        },
        advice="Put real-en-es and tatoeba-en-es into SACCADE_DATA.",
    ),
    Corpus(
        name="german-english",
        summary="German and English: parliament debates and everyday sentences, with news to test on",
        task="translation",
        languages=("de", "en"),
        licence=f"that of each source: {_PARLIAMENT}; {TATOEBA[1]}",
        attribution=_credits([("European Parliament, debates 1999-2011", _PARLIAMENT), TATOEBA]),
        citation="Koehn 2005, Europarl: a parallel corpus for statistical machine translation, MT Summit; Tatoeba",
        splits={"train": 543_406, "valid": 5_496, "test": 2_477, "newstest2013": 3_000, "europarl": 2_000},
        sources=(_files(["europarl-de-en/train", "tatoeba-en-de/train"], _GERMAN_ENGLISH_HELD_OUT, ("de", "en")),),
        checksums={
            "train.de": "518417a78e263be26e5311138691052fa93d467d457414c83ec646c32bf25c49",
            "train.en": "c0225741762f30788899bcc39f8efc0c714547792fc0448ca37fe7294cef47ee",
            "valid.de": "7f8f0c1af1b10da862ea0c58dd664fa5792f40131798f4aaa2b07e314ab3b196",
            "valid.en": "9d354afd4f93c7ae4ae3cbc2f1de85861c80138997b46720b0101815b86294a9",
            "test.de": "79b8bd8b18e5590c9e051008d8b2505bd0d4de6d6afef8da6835b17ce0ab1bff",
            "test.en": "3edc3510f54b786527d0fe54a8457ae38e2fbb5695b5c944727ec5e4ed96a3cd",
            "newstest2013.de": "d7ea35ab91ff3709e03ad9cb6bf5b4f2cc775cd2d72efd5254c4aec5e69663ca",
            "newstest2013.en": "ace268a1d9724ca76f6d8e5c720ffdc08f01bdce45630ed8b269dc7918e1c16e",
            "europarl.de": "ac225769a21c3144db355cfd9819702322ed75b010739b6765526b2fd6f1f9da",
            "europarl.en": "9e95d800b8a4330daf353d1810edf6c335d5fb1000639e774b094a8b8c345932",
        },
        advice="Put europarl-de-en, tatoeba-en-de and wmt-newstest into SACCADE_DATA.",
    ),
)
