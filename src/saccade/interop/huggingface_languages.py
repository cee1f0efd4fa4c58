"""The languages that a folder of M2M100 or NLLB knows: which pieces name them, and which numbers these have.

    NLLB       fra_Latn: language and script
    M2M100     __fr__

The pieces of languages are not in the sentencepiece model. Their numbers stand in tokenizer.json or in
added_tokens.json; older folders list the pieces in special_tokens_map.json, and they are numbered after all others in
that order. A folder of M2M100 may leave them out altogether: its tokenizer knows them by heart, and so do we. Where
some have numbers and the list has more, as when a language was added later, both count.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from saccade.errors import FormatError
from saccade.interop.checkpoint_files import AGAIN, optional_object

M2M100 = (
    "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu "  # codespell:ignore
    "ha he hi hr ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr "  # codespell:ignore
    "ms my ne nl no ns oc or pa pl ps pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk "  # codespell:ignore
    "ur uz vi wo xh yi yo zh zu "  # codespell:ignore
)
"""In the order of their numbers."""
WMT21 = "en ha is ja cs ru zh de"  # codespell:ignore
KNOWN = {"m2m100": M2M100, "wmt21": WMT21}
"""What M2M100Tokenizer knows by heart, by the name it is asked for with."""
_CODE = re.compile(r"[a-z]{3}_[A-Z][a-z]{3}|__[a-z]{2,3}(?:_[A-Za-z]+)?__")


def language_numbers(folder: Path, first: int) -> dict[int, str]:
    """The piece of each language by its number; `first` is the number after all other pieces."""
    pairs = {(number, piece) for number, piece in _numbered(folder) if _CODE.fullmatch(piece)}
    listed = list(dict.fromkeys(piece for piece in _listed(folder) if _CODE.fullmatch(piece)))
    if not pairs and not listed and (folder / "vocab.json").is_file():
        listed = _pieces(M2M100)
    numbers = {piece: number for number, piece in pairs}
    if not numbers.keys() >= set(listed):
        # What was added later has numbers after those of the list, wherever it stands in the list.
        end = first + len(listed)
        pairs.update(enumerate((piece for piece in listed if numbers.get(piece, first) < end), start=first))
    if not pairs:
        raise FormatError(
            f"`{folder}` must name the languages of its model, in tokenizer.json, added_tokens.json or "
            f"special_tokens_map.json, but does not. {AGAIN}"
        )
    for order in (sorted(pairs), sorted(pairs, key=lambda pair: (pair[1], pair[0]))):
        for one, other in pairwise(order):
            if one[0] == other[0] or one[1] == other[1]:
                raise FormatError(
                    f"`{folder}` must give every language one number of its own, but gives {one[1]} the number "
                    f"{one[0]} and {other[1]} the number {other[0]}. {AGAIN}"
                )
    return dict(pairs)


def _numbered(folder: Path) -> Iterator[tuple[int, str]]:
    for entry in _list(optional_object(folder / "tokenizer.json").get("added_tokens")):
        if isinstance(entry, Mapping):
            yield from _pair(entry.get("id"), entry.get("content"))
    for piece, number in optional_object(folder / "added_tokens.json").items():
        yield from _pair(number, piece)
    added = optional_object(folder / "tokenizer_config.json").get("added_tokens_decoder")
    for number, entry in added.items() if isinstance(added, Mapping) else ():
        if isinstance(entry, Mapping) and number.isdecimal() and len(number) < 10:
            yield from _pair(int(number), entry.get("content"))


def _pair(number: object, piece: object) -> Iterator[tuple[int, str]]:
    if isinstance(number, int) and isinstance(piece, str):
        yield number, piece


def _listed(folder: Path) -> list[str]:
    about = optional_object(folder / "tokenizer_config.json")
    if about.get("tokenizer_class") == "M2M100Tokenizer" or "language_codes" in about:
        return _pieces(KNOWN.get(str(about.get("language_codes", "m2m100")), ""))
    for file in ("special_tokens_map.json", "tokenizer_config.json"):
        content = optional_object(folder / file)
        for name in ("additional_special_tokens", "extra_special_tokens"):
            pieces = [_content(one) for one in _list(content.get(name))]
            if pieces:
                return pieces
    return []


def _pieces(codes: str) -> list[str]:
    return [f"__{code}__" for code in codes.split()]


def _content(entry: Any) -> str:
    return str(entry.get("content")) if isinstance(entry, Mapping) else str(entry)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
