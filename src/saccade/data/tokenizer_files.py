"""The tokenizers of a folder: of a trained model, or of a prepared corpus.

joint.model                              the sentencepiece model of both sides, or
source.model, target.model               one for each
joint.vocabulary.json, ...               beside each, where a vocabulary of its own numbers the pieces
"""

import json
from pathlib import Path

from saccade.data.tokenizer import Tokenizer
from saccade.data.vocabulary_tokenizer import Vocabulary, VocabularyTokenizer

JOINT, SOURCE, TARGET = "joint.model", "source.model", "target.model"


def tokenizer_files(folder: Path) -> list[Path]:
    """The files of the tokenizers that are saved there."""
    models = [folder / JOINT] if (folder / JOINT).exists() else [folder / SOURCE, folder / TARGET]
    return [*models, *(path for path in map(_vocabulary_of, models) if path.exists())]


def save_tokenizers(folder: Path, source: Tokenizer, target: Tokenizer) -> None:
    """Writes joint.model for equal tokenizers, a joint vocabulary, and source.model and target.model for others."""
    if source == target:
        _save(source, folder / JOINT)
    else:
        _save(source, folder / SOURCE)
        _save(target, folder / TARGET)


def load_tokenizers(folder: Path, joint: bool) -> tuple[Tokenizer, Tokenizer]:
    """The source and target tokenizers that `save_tokenizers` wrote; a joint one is the same object twice."""
    if joint:
        tokenizer = _load(folder / JOINT)
        return tokenizer, tokenizer
    return _load(folder / SOURCE), _load(folder / TARGET)


def _save(tokenizer: Tokenizer, path: Path) -> None:
    tokenizer.save(path)
    if tokenizer.vocabulary is not None:
        content = json.dumps(tokenizer.vocabulary.content(), ensure_ascii=False, indent=0)
        _vocabulary_of(path).write_text(content, encoding="utf-8")


def _load(path: Path) -> Tokenizer:
    plain = Tokenizer.read_model(path)
    vocabulary = _vocabulary_of(path)
    if vocabulary.exists():
        return VocabularyTokenizer(plain, Vocabulary.load(vocabulary), str(path))
    return Tokenizer(plain, str(path))


def _vocabulary_of(path: Path) -> Path:
    return path.with_suffix(".vocabulary.json")
