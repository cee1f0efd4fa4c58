"""The tokenizers of a Hugging Face folder: sentencepiece models, and a vocabulary that numbers their pieces.

    Marian     source.spm, target.spm, vocab.json; target_vocab.json where each side has its own, `separate_vocabs`
    Pegasus    spiece.model, whose pieces are numbered from 103 on, after names for masks that no text has
    M2M100     sentencepiece.bpe.model, vocab.json; then the languages
    NLLB       sentencepiece.bpe.model, whose pieces are numbered one higher, as in fairseq; then the languages

A Pegasus model may have the files of Marian: those of our own exports do.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import sentencepiece

from saccade.data.tokenizer import Tokenizer
from saccade.data.vocabulary_tokenizer import Vocabulary, VocabularyTokenizer
from saccade.errors import FormatError
from saccade.interop.checkpoint_files import AGAIN, optional_object, read_object
from saccade.interop.huggingface_languages import language_numbers

Sizes = tuple[int, int]
_SPECIALS = ("<s>", "</s>", "<unk>")
_FEW = 0.1
"""The share of pieces without a number up to which a vocabulary may be right: text that it was made of had not all."""


def check_tokenizer_has_no_code(folder: Path) -> None:
    """A tokenizer that comes with code may do anything with languages and pieces, as that of SMaLL-100 does."""
    own = min((path.name for path in folder.glob("tokenization_*.py")), default=None)
    if own is None and "auto_map" in optional_object(folder / "tokenizer_config.json"):
        own = "named by `auto_map` in tokenizer_config.json"
    if own is not None:
        raise FormatError(
            f"`{folder}` must have a tokenizer that is part of transformers, but has one with code of its own, {own}. "
            "Import another model: such code is not run."
        )


def marian_tokenizers(folder: Path, config: Mapping[str, Any], sizes: Sizes) -> tuple[Tokenizer, Tokenizer]:
    """The source and the target tokenizer of a folder of Marian, for vocabularies of these sizes."""
    separate = _separate(folder, config)
    files = ("source.spm", "vocab.json"), ("target.spm", "target_vocab.json" if separate else "vocab.json")
    _refuse_added(folder)
    found = []
    for (model, vocabulary), size in zip(files, sizes, strict=True):
        content = read_object(folder / vocabulary)
        pieces = numbered(content, min(len(content), size), folder / vocabulary)
        pieces += _unused(len(pieces), size)
        unk = _unknown(folder, pieces)
        _check_specials(folder, config, pieces)
        own = Vocabulary.of(pieces, config["pad_token_id"], config["eos_token_id"], unk)
        found.append(VocabularyTokenizer(Tokenizer.read_model(folder / model), own, str(folder / model)))
    return found[0], found[1]


def pegasus_tokenizer(folder: Path, config: Mapping[str, Any], size: int) -> Tokenizer:
    """The tokenizer of both sides of a folder of Pegasus."""
    path = folder / "spiece.model"
    model = _sentencepiece_model(path)
    offset = optional_object(folder / "tokenizer_config.json").get("offset", 103)
    pieces = pegasus_pieces(pieces_of(model, path), offset)
    pieces += _unused(len(pieces), size)
    if len(pieces) != size:
        raise FormatError(
            f"`{path}` must have at most {size} pieces, names of masks among them, but has {len(pieces)}."
        )
    _check_specials(folder, config, pieces)
    own = Vocabulary.of(pieces, config["pad_token_id"], config["eos_token_id"], pieces.index("<unk>"))
    return VocabularyTokenizer(model, own, str(path))


def m2m100_tokenizer(folder: Path, config: Mapping[str, Any], size: int) -> Tokenizer:
    """The tokenizer of both sides of a folder of M2M100, or of NLLB, which has no vocabulary beside its model."""
    path, vocabulary = folder / "sentencepiece.bpe.model", folder / "vocab.json"
    model = _sentencepiece_model(path)
    if numbered_in_file := os.path.lexists(vocabulary):
        content = read_object(vocabulary)
        pieces = numbered(content, len(content), vocabulary)
    else:
        learned = pieces_of(model, path)
        if learned[:3] != ["<unk>", "<s>", "</s>"]:
            raise FormatError(f"`{path}` must begin with <unk>, <s> and </s>, but begins with {learned[:3]!r:.60}.")
        pieces = ["<s>", "<pad>", "</s>", "<unk>", *learned[3:]]
    languages = language_numbers(folder, len(pieces))
    if not numbered_in_file and (named_so := [piece for piece in languages.values() if piece.startswith("__")]):
        raise FormatError(
            f"`{vocabulary}` must be there, since it numbers the pieces of M2M100, whose languages have names such as "
            f"{named_so[0]}, but is not. {AGAIN}"
        )
    # Rows beyond the pieces and the languages were added to make the size round.
    named = dict(enumerate(pieces)) | languages
    rows = [named.get(number, f"<unused_{number}>") for number in range(size)]
    if len(pieces) > size or max(languages) >= size or min(languages) < len(pieces):
        raise FormatError(
            f"`{folder}` must have its {len(pieces)} pieces and then {len(languages)} languages in the {size} rows of "
            f"the model, but has a language at {min(languages)} and one at {max(languages)}. {AGAIN}"
        )
    _check_specials(folder, config, rows)
    own = Vocabulary.of(
        rows,
        config["pad_token_id"],
        config["eos_token_id"],
        _unknown(folder, rows),
        language_codes=[languages[number] for number in sorted(languages)],
    )
    return VocabularyTokenizer(model, own, str(path))


def pegasus_pieces(learned: Sequence[str], offset: object) -> list[str]:
    """All pieces in the order of their numbers: padding, end, masks, then what was learned, without its specials."""
    if not isinstance(offset, int) or isinstance(offset, bool) or not 0 <= offset < 1 << 16:
        raise FormatError(f"`offset` in tokenizer_config.json must be a number of pieces, but is {offset!r:.40}.")
    masks = ["<mask_1>", "<mask_2>", *(f"<unk_{number}>" for number in range(2, offset))] if offset else []
    return ["<pad>", "</s>", *masks, *learned[2:]]


def numbered(vocabulary: Mapping[str, Any], size: int, path: Path) -> list[str]:
    """The pieces in the order of their numbers, if there is one for every number below the size."""
    pieces: dict[int, str] = {}
    for piece, number in vocabulary.items():
        if not isinstance(number, int) or isinstance(number, bool) or number in pieces:
            raise FormatError(
                f"`{path}` must give every piece a number of its own, but gives {piece!r:.40} {number!r:.40}."
            )
        pieces[number] = piece
    try:
        "".join(pieces.values()).encode()
    except UnicodeEncodeError as problem:
        raise FormatError(
            f"`{path}` must hold pieces of text, but has half a character in one of them. {AGAIN}"
        ) from problem
    missing = next((number for number in range(size) if number not in pieces), None)
    if missing is not None or len(pieces) != size:
        hole = f"no piece has the number {missing}" if missing is not None else f"there are {len(pieces)}"
        raise FormatError(f"`{path}` must have a piece for each of the {size} rows of the model, but {hole}. {AGAIN}")
    return [pieces[number] for number in range(size)]


def pieces_of(model: bytes, path: Path) -> list[str]:
    """The pieces of a sentencepiece model, in its own order."""
    processor = sentencepiece.SentencePieceProcessor()
    try:
        processor.LoadFromSerializedProto(model)
    except RuntimeError as problem:
        raise FormatError(f"`{path}` must be a sentencepiece model, but is damaged. {AGAIN}") from problem
    return [processor.IdToPiece(number) for number in range(processor.GetPieceSize())]


def hardly_numbered(folder: Path, source: Tokenizer, target: Tokenizer) -> tuple[str, ...]:
    """A line for each side of Marian's files whose vocabulary is hardly that of the model that cuts its text."""
    lines = []
    for path, tokenizer in ((folder / "source.spm", source), (folder / "target.spm", target)):
        if not path.is_file():
            continue
        assert tokenizer.vocabulary is not None
        learned = [piece for piece in pieces_of(tokenizer.model_bytes, path) if piece not in _SPECIALS]
        unknown = sum(piece not in tokenizer.vocabulary.ids for piece in learned) / max(len(learned), 1)
        if unknown > _FEW:
            lines.append(
                f"{unknown:.0%} of the pieces of {path.name}, which have no number and are unknown to the model. Its "
                "vocabulary is hardly the right one: Marian's own files of this model (decoder.yml, .npz) may have that"
            )
    return tuple(lines)


def _sentencepiece_model(path: Path) -> bytes:
    if not path.is_file() and path.with_name("tokenizer.json").is_file():
        raise FormatError(
            f"`{path}` must be there, but only tokenizer.json is, which is not read. Copy it from the model that this "
            "one was trained from."
        )
    return Tokenizer.read_model(path)


def _unused(first: int, size: int) -> list[str]:
    """Names for rows that were added to make the size round; nothing is ever read as one of them."""
    return [f"<unused_{number}>" for number in range(first, size)]


def _check_specials(folder: Path, config: Mapping[str, Any], pieces: Sequence[str]) -> None:
    """The numbers in config.json must be those of the pieces that the tokenizer calls so, where it has them."""
    about = {**optional_object(folder / "special_tokens_map.json"), **optional_object(folder / "tokenizer_config.json")}
    for name, usual in (("pad", "<pad>"), ("eos", "</s>")):
        piece = about.get(f"{name}_token") or usual
        piece = piece.get("content") if isinstance(piece, dict) else piece
        number = config[f"{name}_token_id"]
        if piece in pieces and pieces[number : number + 1] != [piece]:
            raise FormatError(
                f"`{folder / 'config.json'}`: `{name}_token_id` must be {pieces.index(piece)}, the number of {piece}, "
                f"but is {number}. Correct it, or get the model again."
            )


def _separate(folder: Path, config: Mapping[str, Any]) -> bool:
    """Whether each side has a vocabulary of its own. transformers asks the flag alone, and a file may be left over."""
    flag = optional_object(folder / "tokenizer_config.json").get("separate_vocabs") or False  # it may be null
    if not isinstance(flag, bool):
        raise FormatError(
            f"`{folder / 'tokenizer_config.json'}`: `separate_vocabs` must be true or false, but is {flag!r:.40}."
        )
    there = (folder / "target_vocab.json").is_file()
    if there and not flag and not config["share_encoder_decoder_embeddings"]:
        raise FormatError(
            f"`{folder / 'tokenizer_config.json'}`: `separate_vocabs` must be true, since each side has its own "
            "matrix (config.json) and there is a target_vocab.json, but is false. Set it, or delete that file if "
            "vocab.json numbers both."
        )
    if flag and not there:
        raise FormatError(
            f"`{folder}` must have target_vocab.json, since `separate_vocabs` in tokenizer_config.json is true, but "
            f"does not. {AGAIN}"
        )
    return flag


def _unknown(folder: Path, pieces: Sequence[str]) -> int:
    if "<unk>" not in pieces:
        raise FormatError(f"`{folder}` must have the piece <unk> in its vocabulary, but has not. {AGAIN}")
    return pieces.index("<unk>")


def _refuse_added(folder: Path) -> None:
    added = optional_object(folder / "added_tokens.json")
    if added:
        raise FormatError(
            f"`{folder / 'added_tokens.json'}` must not be there, since tokens that were added to a vocabulary are not "
            f"imported, but it adds {len(added)}."
        )
