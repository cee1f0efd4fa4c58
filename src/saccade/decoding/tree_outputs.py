"""What a parser writes: the rules for its search, the symbols of given trees, and the text of what was found."""

from collections.abc import Sequence
from functools import cached_property

import torch

from saccade.data.tokenizer import Tokenizer
from saccade.data.tree_symbols import symbols_of
from saccade.data.trees import Leaves, escape_brackets, linearise, output_text, read_tree
from saccade.decoding.tree_constraint_fast import ANY, TreeConstraint, TreeVocabulary
from saccade.special_tokens import EOS


class TreeOutputs:
    """The linearised trees of a model, by its target tokenizer and the kind of its leaves."""

    def __init__(self, tokenizer: Tokenizer, leaves: Leaves, device: torch.device) -> None:
        self._tokenizer, self._leaves, self._device = tokenizer, leaves, device

    def words(self, text: str) -> list[str]:
        """The words of a sentence as they stand in its tree."""
        return self._tokenizer.normalise(escape_brackets(text)).split()

    def leaf_tokens(self, words: Sequence[str]) -> tuple[int, ...]:
        """For each word the token that must be written for it, or ANY."""
        if self._leaves != "words":
            return (ANY,) * len(words)
        return tuple(token for [token] in self._tokenizer.encode(words))

    def rules(self, leaves: Sequence[tuple[int, ...]]) -> TreeConstraint:
        """The constraint that keeps the outputs of sentences with these leaves to well-formed trees over them."""
        return TreeConstraint.of(self._vocabulary, leaves)

    def text(self, tokens: Sequence[int], words: Sequence[str]) -> str:
        """The tree over these words that the tokens write; where they write none, the symbols themselves."""
        written = [token for token in tokens if token != EOS]
        return output_text(symbols_of(self._tokenizer.pieces(written)), words, self._leaves)

    def symbols(self, tree: str, sentence: str) -> str:
        """The symbols of a bracketed tree, which must be one over the words of its sentence."""
        return linearise(read_tree(tree, sentence, "tree")[1], self._leaves)

    @cached_property
    def _vocabulary(self) -> TreeVocabulary:
        pieces = self._tokenizer.pieces(range(self._tokenizer.size))
        return TreeVocabulary.of(symbols_of(pieces), self._device)
