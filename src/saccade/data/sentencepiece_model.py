"""What a sentencepiece model says about itself, read out of its protocol buffer."""

from collections.abc import Iterator
from typing import Literal

PieceKind = Literal["bpe", "unigram", "character", "word"]

SPACE = "\u2581"  # how sentencepiece writes a space inside a piece
MODEL_TYPES: dict[PieceKind, str] = {"bpe": "bpe", "unigram": "unigram", "character": "char", "word": "word"}
_USER_DEFINED = 4  # SentencePiece.Type
KINDS: dict[int, PieceKind] = {1: "unigram", 2: "bpe", 3: "word", 4: "character"}  # TrainerSpec.ModelType


def piece_kind(model: bytes) -> PieceKind:
    """TrainerSpec.model_type: field 3 of field 2. Absent means unigram."""
    spec = protobuf_field(model, 2)
    kind = protobuf_field(spec, 3) if isinstance(spec, bytes) else None
    return KINDS[kind if isinstance(kind, int) else 1]


def keeps_text_as_it_is(model: bytes) -> bool:
    """Whether its NormalizerSpec (field 3) only puts a space before the text: no table (2), a dummy prefix (3)."""
    spec = protobuf_field(model, 3)
    if not isinstance(spec, bytes):
        return False
    return not protobuf_field(spec, 2) and protobuf_field(spec, 3) != 0


def user_defined_pieces(model: bytes) -> frozenset[str]:
    """Pieces that are never cut or merged: of the pieces (field 1) those whose type (3) is 4; 1 is their text."""
    pieces = (piece for piece in protobuf_fields(model, 1) if isinstance(piece, bytes))
    texts = (protobuf_field(piece, 1) for piece in pieces if protobuf_field(piece, 3) == _USER_DEFINED)
    return frozenset(text.decode() for text in texts if isinstance(text, bytes))


def protobuf_field(message: bytes, wanted: int) -> int | bytes | None:
    """The first field of this number."""
    return next(protobuf_fields(message, wanted), None)


def protobuf_fields(message: bytes, wanted: int) -> Iterator[int | bytes]:
    """All fields of this number, by the wire format: https://protobuf.dev/programming-guides/encoding."""
    position = 0
    if wanted != 1:
        # Past the pieces, which come first, are thousands, and have short lengths: field 1 with a length in one byte.
        while message[position : position + 1] == b"\x0a" and message[position + 1] < 128:
            position += 2 + message[position + 1]
    while position < len(message):
        key, position = _varint(message, position)
        number, wire = key >> 3, key & 7
        value: int | bytes
        if wire == 0:
            value, position = _varint(message, position)
        else:
            length = {1: 8, 5: 4}.get(wire)
            if length is None:
                length, position = _varint(message, position)
            value = message[position : position + length]
            position += length
        if number == wanted:
            yield value


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[position]
        value |= (byte & 127) << shift
        position, shift = position + 1, shift + 7
        if byte < 128:
            return value, position
