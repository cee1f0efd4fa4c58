"""A document: layout, which stays as it is, and sentences, which are translated.

    Document = layout, sentence, layout, sentence, ...

Layout and the sentences as they stood, one after another, are the document, character by character. A sentence knows
the text that a model reads, without markup and without escapes, and where its markup was:

    elements   what stands around some of its words, as <b>...</b>, **...** or [...](address) do, or between two words,
               as <img/> does; put back where the words went
    breaks     what interrupts it, as the end of a line or of a subtitle does; put back in order and in proportion
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


def as_it_is(text: str) -> str:
    """How a text is written where nothing needs to be escaped."""
    return text


@dataclass(frozen=True)
class Element:
    """Markup around the characters from `start` to `end` of a sentence, or before one, where both are the same.

    `depth` counts the elements around it. What is `fixed` stands between its tags untranslated, whatever the model
    makes of it: code, for instance.
    """

    start: int
    end: int
    opening: str
    closing: str = ""
    depth: int = 0
    fixed: str | None = None

    def __post_init__(self) -> None:
        assert 0 <= self.start <= self.end


@dataclass(frozen=True)
class Break:
    """Layout inside a sentence, in place of the white space at `position`."""

    position: int
    layout: str


@dataclass(frozen=True)
class Sentence:
    """A text to translate, its markup, and all of it as it stood in the document.

    Elements are nested properly and stand in the order in which they open. Whatever is written in place of the sentence
    goes through `escape` and stands between `before` and `after`, white space that its markup had in it.
    """

    text: str
    verbatim: str
    elements: tuple[Element, ...] = ()
    breaks: tuple[Break, ...] = ()
    before: str = ""
    after: str = ""
    escape: Callable[[str], str] = as_it_is


@dataclass(frozen=True)
class Document:
    """Layout and sentences in the order of the text."""

    parts: tuple[str | Sentence, ...]

    @property
    def sentences(self) -> list[Sentence]:
        """What there is to translate."""
        return [part for part in self.parts if isinstance(part, Sentence)]

    @property
    def text(self) -> str:
        """The document as it was read."""
        return "".join(part if isinstance(part, str) else part.verbatim for part in self.parts)

    def written(self, sentences: Sequence[str]) -> str:
        """The document with these in place of its sentences, markup included."""
        remaining = iter(sentences)
        parts = [part if isinstance(part, str) else next(remaining) for part in self.parts]
        assert next(remaining, None) is None, "as many as there are sentences"
        return "".join(parts)


Translate = Callable[[Document], str]
"""From a document to its text with every sentence translated."""
