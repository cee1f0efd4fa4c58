"""Our tokenizers as the files of Hugging Face's MarianTokenizer, which cut a text into the same ids.

    source.spm, target.spm     the sentencepiece models
    vocab.json                 each piece with its id, and target_vocab.json where the target has pieces of its own
    tokenizer_config.json      which class reads them, and how

MarianTokenizer gives a text to sentencepiece as it is, while ours is brought into canonical composition first, with
every run of white space one space. sentencepiece can do that itself, by a table of what to replace, which is appended
to the model: https://github.com/google/sentencepiece/blob/master/doc/normalization.md. The table holds every
character that is written otherwise than NFC writes it, alone or as a base with its marks in any order. What it cannot
hold is a base with further marks between: such text, which no language is written in, may be cut otherwise.

MarianTokenizer takes a text that begins with ">>" and goes on to "<<" for the name of a language. Nothing can be done
about that one.
"""

import tempfile
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import sentencepiece

from saccade.data.normalisation import normalise
from saccade.data.sentencepiece_model import SPACE, protobuf_field
from saccade.data.tokenizer import Tokenizer
from saccade.interop.huggingface_ids import ExportedIds
from saccade.interop.huggingface_json import write_json
from saccade.special_tokens import BOS, EOS, PAD, UNK

_SURROGATES = range(0xD800, 0xE000)
_HANGUL = range(0xAC00, 0xD7A4)


def write_tokenizers(
    folder: Path,
    source: Tokenizer,
    target: Tokenizer,
    ids: ExportedIds,
    maximum_length: int,
    languages: tuple[str | None, str | None] = (None, None),
) -> None:
    """Writes the files into a folder; `languages` are those of the source and of the target, where they are known."""
    for side, tokenizer in (("source", source), ("target", target)):
        tokenizer.save(folder / f"{side}.spm")
        if tokenizer.vocabulary is None:  # one from elsewhere normalises as its own model says
            with (folder / f"{side}.spm").open("ab") as file:  # what follows in a protocol buffer adds to what precedes
                file.write(_normaliser())
    vocabularies = [
        {piece: id for id, piece in enumerate(tokenizer.pieces(order))}
        for tokenizer, order in ((source, ids.source), (target, ids.target))
    ]
    separate = vocabularies[0] != vocabularies[1]
    write_json(folder / "vocab.json", vocabularies[0])
    if separate:
        write_json(folder / "target_vocab.json", vocabularies[1])
    specials = {"pad_token": PAD, "eos_token": EOS, "unk_token": UNK}
    if ids.target[ids.start] == BOS:  # else it would be printed
        specials["bos_token"] = BOS
    config: dict[str, Any] = {
        "tokenizer_class": "MarianTokenizer",
        "model_max_length": maximum_length,
        "separate_vocabs": separate,
        "split_special_tokens": True,  # a text with "</s>" in it means these four characters
        "clean_up_tokenization_spaces": False,  # nor is " ." of an output "."
        **dict(zip(specials, target.pieces(list(specials.values())), strict=True)),
        **{name: code for name, code in zip(("source_lang", "target_lang"), languages, strict=True) if code},
    }
    write_json(folder / "tokenizer_config.json", config)


def without_normaliser(model: bytes) -> bytes | None:
    """The sentencepiece model that a file of an export was made from; None where that is not one of ours."""
    return model[: -len(added)] if model.endswith(added := _normaliser()) else None


@cache
def _normaliser() -> bytes:
    """What makes sentencepiece normalise by `_rules`: field 2 of field 3 of its model, the compiled table."""
    sentencepiece.SetMinLogLevel(2)  # it would tell of its table on standard error
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rules.tsv"
        rules = "".join(f"{_codes(given)}\t{_codes(wanted)}\n" for given, wanted in sorted(_rules().items()))
        path.write_text(rules, encoding="utf-8")
        compiled = sentencepiece.SentencePieceNormalizer(rule_tsv=str(path)).serialized_model_proto()
    spec = protobuf_field(compiled, 3)
    assert isinstance(spec, bytes)
    table = protobuf_field(spec, 2)  # the rest of it tells where the rules lay
    assert isinstance(table, bytes)
    return _message(3, _message(2, table))


def _message(number: int, content: bytes) -> bytes:
    """A field of a protocol buffer: number and kind, length, content (https://protobuf.dev/programming-guides/encoding)."""
    length, size = bytearray(), len(content)
    while size > 127:
        length.append(size & 127 | 128)
        size >>= 7
    return bytes([number << 3 | 2, *length, size]) + content


def _codes(text: str) -> str:
    return " ".join(f"{ord(character):04X}" for character in text)


def _rules() -> dict[str, str]:
    """What `normalise` writes otherwise."""
    rules = {}
    for character in map(chr, (code for code in range(0x110000) if code not in _SURROGATES)):
        if character == " ":
            continue
        if character.isspace() or character == SPACE:
            rules[character] = " "
            continue
        if unicodedata.is_normalized("NFD", character):
            continue
        for given in (character, *_spellings(character)):
            if (wanted := normalise(given)) != given:
                rules[given] = wanted
    return rules


def _spellings(character: str) -> Iterator[str]:
    """A character as its base and its marks in any order, of which the first may be one with the base already."""
    decomposed = unicodedata.normalize("NFD", character)
    if ord(character) in _HANGUL:  # their parts have one order only
        orders = [decomposed]
    else:
        orders = [decomposed[0] + "".join(marks) for marks in permutations(decomposed[1:])]
    for spelled in orders:
        for joined in range(1, len(spelled)):
            yield unicodedata.normalize("NFC", spelled[:joined]) + spelled[joined:]
