"""A tokenizer of each kind for tests, all learned from the same few lines."""

from saccade.data.sentencepiece_model import PieceKind
from saccade.data.tokenizer import Tokenizer

LINES = [
    "A man rides his horse across the field .",
    "Ein Mann reitet auf seinem Pferd über das Feld .",
    "Zwei Männer fahren « langsam » auf ihren Rädern …",
    "Two men slowly ride their bicycles , don’t they ?",
    "Das Pferd steht auf dem Feld , und der Mann lacht .",
    "The horse stands in the field , and the man laughs .",
]
KINDS: tuple[PieceKind, ...] = ("bpe", "unigram", "character", "word")
TOKENIZERS = {}


def trained(kind: PieceKind) -> Tokenizer:
    if kind not in TOKENIZERS:
        TOKENIZERS[kind] = Tokenizer.train(LINES, pieces=kind, size=420 if kind in ("bpe", "unigram") else None)
    return TOKENIZERS[kind]
