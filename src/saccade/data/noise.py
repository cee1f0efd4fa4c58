"""Noise as data augmentation: which kinds there are, how often each is used, and noise for a chunk of pairs.

Text in the wild is not like a clean corpus: headlines in capitals, hasty typing, addresses, tags. A model that never
saw such a thing writes nonsense for it, and sees enough of it if a share of the pairs is changed. Each pair gets one
kind at most, so the shares add up, and what is left of 1 is clean text. Noise is drawn when data are prepared, and
stored like any other text; training does not know of it.

`noise_typing.py` and `noise_copying.py` have one function for each kind. Mozilla's recipes for Firefox put 7 % in
capitals and typing errors into 5 %; no kind is more frequent here, and all together leave seven pairs in ten as they
are.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from saccade.data import noise_copying, noise_typing
from saccade.data.parallel_text import TextPair
from saccade.errors import ConfigError, did_you_mean
from saccade.language_codes import language_code

Kind = Callable[[TextPair, random.Random], TextPair | None]

SHARES: Mapping[str, float] = {
    "upper-case": 0.05,
    "title-case": 0.02,
    "lower-case": 0.03,
    "typos": 0.05,
    "missing-punctuation": 0.02,
    "doubled-punctuation": 0.01,
    "tags": 0.02,
    "placeholders": 0.01,
    "insertions": 0.04,
    "joined": 0.04,
    "copies": 0.005,
}
"""The share of pairs that gets each kind where `noise` is 1; twice as many where it is 2."""
CASES = ("upper-case", "title-case", "lower-case")
"""The kinds that pieces are learned from: a word in capitals needs pieces, random addresses must not get any."""
_OTHER_CASES = ("tr", "az")
"""Languages in which the capital of i is another letter than elsewhere: their case is left alone."""
_WITHOUT_SPACE = ("。", "！", "？")
_ENDS = (".", "!", "?", "…", *_WITHOUT_SPACE)

_KINDS: Mapping[str, Kind] = {
    "upper-case": noise_typing.upper_case,
    "title-case": noise_typing.title_case,
    "lower-case": noise_typing.lower_case,
    "typos": noise_typing.typos,
    "missing-punctuation": noise_typing.missing_punctuation,
    "doubled-punctuation": noise_typing.doubled_punctuation,
    "tags": noise_copying.tags,
    "placeholders": noise_copying.placeholders,
    "insertions": noise_copying.insertions,
    "copies": noise_copying.copies,
}


@dataclass(frozen=True)
class TextNoise:
    """Changes a share of the pairs of a chunk; the share of each kind it uses is in `shares`.

    A source that begins with one of the `symbols`, a tag for the model, stays as it is.
    """

    shares: Mapping[str, float]
    symbols: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        strength: float,
        kinds: Sequence[str],
        languages: Sequence[str | None] = (),
        symbols: Sequence[str] = (),
    ) -> "TextNoise | None":
        """`strength` times the usual shares of these kinds, or of all where none is named; None if nothing is left."""
        left_out = CASES if any(language_code(language) in _OTHER_CASES for language in languages) else ()
        named = [kind for kind in kinds or SHARES if kind not in left_out]
        return cls({kind: strength * SHARES[kind] for kind in named}, symbols) if strength and named else None

    def only(self, kinds: Sequence[str]) -> "TextNoise":
        """The same shares of these kinds alone."""
        return TextNoise({kind: share for kind, share in self.shares.items() if kind in kinds}, self.symbols)

    def changed(self, pairs: Sequence[TextPair], generator: random.Random) -> tuple[list[TextPair], dict[int, str]]:
        """The pairs with noise, and which of them got which kind, by their place."""
        names = list(self.shares)
        steps = [0.0, *accumulate(self.shares.values())]
        kinds: dict[str, Kind] = {**_KINDS, "joined": Joined([pair for pair in pairs if not self._tagged(pair)])}
        result, noisy = list(pairs), dict[int, str]()
        for place, pair in enumerate(pairs):
            drawn = generator.random()
            if drawn >= steps[-1] or self._tagged(pair):
                continue
            name = names[next(step for step in range(len(names)) if drawn < steps[step + 1])]
            changed = kinds[name](pair, generator)
            if changed is not None:
                result[place] = changed
                noisy[place] = name
        return result, noisy

    def _tagged(self, pair: TextPair) -> bool:
        return bool(self.symbols) and pair[0].partition(" ")[0] in self.symbols


@dataclass(frozen=True)
class Joined:
    """A pair and one or two others of its chunk as one: a model that sees single sentences alone translates only one.

    The others are drawn at random. Neighbours in a file may say the same thing in other words.
    """

    pairs: Sequence[TextPair]

    def __call__(self, pair: TextPair, generator: random.Random) -> TextPair | None:
        """The pair and the others, one after another."""
        row = [pair, *generator.choices(self.pairs, k=generator.choice((1, 1, 2)))]
        if not all(source.rstrip().endswith(_ENDS) for source, _ in row[:-1]):
            return None  # a title or half a sentence would run into the next
        return _in_a_row([source for source, _ in row]), _in_a_row([target for _, target in row])


def check_noise(strength: float, kinds: Sequence[str]) -> None:
    """Refuses kinds that do not exist, and more noise than there are pairs."""
    for kind in kinds:
        if kind not in SHARES:
            raise ConfigError(
                f"`noise_kinds` must be of {', '.join(SHARES)}, but has {kind!r}.{did_you_mean(kind, SHARES)}"
            )
    if len(set(kinds)) < len(kinds):
        raise ConfigError(f"`noise_kinds` must name each kind once, but is {', '.join(kinds)}.")
    most = 1 / sum(SHARES[kind] for kind in kinds or SHARES)
    if not 0 <= strength <= most:
        raise ConfigError(
            f"`noise` must be between 0 and {most:.3g}, where every pair has noise of these kinds, but is {strength}."
        )
    if kinds and not strength:
        raise ConfigError("`noise_kinds` must be left out without noise. Set `noise`.")


def shares_in_words(shares: Mapping[str, float]) -> str:
    """Such as "noise in 28.1 % of the training pairs: upper-case 4.9 %, ..."."""
    listed = ", ".join(f"{kind} {100 * shares[kind]:.1f} %" for kind in SHARES if kind in shares)
    return f"noise in {100 * sum(shares.values()):.1f} % of the training pairs: {listed}"


def _in_a_row(texts: Sequence[str]) -> str:
    """Sentences as a paragraph; behind a full stop of Chinese or Japanese there is no space."""
    result = texts[0].strip()
    for text in texts[1:]:
        result += ("" if result.endswith(_WITHOUT_SPACE) else " ") + text.strip()
    return result
