"""Plain text inside another format, which writes some characters in its own way: a string of JSON, for instance."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from saccade.documents.document import Document, Sentence


def with_escapes(document: Document, originals: Sequence[str], escape: Callable[[str], str]) -> list[str | Sentence]:
    """The parts of a document as they stood; `originals` are its characters as the format had written them."""
    parts: list[str | Sentence] = []
    done = 0
    for part in document.parts:
        length = len(part if isinstance(part, str) else part.verbatim)
        verbatim = "".join(originals[done : done + length])
        done += length
        parts.append(verbatim if isinstance(part, str) else _escaped(part, verbatim, escape))
    return parts


def _escaped(sentence: Sentence, verbatim: str, escape: Callable[[str], str]) -> Sentence:
    elements = tuple(
        replace(
            one,
            opening=escape(one.opening),
            closing=escape(one.closing),
            fixed=None if one.fixed is None else escape(one.fixed),
        )
        for one in sentence.elements
    )
    breaks = tuple(replace(one, layout=escape(one.layout)) for one in sentence.breaks)
    before, after = escape(sentence.before), escape(sentence.after)
    return replace(
        sentence, verbatim=verbatim, elements=elements, breaks=breaks, before=before, after=after, escape=escape
    )
