"""Whether a language is plausible for a text, by the model of py3langid, in less than half of the time that it takes.

It reads a text byte by byte and looks up what stands there by an automaton. Here it is read word by word: what a word
adds depends on the word and on the state in which the automaton comes to it, and most words of a text have been read
before in the same state.

The score of every language adds up what each of these features says for it. For one that is asked for often, languages
unlike it are put into groups, and of a group only the most that a feature says for any of them is added up. No language
of the group can have more, and a score that is ahead of all groups is ahead of all languages.
"""

import math
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

MOST_WORDS = 50_000  # remembered; about 20 MB
OFTEN = 1_000
"""Texts after which a language gets a table of its own, which takes as long to make as some thousand texts to read."""
MOST_TABLES = 16  # of 8 MB
NEAR, GROUP = 12, 16
"""Languages most like one, which stay on their own, and how many of the others are a group."""
_DOUBT = 1.0
"""Nats: the library adds up two scores where a language is written in two scripts, and rounds in another order."""


@dataclass(frozen=True)
class _Table:
    """What each feature says for languages or groups of them, what is said for these beforehand, and which is meant."""

    weights: Float[np.ndarray, "features languages"]
    prior: Float[np.ndarray, " languages"]
    place: int


class LanguageScores:
    """Scores of the languages that `identifier`, one of py3langid, knows."""

    def __init__(self, identifier: Any) -> None:
        self._model = identifier
        self._read: dict[tuple[int, bytes], tuple[int, list[int]]] = {}
        self._asked: Counter[str] = Counter()
        self._tables: dict[str, _Table] = {}

    def surely_allow(self, code: str, text: str, improbable: float) -> bool:
        """Whether the probability of a language is beyond doubt at least this share of the most probable one's.

        The library takes probabilities to be those of scores by the root of the length (`LanguageIdentifier._decide`).
        """
        content = unicodedata.normalize("NFC", text.lower() if text.isupper() else text).encode(
            "utf-8", "surrogatepass"
        )
        visited = Counter(self._visited(content))
        if not visited:
            return False
        features = np.fromiter(visited.keys(), np.intp, len(visited))
        counts = np.fromiter(visited.values(), np.float32, len(visited))
        table = self._table(code)
        scores = np.log1p(counts) @ table.weights.take(features, 0) + table.prior
        behind = float(scores.max() - scores[table.place]) / math.sqrt(len(content))
        return behind < -math.log(improbable) - _DOUBT

    def _visited(self, content: bytes) -> list[int]:
        """The features of a text, as often as they are there."""
        if len(self._read) > MOST_WORDS:
            self._read.clear()
        *words, last = content.split(b" ")
        state, visited = 0, list[int]()
        for word in (*(one + b" " for one in words), last):
            known = self._read.get((state, word))
            if known is None:
                known = self._read[state, word] = self._walk(state, word)
            state, features = known
            visited += features
        return visited

    def _walk(self, state: int, word: bytes) -> tuple[int, list[int]]:
        rows, moves, output = self._model.tk_row, self._model.tk_nextmove, self._model.tk_output
        features = []
        for byte in word:
            state = moves[(rows[state] << 8) + byte]
            if output[state] >= 0:
                features.append(output[state])
        return state, features

    def _table(self, code: str) -> _Table:
        if code not in self._tables:
            self._asked[code] += 1
            if self._asked[code] < OFTEN or len(self._tables) == MOST_TABLES:
                return _Table(self._model.nb_ptc, self._model.nb_pc, self._model.nb_classes.index(code))
            self._tables[code] = self._grouped(code)
        return self._tables[code]

    def _grouped(self, code: str) -> _Table:
        """A table for one language: it is the first, those most like it follow, and then the groups."""
        weights, prior = self._model.nb_ptc, self._model.nb_pc
        sample = weights[::50].astype(np.float32)
        own = sample[:, [self._model.nb_classes.index(code)]]
        order = np.abs(sample - own).mean(axis=0).argsort(kind="stable")
        starts = [*range(NEAR), *range(NEAR, len(order), GROUP)]
        return _Table(
            np.maximum.reduceat(weights[:, order].astype(np.float32), starts, axis=1),
            np.maximum.reduceat(prior[order], starts),
            0,
        )
