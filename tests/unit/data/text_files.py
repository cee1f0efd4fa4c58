"""Text files for tests: what a line may hold, and files written as their names say."""

import gzip
import lzma
from pathlib import Path

from hypothesis import strategies as st

# Everything a line of UTF-8 may hold; a \r at its end and a byte order mark at the start of a file are not text.
LINE = st.text(st.characters(exclude_characters="\n\r\0\ufeff", exclude_categories=["Cs"]))


def write(path: Path, text: str) -> Path:
    content = text.encode()
    if path.suffix == ".gz":
        content = gzip.compress(content)
    if path.suffix == ".xz":
        content = lzma.compress(content)
    path.write_bytes(content)
    return path
