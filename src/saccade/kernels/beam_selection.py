"""What goes into one step of a beam search between two calls of the model, and what comes out.

The step itself is in `beam_step.py` for a GPU and in `beam_step_cpu.py` for a CPU.
"""

from typing import NamedTuple

from jaxtyping import Bool, Float, Int
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


class Terms(NamedTuple):
    """What a search for outputs with terms carries from step to step, and `select` overwrites, up to `lost_banks`.

    Then what does not change. What each holds is said where they come from, in `decoding/constrained_beam_fast.py` and
    `decoding/terms_fast.py`.
    """

    node: Int[Tensor, "sentences size"]
    met: Int[Tensor, "sentences size"]
    number_met: Int[Tensor, "sentences size"]
    begun: Float[Tensor, "sentences size"]
    lost: Float[Tensor, "sentences size"]
    lost_banks: Int[Tensor, "sentences size"]

    terms: Int[Tensor, " sentences"]
    roots: Int[Tensor, " sentences"]
    shares: Int[Tensor, "sentences turns"]
    turns: Int[Tensor, "sentences banks"]
    sizes: Int[Tensor, " sentences"]

    tokens: Int[Tensor, "nodes edges"]
    targets: Int[Tensor, "nodes edges"]
    own: Bool[Tensor, "nodes edges"]
    shadow: Int[Tensor, "nodes edges"]
    wanted: Int[Tensor, " nodes"]
    accepts: Int[Tensor, " nodes"]
    free: Bool[Tensor, " nodes"]
    continues: Bool[Tensor, " nodes"]
    inner: Bool[Tensor, " nodes"]
    begins: Bool[Tensor, " vocabulary"]
    opens: Bool[Tensor, " vocabulary"]


class Search(NamedTuple):
    """All that a step needs but the logits. `beyond` more candidates are looked at than are kept."""

    progress: Progress
    bounds: Bounds
    tokens: Tokens
    rules: Rules
    beyond: int
    steps_per_nat: int
    terms: Terms | None = None


class Selected(NamedTuple):
    """The best continuations, which of them live on and whom those continue, and how clear the choice was."""

    names: Int[Tensor, "*steps sentences both"]
    scores: Float[Tensor, "*steps sentences both"]
    onward: Int[Tensor, "*steps sentences size"]
    margin: Float[Tensor, "*steps sentences"]
    parents: Int[Tensor, "sentences size"]
