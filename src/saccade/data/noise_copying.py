"""Noise that is to be copied, on both sides alike: tags, placeholders, addresses, numbers, names, emoji, foreign words.

Nobody has aligned the words of a pair, so what is put in stands only where no alignment is needed: at the start or the
end of both sides, at the only comma of both, around or instead of a number or a name that both sides have exactly once.
As in the other files of noise, None means that a pair cannot be changed like this.
"""

import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from saccade.data.parallel_text import TextPair

# A number of more digits is no amount, and Python reads none of thousands of digits.
_NUMBER = re.compile(r"(?<![\w.,:/-])\d{1,100}(?![\w.,:/%-]*\d|\w|%)")
_NAME = re.compile(r"(?<!\w)[A-Z][^\W\d_]{2,}(?![\w'’-])")
_SYLLABLES = (
    "ba", "cor", "da", "el", "fin", "gar", "ho", "in", "jo", "kel", "la", "mar",
    "no", "or", "pe", "ri", "san", "ta", "ul", "ver", "wen", "xi", "yo", "zan",
)  # fmt: skip
_DOMAINS = ("com", "org", "net", "es", "de", "io", "info", "co.uk")
_EMOJI = "😀😂😊😍😉😎😢😭😡👍👎👏🙏💪🎉🎁🔥⭐✅❌❤🚀🌍🌞🐶🐱🍕☕⚽📌📷💡⏰➡"
# First and last letters of scripts that most corpora lack: Chinese, Arabic, Cyrillic, Greek, Korean, Devanagari, Hebrew
# and Hiragana.
_SCRIPTS: tuple[tuple[int, int], ...] = (
    (0x4E00, 0x9FA5),
    (0x0627, 0x063A),
    (0x0430, 0x044F),
    (0x03B1, 0x03C9),
    (0xAC00, 0xD7A3),
    (0x0915, 0x0939),
    (0x05D0, 0x05EA),
    (0x3042, 0x3093),
)
_PAIRED_TAGS = ("b", "i", "u", "em", "strong", "p", "li", "h2", 'span class="note"', 'g id="1"')
_LONE_TAGS = ("<br>", "<br/>", '<x id="1"/>', "<hr/>")
_PLACEHOLDERS = ("{name}", "{0}", "{1}", "%s", "%d", "%1$s", "${user}", "%(count)d", "{{value}}", "$NAME", "[[link]]")


def tags(pair: TextPair, generator: random.Random) -> TextPair | None:
    """An HTML or XML tag around both sides or a word that they share, or a lone one at an end."""
    shared = _shared(pair)
    kind = generator.randrange(4)
    if kind == 0:
        return _beside(pair, generator.choice(_LONE_TAGS), generator)
    opening, closing = _paired_tag(generator)
    if kind == 1 and shared:
        word = generator.choice(shared)
        return word.replaced(pair, f"{opening}{word.text}{closing}")
    source, target = pair
    return f"{opening}{source}{closing}", f"{opening}{target}{closing}"


def placeholders(pair: TextPair, generator: random.Random) -> TextPair | None:
    """A placeholder of a program's text: instead of a word that both sides share, or beside the sentence."""
    shared, placeholder = _shared(pair), generator.choice(_PLACEHOLDERS)
    if shared and generator.random() < 0.8:
        return generator.choice(shared).replaced(pair, placeholder)
    return _beside(pair, placeholder, generator)


def insertions(pair: TextPair, generator: random.Random) -> TextPair | None:
    """Something to copy: instead of a shared number or name another one, else anything beside the sentence."""
    shared = _shared(pair)
    if shared and generator.random() < 0.5:
        word = generator.choice(shared)
        if not word.text.isdigit():
            return word.replaced(pair, _name(generator))
        # From 2 on, so that what is counted stays in the plural.
        return word.replaced(pair, str(generator.randrange(2, 10_000))) if int(word.text) > 1 else None
    return _beside(pair, _something(generator), generator)


def copies(pair: TextPair, generator: random.Random) -> TextPair | None:  # noqa: ARG001 what it replaces
    """In place of the pair one to three things that are the same in every language."""
    text = " ".join(_something(generator) for _ in range(generator.choice((1, 1, 2, 3))))
    return text, text


@dataclass(frozen=True)
class _Shared:
    """A number or a name that stands once in the source and once in the target, and where."""

    text: str
    starts: tuple[int, int]

    def replaced(self, pair: TextPair, other: str) -> TextPair:
        """The pair with something else in its place."""
        source, target = (
            text[:start] + other + text[start + len(self.text) :] for text, start in zip(pair, self.starts, strict=True)
        )
        return source, target


def _shared(pair: TextPair) -> list[_Shared]:
    source, target = ([match for form in (_NUMBER, _NAME) for match in form.finditer(text)] for text in pair)
    once = [Counter(match[0] for match in side) for side in (source, target)]
    starts = {match[0]: match.start() for match in target}
    return [
        _Shared(match[0], (match.start(), starts[match[0]]))
        for match in source
        if once[0][match[0]] == 1 == once[1][match[0]]
    ]


def _beside(pair: TextPair, thing: str, generator: random.Random) -> TextPair:
    """At the start or the end of both sides, or behind their only comma."""
    source, target = pair
    if source.count(", ") == 1 == target.count(", ") and generator.random() < 0.3:
        return source.replace(", ", f", {thing} ", 1), target.replace(", ", f", {thing} ", 1)
    match generator.randrange(5):
        case 0:
            return f"{thing} {source}", f"{thing} {target}"
        case 1:
            return f"{thing}: {source}", f"{thing}: {target}"
        case 2:
            return f"{source} ({thing})", f"{target} ({thing})"
        case 3 if source.endswith(".") and target.endswith("."):
            return f"{source[:-1].rstrip()} {thing}.", f"{target[:-1].rstrip()} {thing}."
        case _:
            return f"{source} {thing}", f"{target} {thing}"


def _paired_tag(generator: random.Random) -> tuple[str, str]:
    if generator.random() < 0.3:
        return f'<a href="{_url(generator)}">', "</a>"
    tag = generator.choice(_PAIRED_TAGS)
    return f"<{tag}>", f"</{tag.split()[0]}>"


def _something(generator: random.Random) -> str:
    return generator.choice(_THINGS)(generator)


def _word(generator: random.Random) -> str:
    return "".join(generator.choices(_SYLLABLES, k=generator.randrange(2, 4)))


def _name(generator: random.Random) -> str:
    """One made-up name or two: no model has learned it, so it can only be copied."""
    return " ".join(_word(generator).capitalize() for _ in range(generator.choice((1, 1, 2))))


def _domain(generator: random.Random) -> str:
    return f"{_word(generator)}.{generator.choice(_DOMAINS)}"


def _url(generator: random.Random) -> str:
    start = generator.choice(("https://", "https://www.", "http://", "www."))
    path = "".join(f"/{generator.choice((_word, _digits))(generator)}" for _ in range(generator.randrange(3)))
    query = f"?{_word(generator)}={_digits(generator)}" if generator.random() < 0.2 else ""
    return f"{start}{_domain(generator)}{path}{query}"


def _email(generator: random.Random) -> str:
    return f"{_word(generator)}{generator.choice(('', '.', '_'))}{_word(generator)}@{_domain(generator)}"


def _digits(generator: random.Random) -> str:
    return str(generator.randrange(10 ** generator.randrange(1, 7)))


def _number(generator: random.Random) -> str:
    """A number as it stands in a text: an amount, a share, a date, a time, a telephone number, a version."""
    draw = generator.randrange
    forms = (
        f"{draw(1000, 10**6):,}",
        f"{draw(1, 10**5):,}.{draw(100):02}",
        f"${draw(1, 10**4):,}.{draw(100):02}",
        f"{draw(1, 500)}{generator.choice((' €', ' kg', ' km', ' MB', ' °C', ' cm', '%', ' %'))}",
        f"{draw(1900, 2100)}-{draw(1, 13):02}-{draw(1, 29):02}",
        f"{draw(24)}:{draw(60):02}",
        f"+{draw(1, 99)} {draw(100, 1000)} {draw(100, 1000)} {draw(100, 1000)}",
        f"{draw(1, 20)}.{draw(20)}.{draw(20)}",
    )
    return generator.choice(forms)


def _emoji(generator: random.Random) -> str:
    return generator.choice(_EMOJI) * generator.choice((1, 1, 1, 3))


def _code(generator: random.Random) -> str:
    """A handle, a name in a program, a file, or the number of a part."""
    word, digits = _word(generator), _digits(generator)
    other = _word(generator)
    forms = (
        f"@{word}",
        f"#{word}",
        f"{word}_{other}()",
        f"{word}.{other}.txt",
        f"/{word}/{other}",
        f"{word.upper()}-{digits}",
    )
    return generator.choice(forms)


def _foreign_word(generator: random.Random) -> str:
    first, last = generator.choice(_SCRIPTS)
    return "".join(chr(generator.randint(first, last)) for _ in range(generator.randrange(1, 6)))


_THINGS: tuple[Callable[[random.Random], str], ...] = (_url, _email, _number, _emoji, _code, _name, _foreign_word)
