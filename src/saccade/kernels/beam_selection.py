"""What goes into one step of a beam search between two calls of the model, and what comes out.

The step itself is in `beam_step.py` for a GPU and in `beam_step_cpu.py` for a CPU.
"""

from typing import NamedTuple

from jaxtyping import Float, Int
from torch import Tensor


class Tokens(NamedTuple):
    """The tokens that mean something to a search."""

    padding: int
    end: int
    start: int


class Progress(NamedTuple):
    """What the search of each sentence carries from step to step; `select` overwrites all of it."""

    reads: Int[Tensor, "sentences size"]
    alive: Float[Tensor, "sentences size"]
    finished: Float[Tensor, "sentences size"]
    length: Int[Tensor, " sentences"]
    done: Int[Tensor, " sentences"]


class Bounds(NamedTuple):
    """What does not change: the longest output, the penalties of all lengths, and that of the longest."""

    limits: Int[Tensor, " sentences"]
    penalties: Float[Tensor, "sentences lengths"]
    largest: Float[Tensor, " sentences"]


class Rules(NamedTuple):
    """What the finished outputs decide, as `BeamConfig` says it.

    The `deciding`-th best end settles a sentence; where that is 0, the worst that there is. An end counts among the
    best `ending` candidates. What is alive is judged by the penalty of the longest output, or of its `current_length`.
    """

    deciding: int
    ending: int
    current_length: bool


class Search(NamedTuple):
    """All that a step needs but the logits. `beyond` more candidates are looked at than are kept."""

    progress: Progress
    bounds: Bounds
    tokens: Tokens
    rules: Rules
    beyond: int
    steps_per_nat: int


class Selected(NamedTuple):
    """The best continuations, which of them live on and whom those continue, and how clear the choice was."""

    names: Int[Tensor, "*steps sentences both"]
    scores: Float[Tensor, "*steps sentences both"]
    onward: Int[Tensor, "*steps sentences size"]
    margin: Float[Tensor, "*steps sentences"]
    parents: Int[Tensor, "sentences size"]
