"""What only some models can do; a model declares it by inheriting from the class, and callers ask with `isinstance`.

ReadsPacked      encode and states also read packed batches, several sentences to a row
LinearOutput     logits are the product of the states with one matrix, perhaps with a bias
Penalised        adds a term of its own to the loss
CountingModel    learns by counting its corpus once, not by gradient descent
CompilesSearch   what a search asks of it can be computed by a compiled library
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from jaxtyping import Float
from torch import Tensor, nn

from saccade.kernels.beam_selection import Search, Selected
from saccade.models.contract import AnyMemory, Carried, Transducer
from saccade.sequences import Packed, Pairs, Sequences


class ReadsPacked(Transducer[AnyMemory, Carried]):
    """A model whose encoder and decoder keep the sentences of a packed row apart."""

    packs: bool = True
    """False where a setting of this model rules packed batches out."""

    @abstractmethod
    def encode(self, source: Sequences | Packed) -> AnyMemory:
        """Reads the source."""

    @abstractmethod
    def states(self, reads: Sequences | Packed, memory: AnyMemory) -> Float[Tensor, "batch target width"]:
        """The decoder's final state at each position of a known target."""

    def decode(self, reads: Sequences | Packed, memory: AnyMemory) -> Float[Tensor, "batch target vocabulary"]:
        """The scores of the next token after each position of a known target."""
        return self.logits(self.states(reads, memory))

    def teacher_forced(self, pairs: Pairs) -> tuple[AnyMemory, Float[Tensor, "batch target width"]]:
        """What was made of the sources of a batch, and the states at every position of its targets."""
        memory = self.encode(pairs.source)
        return memory, self.states(pairs.target.reads, memory)


def reads_packed(model: nn.Module) -> bool:
    """Whether this model, as it is configured, reads packed batches."""
    return isinstance(model, ReadsPacked) and model.packs


class LinearOutput(ABC):
    """A model whose `logits(states)` is states W^T + b, so that a loss need not keep the logits of a whole batch."""

    @property
    @abstractmethod
    def projection(self) -> Float[Tensor, "vocabulary width"]:
        """The matrix W."""

    @property
    def projection_bias(self) -> Float[Tensor, " vocabulary"] | None:
        """The vector b; None where there is none."""
        return None


def projection_of(model: nn.Module) -> Float[Tensor, "vocabulary width"] | None:
    """The matrix W for which `logits(states)` is states W^T + b; None where the last step is something else."""
    return model.projection if isinstance(model, LinearOutput) else None


def projection_bias_of(model: nn.Module) -> Float[Tensor, " vocabulary"] | None:
    """The vector b of a model whose `logits(states)` is states W^T + b; None where there is none."""
    return model.projection_bias if isinstance(model, LinearOutput) else None


class Penalised(ABC):
    """A model that adds a term of its own to the loss, as Lin et al. 2017 do."""

    @abstractmethod
    def penalty(self, memory: Any) -> Float[Tensor, ""] | None:
        """What training adds to the loss of these sentences, as a sum over them; None: nothing."""


class CountingModel(nn.Module, ABC):
    """A model that learns by counting: training shows it every batch of its corpus once, and then finishes it."""

    tables: tuple[str, ...]
    """The names of its buffers whose sizes are known only after counting."""

    @abstractmethod
    def count(self, pairs: Pairs) -> None:
        """Takes account of a batch."""

    @abstractmethod
    def finish_counting(self) -> None:
        """Turns the counts into what the model predicts with, after the last batch."""

    def allocate_tables(self, shapes: Mapping[str, Sequence[int]]) -> None:
        """Gives the tables these sizes, before saved ones are loaded into them."""
        for name in self.tables:
            if name in shapes:
                setattr(self, name, self.get_buffer(name).new_empty(tuple(shapes[name])))


class CompilesSearch(ABC):
    """A model that can be searched with faster than its own code says it."""

    @abstractmethod
    def can_compile_search(self, int8: bool) -> bool:
        """Whether the compiled library knows this model as it is and, with `int8`, can multiply bytes on this CPU."""

    @abstractmethod
    def compile_search(self, int8: bool = False) -> None:
        """Encodes and steps by a compiled library from now on, where that can be, and on a GPU in its favourite layout.

        The weights are copied: they must not change afterwards.
        """

    @abstractmethod
    def compiled_steps(self, state: Any, search: Search, most: int, enough: int) -> tuple[Any, Selected] | None:
        """Steps with the selection after each, by the library; None where each is to be asked for by itself.

        There are `most` steps, or fewer where at most `enough` sentences are left. What is found has an axis of steps
        in front; the progress of the search is overwritten.
        """
