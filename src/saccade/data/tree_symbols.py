"""The symbols of linearised trees: a closed list, all of them known before the first step."""

from collections import Counter
from collections.abc import Iterable, Iterator

from saccade.data.piece_learning import AUTOMATIC_SIZES
from saccade.data.sentencepiece_model import SPACE
from saccade.data.tokenizer import Tokenizer
from saccade.data.trees import Leaves, Tree, is_bracket


class TreeSymbols:
    """Counts the symbols of trees that pass by.

    Pieces are otherwise learned from a sample, which may miss a rare bracket; and a piece that spells symbols by bytes
    could never be kept to well-formed trees. Where leaves are words, those seen once are left out, so that the model
    learns what to write for a word it has never seen.
    """

    def __init__(self, leaves: Leaves) -> None:
        self.leaves: Leaves = leaves
        self.counts: Counter[str] = Counter()

    def watching(self, pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """The same pairs."""
        for pair in pairs:
            self.counts.update(Tree.read(pair[1]).linearised(self.leaves))
            yield pair

    def tokenizer(self) -> Tokenizer:
        """Every bracket and every leaf as one piece, and nothing else."""
        brackets = [symbol for symbol in self.counts if is_bracket(symbol)]
        leaves = [
            symbol for symbol, count in self.counts.most_common() if not is_bracket(symbol) and self._known(count)
        ]
        known = [*brackets, *leaves[: AUTOMATIC_SIZES["word"] // 2]]
        counts = {symbol: self.counts[symbol] for symbol in known}
        lines = [symbol for symbol, count in counts.items() for _ in range(count)]
        return Tokenizer.train(lines, pieces="word", sample_lines=len(lines), closed=True)

    def _known(self, count: int) -> bool:
        return self.leaves != "words" or count > 1


def symbols_of(pieces: Iterable[str]) -> list[str]:
    """The symbols that these pieces of such a tokenizer write."""
    return [piece.removeprefix(SPACE) for piece in pieces]
