"""Texts of any length through a search that knows sentences.

    text -> layout and sentences -> pieces that the model can read -> translations -> the text with its layout

The sentences of a whole window of texts are searched together, so it is they that fill the batches, and each is
translated on its own. A text that names the language to write (`>>fra<<`) names it for all its sentences. Markup inside
a sentence is put back by the attention of the model (`word_alignment.py`), or by position where it has none. A sentence
that cannot be translated is copied and costs no other.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from saccade.documents.document import Document, Sentence
from saccade.documents.long_sentences import cut
from saccade.documents.markup_placement import Links, written
from saccade.documents.plain_text import read_plain_text
from saccade.documents.typeset_words import spelled
from saccade.errors import LineError
from saccade.quality.faults import Fault
from saccade.serving.confidence import joined
from saccade.serving.source_lines import Line, LineReader, RefusedLine
from saccade.serving.translation import Candidate, Translation, failed
from saccade.serving.translation_options import TranslationOptions
from saccade.serving.word_alignment import WordAlignment

Search = Callable[[Sequence[Line | RefusedLine], TranslationOptions], Iterator[Translation]]
"""From what is to be searched to the translation of each, in order."""


@dataclass(frozen=True)
class TranslatedSentence:
    """A sentence as it stands in the translated document, and the translations of its pieces."""

    text: str
    pieces: tuple[Translation, ...]

    @property
    def error(self) -> LineError | None:
        """Why some of it could not be translated."""
        return next((piece.error for piece in self.pieces if piece.error is not None), None)


@dataclass(frozen=True)
class TextTranslator:
    """Translates texts by their sentences.

    `language` is the one that the model reads, if that is known; `attends` says whether it can align words.
    """

    reader: LineReader
    search: Search
    language: str | None
    attends: bool

    def translate_lines(
        self, lines: Sequence[tuple[int, str | LineError]], options: TranslationOptions
    ) -> Iterator[Translation]:
        """A translation for each numbered line; an error among them stands for one that is no text."""
        named = {number: self.reader.named_language(line) for number, line in lines if isinstance(line, str)}
        documents = [(number, read_plain_text(text, self.language)) for number, (_, text) in named.items()]
        sentences = [(number, sentence) for number, document in documents for sentence in document.sentences]
        languages = {number: language for number, (language, _) in named.items() if language}
        translated = iter(self.translate_sentences(sentences, options, languages))
        whole = {
            number: _joined(number, document, [next(translated) for _ in document.sentences])
            for number, document in documents
        }
        texts = dict(lines)
        whole |= {number: replace(whole[number], source=str(texts[number])) for number in languages}
        for number, line in lines:
            if isinstance(line, str):
                yield whole[number]
            else:
                yield failed(number, line.text, line, options.on_error or "stop")

    def translate_sentences(
        self,
        sentences: Sequence[tuple[int, Sentence]],
        options: TranslationOptions,
        languages: Mapping[int, str] | None = None,
    ) -> list[TranslatedSentence]:
        """Each sentence, with the number of the line that errors shall name; `languages` are what some lines name."""
        lines = self._lines(sentences, options, languages or {})
        on_error = options.on_error or "copy"
        # Words are aligned only where markup needs it: that is one more pass through the model.
        aligned = [self.attends and bool(sentences[owner][1].elements) for owner, _ in lines]
        found: dict[int, Translation] = {}
        for alignment in (False, True):
            places = [place for place, one in enumerate(aligned) if one is alignment]
            asked = replace(options, on_error=on_error, alignment=alignment)
            found |= zip(places, self.search([lines[place][1] for place in places], asked), strict=True)
        errors = [one.error for one in found.values() if one.error is not None]
        if errors and len(errors) == len(found) and options.on_error is None:
            raise errors[0]  # it is not for the sentences that none of them can be translated
        pieces: list[list[Translation]] = [[] for _ in sentences]
        for place, (owner, _) in enumerate(lines):
            pieces[owner].append(found[place])
        return [
            TranslatedSentence(_written(sentence, own, on_error), tuple(own))
            for (_, sentence), own in zip(sentences, pieces, strict=True)
        ]

    def _lines(
        self, sentences: Sequence[tuple[int, Sentence]], options: TranslationOptions, languages: Mapping[int, str]
    ) -> list[tuple[int, Line | RefusedLine]]:
        """What is searched, each with the index of its sentence: one line for a sentence, more if it is too long."""
        texts = [
            (number, (languages.get(number, "") + " ".join(spelled(sentence.text).split()), ""))
            for number, sentence in sentences
        ]
        lines: list[tuple[int, Line | RefusedLine]] = []
        for owner, line in enumerate(self.reader.read(texts, options.truncate)):
            if self.reader.is_too_long(line) and not options.truncate:
                language = languages.get(line.number, "")
                whole = line.source.removeprefix(language)
                fits = partial(self._fits_after, language)
                cuts = [(line.number, (language + piece, "")) for piece in cut(whole, fits)]
                lines += [(owner, piece) for piece in self.reader.read(cuts, options.truncate)]
            else:
                lines.append((owner, line))
        return lines

    def _fits_after(self, language: str, text: str) -> bool:
        return self.reader.fits(language + text)


def _written(sentence: Sentence, pieces: Sequence[Translation], on_error: str) -> str:
    """A sentence as it stands in the translated document."""
    if on_error == "copy" and all(piece.error is not None for piece in pieces):
        return sentence.verbatim
    target, links = _join_pieces(pieces)
    return sentence.verbatim if _is_copied(sentence.text, target) else written(sentence, target, links)


def _is_copied(text: str, target: str) -> bool:
    """Whether both have the same words; hardly ever do they begin alike."""
    return text.lstrip()[:1] == target.lstrip()[:1] and text.split() == target.split()


def _join_pieces(pieces: Sequence[Translation]) -> tuple[str, Links | None]:
    """The target of all pieces, with white space between two where their sources had it, and its word links."""
    target, links, words = "", [], 0
    known = all(piece.alignment is not None for piece in pieces)
    for number, piece in enumerate(pieces):
        text = piece.text
        apart = number > 0 and (pieces[number - 1].source[-1:].isspace() or piece.source[:1].isspace())
        known = known and (number == 0 or apart)  # a word that was cut is no word to link
        first = len(target.split())
        target += f" {text}" if apart and text and target else text
        if piece.alignment is not None:
            known = known and _by_white_space(piece.alignment, piece)
            links += [(words + source, first + place) for source, place in piece.alignment.links]
        words += len(piece.source.split())
    return target, links if known else None


def _by_white_space(alignment: WordAlignment, piece: Translation) -> bool:
    """Whether the words that were aligned are those between white space."""
    return len(alignment.source_words) == len(piece.source.split()) and len(alignment.target_words) == len(
        piece.text.split()
    )


def _joined(number: int, document: Document, sentences: Sequence[TranslatedSentence]) -> Translation:
    """The translation of a line from those of its sentences."""
    pieces = [piece for sentence in sentences for piece in sentence.pieces]
    if len(pieces) == 1 and len(document.parts) == 1 and sentences[0].text == pieces[0].text:
        return pieces[0] if pieces[0].source == document.text else replace(pieces[0], source=document.text)
    best = [piece.nbest[0] for piece in pieces]
    tokens = [one.token_log_probabilities for one in best]
    candidate = Candidate(
        text=document.written([sentence.text for sentence in sentences]),
        score=math.fsum(one.score for one in best),
        log_probability=math.fsum(one.log_probability for one in best),
        token_log_probabilities=(None if None in tokens else tuple(value for own in tokens for value in own or ())),
        finished=all(one.finished for one in best),
        alignment=None,
        confidence=joined([one.confidence for one in best]),
        engine=", ".join(sorted({one.engine for one in best if one.engine is not None})) or None,
    )
    return Translation(
        number,
        document.text,
        (candidate,),
        error=next((sentence.error for sentence in sentences if sentence.error is not None), None),
        truncated=any(piece.truncated for piece in pieces),
        pieces=tuple(pieces),
        faults=_all_faults(pieces),
        repaired=tuple(fault for piece in pieces for fault in piece.repaired),
    )


def _all_faults(pieces: Sequence[Translation]) -> tuple[Fault, ...] | None:
    """Those of all pieces, if somebody looked."""
    looked = [piece.faults for piece in pieces if piece.faults is not None]
    return tuple(fault for own in looked for fault in own) if looked else None
