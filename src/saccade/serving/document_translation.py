"""Whole files: a document in, the document with its sentences translated out.

    translated = translate_document(translator.texts, content, find_format(Path("page.html")), options)
    translated.content       the file, as bytes
    translated.sentences     every sentence with its scores and errors

A document is read whole, and its sentences are searched in windows as lines are.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from saccade.documents.document import Document, Sentence
from saccade.documents.formats import FORMATS, Format, TextFormat, find_format
from saccade.errors import InputError
from saccade.output_files import OutputFile
from saccade.serving.text_translation import TextTranslator, TranslatedSentence
from saccade.serving.translation import TranslatedDocument, Translation
from saccade.serving.translation_options import TranslationOptions

Watch = Callable[[Iterator[TranslatedSentence]], Iterator[TranslatedSentence]]


def format_of(path: Path) -> Format:
    """The format of a file that must be a document."""
    found = find_format(path)
    if found is None:
        known = ", ".join(FORMATS)
        raise InputError(f"`{path}` must end as a document does ({known}), but does not. Translate its lines.")
    return found


def read_document(path: Path) -> bytes:
    """The bytes of a file."""
    try:
        return path.read_bytes()
    except OSError as problem:
        raise InputError(
            f"`{path}` must be a readable file, but is not: {problem.strerror or problem}. Check the path."
        ) from problem


def translate_document(
    translator: TextTranslator,
    content: bytes,
    file_format: Format,
    options: TranslationOptions,
    *,
    name: str = "the document",
    watch: Watch = iter,
) -> TranslatedDocument:
    """Translates a file of this format; whoever wants to see how far it is may `watch` the sentences pass."""
    found: list[Translation] = []
    of_translating: list[InputError] = []

    def translate(document: Document) -> str:
        try:
            translated = list(watch(_translated(translator, document, options)))
        except InputError as problem:
            of_translating.append(problem)
            raise
        found.extend(piece for sentence in translated for piece in sentence.pieces)
        return document.written([sentence.text for sentence in translated])

    try:
        written = file_format.rewritten(content, translator.language, translate)
    except InputError as problem:
        if problem in of_translating:  # it is about a sentence or an option, and names it
            raise
        raise InputError(f"`{name}` {problem}") from problem
    return TranslatedDocument(written, tuple(found))


def translate_file(
    translator: TextTranslator, source: Path, output: Path, options: TranslationOptions, *, overwrite: bool
) -> TranslatedDocument:
    """Translates a file, whose name says its format, into another."""
    place = OutputFile.of(output, overwrite=overwrite, advice="Choose another name, or set `overwrite`.")
    found = translate_document(translator, read_document(source), format_of(source), options, name=str(source))
    with place.writing() as file:
        file.write(found.content)
    return found


def translate_markup(
    translator: TextTranslator, text: str, file_format: TextFormat, options: TranslationOptions
) -> str:
    """Translates a text of this format that is no file, so that whatever it says of its encoding is not meant."""

    def translate(document: Document) -> str:
        return document.written([sentence.text for sentence in _translated(translator, document, options)])

    return file_format.rewritten_text(text, translator.language, translate)


def _translated(
    translator: TextTranslator, document: Document, options: TranslationOptions
) -> Iterator[TranslatedSentence]:
    sentences = list(_numbered(document))
    for start in range(0, len(sentences), options.window):
        yield from translator.translate_sentences(sentences[start : start + options.window], options)


def _numbered(document: Document) -> Iterator[tuple[int, Sentence]]:
    """Each sentence with the line on which it begins."""
    line = 1
    for part in document.parts:
        if isinstance(part, Sentence):
            yield line, part
        line += (part if isinstance(part, str) else part.verbatim).count("\n")
