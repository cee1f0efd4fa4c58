"""Made lines that carry what must be kept, with tags around some words; and what an output has lost of it."""

import random
import re
from collections import Counter
from collections.abc import Sequence

from bench.constraints import lost_spans, span_lines
from saccade.data.normalisation import normalise
from saccade.documents.protected_spans import find_spans

TAGS = (
    ("<b>", "</b>"),
    ("<i>", "</i>"),
    ("<em>", "</em>"),
    ('<a href="https://example.com/help?a=1">', "</a>"),
    ('<span class="note">', "</span>"),
)
KINDS = ("address", "number", "placeholder", "emoji", "tag")
_OF_SPAN = {
    "url": "address",
    "email": "address",
    "path": "address",
    "mention": "address",
    "hashtag": "address",
    "code": "placeholder",
    "identifier": "placeholder",
    "placeholder": "placeholder",
    "emoji": "emoji",
}
_TAG = re.compile(r"</?[a-z][^<>]*>")
_PLAIN_WORD = re.compile(r"[^\W\d_]{2,}[,.!?]?")


def made_lines(count: int, seed: int = 1, language: str = "en") -> list[str]:
    """Lines with protected spans, every second one with a tag around one to three of its plain words too."""
    chance = random.Random(seed)
    lines = span_lines(count, seed, language)
    return [_tagged(line, chance) if number % 2 else line for number, line in enumerate(lines)]


def _tagged(line: str, chance: random.Random) -> str:
    words = line.split(" ")
    plain = [bool(_PLAIN_WORD.fullmatch(word)) for word in words]
    starts = [place for place in range(len(words)) if plain[place]]
    start = chance.choice(starts)
    end = start
    while end + 1 < len(words) and plain[end + 1] and end - start < 2 and chance.random() < 0.6:
        end += 1
    opened, closed = chance.choice(TAGS)
    stop = words[end][len(words[end].rstrip(",.!?")) :]
    words[end] = words[end].rstrip(",.!?")
    words[start] = opened + words[start]
    words[end] += closed + stop
    return " ".join(words)


def carried(line: str) -> set[str]:
    """The kinds of things that a line carries."""
    spans = {_OF_SPAN.get(span.kind, "number") for span in find_spans(_TAG.sub(" ", line))}
    return spans | ({"tag"} if _TAG.search(line) else set())


def lost_things(line: str, output: str) -> set[str]:
    """The kinds of which something is lost; tags are lost as well where they are not nested as they must be."""
    kinds = {normalise(span.text): _OF_SPAN.get(span.kind, "number") for span in find_spans(_TAG.sub(" ", line))}
    lost = {kinds.get(span, "number") for span in lost_spans(_TAG.sub(" ", line), _TAG.sub(" ", output))}
    tags = _TAG.findall(output)
    if Counter(tags) != Counter(_TAG.findall(line)) or not well_nested(tags):
        lost.add("tag")
    return lost


def well_nested(tags: Sequence[str]) -> bool:
    """Whether each tag that closes closes the last one that is open, and none is left."""
    opened: list[str] = []
    for tag in tags:
        name = re.split(r"[\s>]", tag.strip("</"), maxsplit=1)[0]
        if not tag.startswith("</"):
            opened.append(name)
        elif not opened or opened.pop() != name:
            return False
    return not opened
