"""Words as typesetting leaves them, read as they are spelled: text copied from a PDF or a web page has both of these.

ligatures      `ﬁnal`, `oﬃce`: one character for two or three letters, which a model has hardly ever seen
soft hyphens   where a word may be broken at the end of a line; they are not seen in any other place
"""

import re
import unicodedata

_TYPESET = re.compile(r"[\ufb00-\ufb06]|(?<=\w)\u00ad(?=\w)")


def spelled(text: str) -> str:
    """The text with its ligatures as letters and without soft hyphens inside words; as many words as before."""
    if text.isascii():
        return text
    return _TYPESET.sub(lambda found: unicodedata.normalize("NFKC", found.group()).replace("\u00ad", ""), text)
