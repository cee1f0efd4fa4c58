"""The one form in which text is read, small on purpose: users compare output with references character by character.

Canonical composition (NFC: the same characters written one way), every run of white space one plain space, none at
the ends. Case, quotes, ligatures and full-width forms stay as they are, which NFKC, sentencepiece's usual choice, would
change.
"""

import re
import unicodedata

from saccade.data.sentencepiece_model import SPACE

_SURROGATES = re.compile("[\ud800-\udfff]")


def normalise(text: str) -> str:
    """NFC, white space as single spaces, none at the ends.

    sentencepiece's own space mark (U+2581) reads as a space, half a surrogate pair (no character) as U+FFFD.
    """
    if not text.isascii():
        text = without_surrogates(unicodedata.normalize("NFC", text).replace(SPACE, " "))
    return " ".join(text.split())


def without_surrogates(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair, which is no character."""
    try:
        text.encode()  # many times faster than a search
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text)
    return text
