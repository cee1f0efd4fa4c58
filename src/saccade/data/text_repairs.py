"""What can be mended in a line of text: wrong decoding, escaped characters, characters that nobody sees, white space.

Text that was UTF-8, was read as Windows-1252 or Latin-1 and written again has two or three strange characters for each
letter: "Ã©" for "é", "â€™" for an apostrophe. Any such sequence could also have been meant: „MENÜ“ ends like a letter
of Syriac. So a line is decoded again only where one sequence in it leaves no doubt: it begins with Ã or Â, or has three
characters, and goes on with something other than a closing mark; or where there are three of them.
"""

import html
import re

from saccade.data.normalisation import normalise

DECODED, UNESCAPED, INVISIBLE, WHITE_SPACE = "decoded again", "unescaped", "invisible characters", "white space"
REPAIRS = (DECODED, UNESCAPED, INVISIBLE, WHITE_SPACE)
_TIMES_DECODED = 3  # a file may have gone through it more than once

_PLAIN = re.compile(r"[!-%'-~]+(?: [!-%'-~]+)*")  # printable ASCII without &, single spaces
_ENTITY = re.compile(r"&(?:amp|quot|apos|lt|gt|nbsp|#39|#91|#93|#124|#x27);", re.IGNORECASE)


def _as_windows_1252(value: int) -> str:
    """The character that a reader of Windows-1252 makes of a byte, or of Latin-1 where the former has none."""
    try:
        return bytes([value]).decode("cp1252")
    except UnicodeDecodeError:
        return chr(value)


_CHARACTERS = {value: _as_windows_1252(value) for value in range(0x80, 0x100)}
_BYTES = {character: value for value, character in _CHARACTERS.items()} | {chr(value): value for value in _CHARACTERS}
# Where Windows-1252 has a printable character, Latin-1 has a control character: what was that was the other.
_C1 = {value: _CHARACTERS[value] for value in range(0x80, 0xA0) if _CHARACTERS[value] != chr(value) and value != 0x85}
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u200b\u2060\ufeff\ufff9-\ufffb]")


def _one_of(first: int, last: int) -> str:
    return "[" + re.escape("".join(sorted(char for char, value in _BYTES.items() if first <= value <= last))) + "]"


_NEXT = _one_of(0x80, 0xBF)
_SEQUENCE = re.compile(
    f"{_one_of(0xC2, 0xDF)}{_NEXT}|{_one_of(0xE0, 0xEF)}{_NEXT}{{2}}|{_one_of(0xF0, 0xF4)}{_NEXT}{{3}}"
)
_CLOSING = "“”‘’»«›‹–—…\u00a0"


def repaired(text: str) -> tuple[str, tuple[str, ...]]:
    """The line as it should have been, in normal form, and what was done to it."""
    if _PLAIN.fullmatch(text):
        return text, ()
    done = []
    for name, repair in ((DECODED, _decoded_again), (UNESCAPED, _unescaped), (INVISIBLE, _visible)):
        changed = repair(text)
        if changed != text:
            done.append(name)
            text = changed
    changed = normalise(text)
    if changed != text:
        done.append(WHITE_SPACE)
    return changed, tuple(done)


def _decoded_again(text: str) -> str:
    for _ in range(_TIMES_DECODED):
        if text.isascii() or not _beyond_doubt(_SEQUENCE.findall(text)):
            break
        text = _SEQUENCE.sub(_meant, text)
    return text


def _beyond_doubt(sequences: list[str]) -> bool:
    plain = [sequence for sequence in sequences if sequence[1] not in _CLOSING and _decodes(sequence)]
    return len(plain) > 2 or any(sequence[0] in "ÃÂ" or len(sequence) > 2 for sequence in plain)


def _meant(found: re.Match[str]) -> str:
    try:
        return bytes(_BYTES[character] for character in found[0]).decode("utf-8")
    except UnicodeDecodeError:
        return found[0]


def _decodes(sequence: str) -> bool:
    try:
        bytes(_BYTES[character] for character in sequence).decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _unescaped(text: str) -> str:
    """Without the escapes of XML and of Moses' tokenizer; those of other characters may be what a text is about."""
    return _ENTITY.sub(lambda found: html.unescape(found[0].lower()), text) if "&" in text else text


def _visible(text: str) -> str:
    return _INVISIBLE.sub("", text.translate(_C1))
