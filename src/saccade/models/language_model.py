"""A language model: a transducer with nothing to encode, so that whatever works with a translator works with it."""

from dataclasses import dataclass

from jaxtyping import Int
from torch import Tensor

from saccade.models.contract import Carried, Memory, Transducer
from saccade.sequences import Packed, Sequences


@dataclass(frozen=True)
class EmptySource(Memory):
    """What a language model knows of its source: how many rows there are."""

    lengths: Int[Tensor, " batch"]


class LanguageModel(Transducer[EmptySource, Carried]):
    """P(y) = prod_t P(y_t | y_<t); the source of each sequence is empty."""

    def encode(self, source: Sequences | Packed) -> EmptySource:
        """Reads nothing."""
        return EmptySource(source.lengths)
