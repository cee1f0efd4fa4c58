"""The tokenizers of a folder of Marian: vocabularies that number the pieces, and what cuts text into them.

    opus.spm32k-spm32k.vocab.yml    both sides, with source.spm and target.spm to cut the text, as OPUS-MT has them
    vocab.src.yml, vocab.trg.yml    one for each side
    vocab.spm                       a sentencepiece model that Marian cuts and numbers with by itself

`</s>` and `<unk>` are 0 and 1 in most; their names say so, whatever the numbers. There is no padding among the pieces,
since Marian needs no vector for it: it gets the number after the last.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from saccade.data.tokenizer import Tokenizer
from saccade.data.vocabulary_tokenizer import Vocabulary, VocabularyTokenizer
from saccade.errors import FormatError
from saccade.file_contents import check_file
from saccade.interop.checkpoint_files import AGAIN, read_object
from saccade.interop.huggingface_vocabulary import numbered, pieces_of
from saccade.interop.marian_yaml import read_yaml

EOS_PIECE, UNK_PIECE = "</s>", "<unk>"
_ENDINGS = ("vocab.yml", "vocab.yaml", "vocab.json", "vocab.spm")
_SIDES = (("src", "source"), ("trg", "tgt", "target"))


def vocabulary_files(folder: Path, named: Sequence[str]) -> tuple[Path, Path]:
    """The vocabulary of each side: those that the description names, or those that are there."""
    if len(named) not in (0, 2):
        raise FormatError(f"`{folder}`: `vocabs` must name two files, source and target, but names {len(named)}.")
    if named:
        source, target = (folder / Path(name).name for name in named)
        return source, target
    found = sorted(path for path in folder.iterdir() if path.name.endswith(_ENDINGS))
    if len(found) == 1:
        return found[0], found[0]
    sides = [[path for path in found if any(name in path.name.split(".") for name in names)] for names in _SIDES]
    if [len(side) for side in sides] != [1, 1]:
        names = ", ".join(path.name for path in found) or "none"
        raise FormatError(f"`{folder}` must have a vocabulary (vocab.yml), or one of each side, but has {names:.100}.")
    return sides[0][0], sides[1][0]


def tokenizers(folder: Path, files: tuple[Path, Path], sizes: tuple[int, int]) -> tuple[Tokenizer, Tokenizer]:
    """The source and the target tokenizer, for matrices with this many rows."""
    found = []
    for path, side, size in zip(files, ("source", "target"), sizes, strict=True):
        model_path = path if path.suffix == ".spm" else folder / f"{side}.spm"
        if not model_path.is_file() and (folder / f"{side}.bpe").is_file():
            raise FormatError(
                f"`{folder}` must cut its text with {side}.spm, but has {side}.bpe: models that were trained on text "
                "of another tokenizer are not imported."
            )
        check_file(path, AGAIN)
        model = Tokenizer.read_model(model_path)
        pieces = pieces_of(model, path) if path.suffix == ".spm" else numbered(_numbers(path), size, path)
        if len(pieces) != size:
            raise FormatError(f"`{path}` must have a piece for each of the {size} rows, but has {len(pieces)}. {AGAIN}")
        found.append(VocabularyTokenizer(model, _with_padding(pieces, path), str(model_path)))
    return found[0], found[1]


def _numbers(path: Path) -> Mapping[str, object]:
    """The number of every piece, as the file has it."""
    if path.suffix == ".json":
        return read_object(path)
    if path.suffix not in (".yml", ".yaml"):
        raise FormatError(
            f"`{path}` must be a vocabulary in YAML (.yml) or a sentencepiece model (.spm). Others are not imported, "
            "factored vocabularies (.fsv) among them."
        )
    return {
        piece: int(number) if isinstance(number, str) and number.isdecimal() and len(number) < 10 else number
        for piece, number in read_yaml(path).items()
    }


def _with_padding(pieces: list[str], path: Path) -> Vocabulary:
    for special in (EOS_PIECE, UNK_PIECE):
        if special not in pieces:
            raise FormatError(f"`{path}` must have the piece {special}, but has not. {AGAIN}")
    padding = next(name for name in ("<pad>", *(f"<pad_{n}>" for n in range(len(pieces)))) if name not in pieces)
    return Vocabulary.of([*pieces, padding], len(pieces), pieces.index(EOS_PIECE), pieces.index(UNK_PIECE))
