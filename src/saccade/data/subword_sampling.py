"""Text cut at random: BPE-dropout (Provilkov et al. 2020) and unigram sampling (Kudo 2018).

sentencepiece has both, but draws other numbers in every process, whatever its seed, so that no training on such cuts
could be repeated. Here a cut is a function of the text, the strength and the seed.

The sentencepiece model normalises the text and says which pieces there are. Where none of them reaches over a space,
words are cut one by one, each with the space before it. Every cut of a word that was drawn is kept and has a number, so
that most of a corpus is looked up.
"""

import heapq
import math
import random
import re
from abc import ABC, abstractmethod
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import accumulate, count, groupby, islice, pairwise

import numpy as np
import sentencepiece
from jaxtyping import Int64, UInt32

from saccade.data.ragged import Ragged, bounds
from saccade.data.sentencepiece_model import SPACE, user_defined_pieces

MOST_CUTS = 1 << 20  # kept at a time
_UNKNOWN, _USER_DEFINED = 10.0, 0.1
"""The library's own numbers: how much less than the least score an unknown character has, and a symbol than its own."""

Pieces = list[str]


class SubwordSampler(ABC):
    """Cuts texts at random; `number` gives the token of a piece, known or not.

    What is kept never changes a result: it is forgotten, all at once, when there is much of it.
    """

    _ids: UInt32[np.ndarray, " tokens"]
    _starts: Int64[np.ndarray, " bounds"]  # cut n has the ids from start n to start n + 1
    _new: list[list[int]]  # cuts that are not in the arrays yet

    def __init__(
        self,
        processor: sentencepiece.SentencePieceProcessor,
        number: Callable[[str], int],
        strength: float,
        most_cuts: int = MOST_CUTS,
    ) -> None:
        self._processor, self._number, self._strength, self._most_cuts = processor, number, strength, most_cuts
        others = (processor.IsControl, processor.IsUnknown, processor.IsByte, processor.IsUnused)
        written = [token for token in range(processor.GetPieceSize()) if not any(kind(token) for kind in others)]
        self._scores = {processor.IdToPiece(token): float(processor.GetScore(token)) for token in written}
        self._symbols = user_defined_pieces(processor.serialized_model_proto())
        self._spells = any(map(processor.IsByte, range(processor.GetPieceSize())))
        reaches_over = any(piece.rfind(SPACE) > 0 for piece in self._scores)
        self._words = re.compile(".+" if reaches_over else f"{SPACE}[^{SPACE}]*|[^{SPACE}]+", re.DOTALL)
        self._forget()

    def encode(self, texts: Sequence[str], seed: int) -> Ragged:
        """The tokens of each text."""
        if len(self._starts) > self._most_cuts:
            self._forget()
        lines = [self._words.findall(text) for text in self._processor.Normalize(list(texts))]
        cuts = self._drawn([word for line in lines for word in line], seed)
        self._keep_new()
        tokens = Ragged(self._ids, self._starts).take(cuts)
        return Ragged(tokens.ids, tokens.offsets[bounds(np.fromiter(map(len, lines), np.int64, len(lines)))])

    @abstractmethod
    def _drawn(self, words: list[str], seed: int) -> Int64[np.ndarray, " words"]:
        """The number of a cut of each word."""

    def _forget(self) -> None:
        self._ids, self._starts, self._new = np.zeros(0, np.uint32), np.zeros(1, np.int64), []

    def _numbered(self, pieces: Pieces) -> int:
        """Keeps a cut; the number it has from now on."""
        tokens: list[int] = []
        for known, group in groupby(pieces, self._scores.__contains__):
            if known:
                tokens += map(self._number, group)
            elif self._spells:
                tokens += (self._number(f"<0x{byte:02X}>") for byte in "".join(group).encode())
            else:  # neighbours are one unknown
                tokens.append(self._number("".join(group)))
        self._new.append(tokens)
        return len(self._starts) - 2 + len(self._new)

    def _keep_new(self) -> None:
        if self._new:
            tokens = Ragged.of(self._new)
            self._starts = np.concatenate([self._starts, len(self._ids) + tokens.offsets[1:]])
            self._ids = np.concatenate([self._ids, tokens.ids])
            self._new = []


class BpeDropout(SubwordSampler):
    """Pieces are merged as always, the best first, but each merge is left out with probability `strength`."""

    _numbers: defaultdict[str, int]  # a new word takes the next number
    _whole: Int64[np.ndarray, "words 2"]  # of each word, with nothing left out: cut, merges tried
    _found: dict[tuple[str, tuple[int, ...]], tuple[int, int]]  # the same of a word and merges left out

    def _forget(self) -> None:
        super()._forget()
        self._numbers, self._whole, self._found = defaultdict(count().__next__), np.zeros((0, 2), np.int64), {}
        self._characters = re.compile("|".join([*map(re.escape, sorted(self._symbols, key=len)[::-1]), "."]), re.DOTALL)

    def _drawn(self, words: list[str], seed: int) -> Int64[np.ndarray, " words"]:
        known = len(self._numbers)
        numbers = np.fromiter(map(self._numbers.__getitem__, words), np.int64, len(words))
        if new := [
            self._cut(word, ()) for word in list(islice(reversed(self._numbers), len(self._numbers) - known))[::-1]
        ]:
            self._whole = np.concatenate([self._whole, new])
        cuts: Int64[np.ndarray, " words"]
        cuts, tried = self._whole[numbers].T
        ends = np.cumsum(tried)
        left_out = np.flatnonzero(np.random.default_rng(seed).random(int(tried.sum())) < self._strength)
        owners = np.searchsorted(ends, left_out, side="right")
        merges = left_out - (ends - tried)[owners]
        more = random.Random(seed)
        for place, group in groupby(zip(owners.tolist(), merges.tolist(), strict=True), lambda pair: pair[0]):
            dropped = tuple(merge for _, merge in group)
            cuts[place] = self._cut_without(words[place], dropped, int(tried[place]), more)
        return cuts

    def _cut_without(self, word: str, dropped: tuple[int, ...], drawn: int, more: random.Random) -> int:
        """Its cut without these merges; where that tries more than were `drawn`, others may be left out as well."""
        while True:
            cut, tried = self._cut(word, dropped)
            if tried <= drawn:
                return cut
            dropped += tuple(merge for merge in range(drawn, tried) if more.random() < self._strength)
            drawn = tried

    def _cut(self, word: str, dropped: tuple[int, ...]) -> tuple[int, int]:
        found = self._found.get((word, dropped))
        if found is None:
            pieces, tried = self._merged(word, frozenset(dropped))
            found = self._found[word, dropped] = self._numbered(pieces), tried
        return found

    def _merged(self, word: str, dropped: frozenset[int]) -> tuple[Pieces, int]:
        """The pieces of a word, and how many merges were tried, those left out included."""
        parts: list[str] = self._characters.findall(word)
        after, before = [*range(1, len(parts)), -1], [*range(-1, len(parts) - 1)]
        frozen = [part in self._symbols for part in parts]
        agenda: list[tuple[float, int, int, str]] = []

        def offer(left: int, right: int) -> None:
            if left < 0 or right < 0 or frozen[left] or frozen[right]:
                return
            merged = parts[left] + parts[right]
            if merged in self._scores:
                heapq.heappush(agenda, (-self._scores[merged], left, right, merged))

        for left, right in pairwise(range(len(parts))):
            offer(left, right)
        tried = 0
        while agenda:
            _, left, right, merged = heapq.heappop(agenda)
            if after[left] != right or parts[left] + parts[right] != merged:
                continue  # one of both has become part of something else
            tried += 1
            if tried - 1 in dropped:
                continue
            parts[left], parts[right] = merged, ""
            after[left] = after[right]
            if after[left] >= 0:
                before[after[left]] = left
            offer(before[left], left)
            offer(left, after[left])
        return [part for part in parts if part], tried


class UnigramSampling(SubwordSampler):
    """A cut is drawn in proportion to its probability to the power `strength`."""

    _ways: dict[str, list[tuple[list[int], list[float]]]]  # of each word: what ends at each place, where it may begin
    _found: dict[tuple[str, tuple[int, ...]], int]

    def _forget(self) -> None:
        super()._forget()
        self._ways, self._found = {}, {}
        highest = max(self._scores.values(), default=0.0)
        symbols = {symbol: len(symbol) * highest - _USER_DEFINED for symbol in self._symbols}
        self._logits = {piece: self._strength * score for piece, score in (self._scores | symbols).items()}
        self._unknown = self._strength * (min(self._scores.values(), default=0.0) - _UNKNOWN)
        self._longest = max(map(len, self._scores), default=1)

    def _drawn(self, words: list[str], seed: int) -> Int64[np.ndarray, " words"]:
        draw = random.Random(seed).random
        return np.fromiter((self._cut(word, draw) for word in words), np.int64, len(words))

    def _cut(self, word: str, draw: Callable[[], float]) -> int:
        ways = self._ways.get(word)
        if ways is None:
            ways = self._ways[word] = self._all_ways(word)
        end, ends = len(word), [len(word)]
        while end:
            starts, sums = ways[end]
            end = starts[min(bisect(sums, draw() * sums[-1]), len(starts) - 1)] if len(starts) > 1 else starts[0]
            ends.append(end)
        found = self._found.get((word, tuple(ends)))
        if found is None:
            pieces = [word[start:end] for start, end in pairwise(reversed(ends))]
            found = self._found[word, tuple(ends)] = self._numbered(pieces)
        return found

    def _all_ways(self, word: str) -> list[tuple[list[int], list[float]]]:
        """For every place of a word, where a piece that ends there may begin, and the sums of their weights.

        The weight of a beginning is that of the piece and of all cuts of what is before it.
        """
        before = [0.0]  # log of the weights of all cuts of what is before a place
        ways: list[tuple[list[int], list[float]]] = [([], [])]
        for end in range(1, len(word) + 1):
            starts, logits = [], []
            for start in range(max(0, end - self._longest), end):
                logit = self._logits.get(word[start:end], self._unknown if start == end - 1 else None)
                if logit is not None:
                    starts.append(start)
                    logits.append(before[start] + logit)
            highest = max(logits)
            weights = [math.exp(logit - highest) for logit in logits]
            before.append(highest + math.log(sum(weights)))
            ways.append((starts, list(accumulate(weights))))
        return ways
