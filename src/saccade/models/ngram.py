"""The n-gram language model with interpolated Kneser-Ney smoothing: it counts, and learns nothing by gradients.

    P(w | h) = max(c(h, w) - D, 0) / c(h) + D N(h) / c(h) P(w | h')        h' is h without its oldest word

N(h) is the number of different words seen after h. Where h was never seen, P(w | h) is P(w | h'). Below everything all
words are equally probable. D = n1 / (n1 + 2 n2) for each order, from how many of its n-grams have the count one and
two. Only at the highest order is c the number of occurrences. Below it counts how many different words have stood
before the n-gram: "Francisco" is frequent, but follows one word only, and where that word is not, it is unlikely
(Kneser and Ney 1995; Chen and Goodman 1999). An n-gram at the beginning of a sentence has no word before it but BOS,
and there c is the number of occurrences at every order.

A history is found word by word, the newest first, so that one walk finds it and all its shorter ones. What was seen
after each history lies together in one table for each order.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from saccade.models.capabilities import CountingModel
from saccade.models.checks import at_least_one
from saccade.models.contract import IMPOSSIBLE, State
from saccade.models.language_model import EmptySource, LanguageModel
from saccade.sequences import Pairs, Sequences
from saccade.special_tokens import BOS, PAD


@dataclass(frozen=True, kw_only=True)
class NGramConfig:
    """How many words it sees."""

    order: int = 5
    """n: one more than the words of a history."""
    maximum_length: int = 1024

    def __post_init__(self) -> None:
        at_least_one(self, "order", "maximum_length")


@dataclass(frozen=True)
class NGramState(State):
    """The last n - 1 words, the newest first; PAD where there are not so many."""

    words: Int[Tensor, "batch seen"]


class NGram(LanguageModel[NGramState], CountingModel):
    """Tables of what was seen after which history.

    Of order m, with m - 1 words of history: `history_m` finds a history by its number one order below, times the
    vocabulary, plus its oldest word; its place in that sorted table is its number here. An n-gram is found in `gram_m`
    by the number of its history, times the vocabulary, plus its last word. Those of history i are from `first_m`[i] up
    to `first_m`[i + 1], with their counts in `count_m`; `total_m`[i] is the sum. `once_and_twice` has n1 and n2 of each
    order. All are whole numbers: no precision changes them.
    """

    once_and_twice: Int[Tensor, "orders 2"]

    def __init__(self, config: NGramConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, max(config.order - 1, 1))
        self.config = config
        self._shown: list[tuple[Tensor, Tensor]] = []
        names = []
        for order in range(1, config.order + 1):
            nothing = torch.zeros(0, dtype=torch.int64)
            self._keep(order, nothing, nothing, nothing, histories=1 if order == 1 else 0)
            names += [f"{what}_{order}" for what in ("history", "first", "gram", "count", "total")]
        self.register_buffer("once_and_twice", torch.zeros(config.order, 2, dtype=torch.int64))
        self.tables = tuple(names)

    def count(self, pairs: Pairs) -> None:
        """Notes the target sentences of a batch."""
        real = pairs.target.mask
        positions = pairs.target.positions.expand_as(real)
        self._shown.append((pairs.target.tokens[real].cpu().int(), positions[real].cpu().int()))

    def finish_counting(self) -> None:
        """Makes the tables, from the longest histories to the empty one, and forgets the sentences."""
        shown = self._shown or [(torch.zeros(0, dtype=torch.int32),) * 2]
        tokens, positions = (torch.cat(parts).long() for parts in zip(*shown, strict=True))
        histories, numbers = self._histories(tokens, positions)
        above = torch.zeros(0, dtype=torch.int64)
        for order in range(self.config.order, 0, -1):
            number = numbers[order - 1]
            # Not counted by different words before them: all n-grams of the highest order, and those that begin at BOS.
            uncovered = number >= 0
            if order < self.config.order:
                uncovered = uncovered & (numbers[order] < 0)
            here = number[uncovered] * self.target_vocabulary + tokens[uncovered]
            grams, counts = torch.unique(torch.cat([above, here]), return_counts=True)
            self._keep(order, histories[order - 1], grams, counts, histories=len(histories[order - 1]))
            # Each different n-gram of this order is one more different word before the n-gram without its oldest word.
            parent = histories[order - 1][grams // self.target_vocabulary] // self.target_vocabulary
            above = parent * self.target_vocabulary + grams % self.target_vocabulary
            self.once_and_twice[order - 1] = torch.tensor([int((counts == often).sum()) for often in (1, 2)])
        self._shown = []

    def states(self, reads: Sequences, memory: EmptySource) -> Float[Tensor, "batch target seen"]:
        """The last words themselves, as numbers."""
        tokens = torch.cat([self.start(memory).words[:, 1:], reads.tokens], dim=1)
        return tokens.unfold(1, self.width, 1).flip(-1).float()

    def logits(self, states: Float[Tensor, "*rows seen"]) -> Float[Tensor, "*rows vocabulary"]:
        """Log P of each word."""
        probabilities = self.probabilities(states.long().reshape(-1, self.width))
        logits = probabilities.log().clamp(min=IMPOSSIBLE)
        return logits.view(*states.shape[:-1], self.target_vocabulary)

    def start(self, memory: EmptySource) -> NGramState:
        """No words."""
        return NGramState(memory.lengths.new_full((len(memory.lengths), self.width), PAD))

    def step(
        self, token: Int[Tensor, " batch"], state: NGramState
    ) -> tuple[Float[Tensor, "batch vocabulary"], NGramState]:
        """One word more is seen, and the oldest no longer."""
        words = torch.cat([token.unsqueeze(1), state.words], dim=1)[:, : self.width]
        return self.logits(words.float()), NGramState(words)

    def probabilities(self, words: Int[Tensor, "rows seen"]) -> Float[Tensor, "rows vocabulary"]:
        """P(. | h) for each of these histories, their newest word first."""
        tokens, number = torch.arange(self.target_vocabulary, device=words.device), words.new_zeros(1)
        # PAD and BOS are never written; there is a chance for everything else.
        possible = (tokens != PAD) & (tokens != BOS)
        lowest = possible.unsqueeze(0) / (self.target_vocabulary - 2)
        result = self._interpolated(1, number, lowest).repeat(len(words), 1)
        number = number.expand(len(words))
        for order in range(2, self.config.order + 1):
            number = self._longer(order, number, words[:, order - 2])
            result = self._interpolated(order, number, result)
        return result

    def _interpolated(
        self, order: int, number: Int[Tensor, " rows"], lower: Float[Tensor, "rows vocabulary"]
    ) -> Float[Tensor, "rows vocabulary"]:
        """The smoothed estimate of this order from that of the one below; a history that is not known has number -1."""
        first, total = self.get_buffer(f"first_{order}"), self.get_buffer(f"total_{order}")
        if not len(total):
            return lower
        once, twice = self.once_and_twice[order - 1]
        # Where a corpus is so small that there is nothing to tell D from, a half.
        discount = torch.where(once * twice > 0, once / (once + 2 * twice).clamp(min=1), 0.5)
        place = number.clamp(min=0)
        known = (number >= 0) & (total[place] > 0)
        different = torch.where(known, first[place + 1] - first[place], 0)
        total_here = torch.where(known, total[place], 1)
        left = torch.where(known, discount * different / total_here, 1.0)
        share = self._sought if number.is_cuda else self._listed
        return lower * left.unsqueeze(1) + share(order, place, different, discount) / total_here.unsqueeze(1)

    def _listed(
        self, order: int, number: Int[Tensor, " rows"], different: Int[Tensor, " rows"], discount: Float[Tensor, ""]
    ) -> Float[Tensor, "rows vocabulary"]:
        """Gives c - D of the words that were seen, by going through the `different` ones of each history."""
        row = torch.arange(len(number), device=number.device).repeat_interleave(different)
        began = different.cumsum(0) - different
        entry = torch.arange(len(row), device=row.device) - began[row] + self.get_buffer(f"first_{order}")[number[row]]
        word = self.get_buffer(f"gram_{order}")[entry] % self.target_vocabulary
        result = torch.zeros(len(number), self.target_vocabulary, device=number.device)
        return result.index_put((row, word), self.get_buffer(f"count_{order}")[entry] - discount)

    def _sought(
        self, order: int, number: Int[Tensor, " rows"], different: Int[Tensor, " rows"], discount: Float[Tensor, ""]
    ) -> Float[Tensor, "rows vocabulary"]:
        """The same by looking for every word: more work, but a GPU need not wait to hear how many there are."""
        table = self.get_buffer(f"gram_{order}")
        name = number.unsqueeze(1) * self.target_vocabulary + torch.arange(self.target_vocabulary, device=number.device)
        place = torch.searchsorted(table, name).clamp(max=len(table) - 1)
        seen = (table[place] == name) & (different > 0).unsqueeze(1)
        return torch.where(seen, self.get_buffer(f"count_{order}")[place] - discount, 0.0)

    def _longer(self, order: int, number: Int[Tensor, " rows"], word: Int[Tensor, " rows"]) -> Int[Tensor, " rows"]:
        """The numbers of the histories with one older word; -1 where that was never seen."""
        table = self.get_buffer(f"history_{order}")
        if not len(table):
            return torch.full_like(number, -1)
        name = number * self.target_vocabulary + word
        place = torch.searchsorted(table, name).clamp(max=len(table) - 1)
        return torch.where((number >= 0) & (table[place] == name), place, -1)

    def _histories(
        self, tokens: Int[Tensor, " total"], positions: Int[Tensor, " total"]
    ) -> tuple[list[Int[Tensor, " different"]], list[Int[Tensor, " total"]]]:
        """The table of histories of each order, and the number of the history of each token; -1 before BOS."""
        table, number = torch.zeros(1, dtype=torch.int64), torch.zeros_like(tokens)
        tables, numbers = [table], [number]
        for back in range(1, self.config.order):
            word = tokens.roll(back).masked_fill(positions == back - 1, BOS)
            there = positions >= back - 1
            table, places = torch.unique((number * self.target_vocabulary + word)[there], return_inverse=True)
            number = torch.full_like(tokens, -1).masked_scatter(there, places)
            tables.append(table)
            numbers.append(number)
        return tables, numbers

    def _keep(self, order: int, history: Tensor, grams: Tensor, counts: Tensor, histories: int) -> None:
        """Lays the tables of an order down."""
        owner = grams // self.target_vocabulary
        first = torch.searchsorted(owner, torch.arange(histories + 1))
        total = torch.zeros(histories, dtype=torch.int64).index_add(0, owner, counts)
        tables = {"history": history, "first": first, "gram": grams, "count": counts.int(), "total": total}
        for what, table in tables.items():
            device = getattr(self, f"{what}_{order}", table).device
            self.register_buffer(f"{what}_{order}", table.to(device))
