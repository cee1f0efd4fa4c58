"""Text cut word by word: each different word is cut once, and looked up wherever else it stands.

Where no piece reaches over a space, the tokens of a text are those of its words, one after another. Half of a running
text is a hundred words, so nearly all the work of cutting has been done before, and looking up is a fraction of it.

A word is normalised when it is cut, not before it is looked up: white space neither composes with a neighbour nor is
reordered, so the words of a normalised text are its words normalised.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import count, islice

import numpy as np
from jaxtyping import Int64, UInt32

from saccade.data.ragged import Ragged
from saccade.data.word_rows import WordRows

MOST_WORDS = 1 << 20  # remembered; about 200 MB
MOST_CHARACTERS = 1 << 25  # remembered; reached first by text without spaces, of which every line is one word


class WordEncoder:
    """Cuts texts with `cut`, which is given each new word once; words are forgotten, all at once, when there are many.

    What is remembered never changes a result. The words in use return with the next text.
    """

    _numbers: defaultdict[str, int]  # a new word takes the next number
    _starts: Int64[np.ndarray, " bounds"]  # word n has the ids from start n to start n + 1
    _ids: UInt32[np.ndarray, " tokens"]
    _characters: int

    def __init__(
        self,
        cut: Callable[[list[str]], list[list[int]]],
        most_words: int = MOST_WORDS,
        most_characters: int = MOST_CHARACTERS,
    ) -> None:
        self._cut = cut
        self._most_words = most_words
        self._most_characters = most_characters
        self._forget()

    def encode(self, texts: Sequence[str]) -> Ragged:
        """The tokens of each text."""
        return self.encode_words(WordRows.of(texts))

    def encode_words(self, rows: WordRows) -> Ragged:
        """The tokens of each text, given as its words."""
        if len(self._numbers) > self._most_words or self._characters > self._most_characters:
            self._forget()
        known = len(self._numbers)
        try:
            numbers = np.fromiter(map(self._numbers.__getitem__, rows.words), np.int64, len(rows.words))
            self._remember(len(self._numbers) - known)
        except BaseException:
            self._forget()  # or words would keep numbers that have no tokens
            raise
        # First the tokens of each different word here, then those of each place where it stands.
        tokens = Ragged(self._ids, self._starts).take(numbers).take(rows.numbers.ids.astype(np.int64))
        return Ragged(tokens.ids, tokens.offsets[rows.numbers.offsets])

    def _remember(self, new: int) -> None:
        """Cuts the words numbered last."""
        if not new:
            return
        words = list(islice(reversed(self._numbers), new))[::-1]
        tokens = Ragged.of(self._cut(words))
        self._starts = np.concatenate([self._starts, len(self._ids) + tokens.offsets[1:]])
        self._ids = np.concatenate([self._ids, tokens.ids])
        self._characters += sum(map(len, words))

    def _forget(self) -> None:
        self._numbers = defaultdict(count().__next__)
        self._starts = np.zeros(1, np.int64)
        self._ids = np.zeros(0, np.uint32)
        self._characters = 0
