"""Score functions: how well a key answers a query, e = score(q, k) (Brauwers and Frasincar's survey names them).

    additive            w^T tanh(W1 q + W2 k)               Bahdanau 2015
    concat              v^T tanh(W [q; k])                  Luong 2015; the same family, in one matrix
    dot                 q^T k                               Luong 2015
    scaled-dot          q^T k / sqrt(d_k)                   Vaswani 2017
    general             k^T W q                             Luong 2015
    biased-general      k^T (W q + b)                       Sordoni 2016
    activated-general   tanh(k^T W q + b)                   Ma 2017
    cosine              t q^T k / (|q| |k|), t learned      content addressing, Graves 2014
    location            (W q)_position                      Luong 2015: from the query alone

Every score is an object with the same two calls, so an attending model can be given any of them: `prepare`, what can
be computed of the keys before any query is known, and the scores of queries against that.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from saccade.errors import ConfigError

ScoreName = Literal[
    "additive",
    "concat",
    "dot",
    "scaled-dot",
    "general",
    "biased-general",
    "activated-general",
    "cosine",
    "location",
]


AdditiveWeights = tuple[Float[Tensor, "hidden_width query_width"], Float[Tensor, " hidden_width"]]


class Score(nn.Module):
    """Scores of queries against keys."""

    name: str
    """Its name in tables and traces."""

    @property
    def scale(self) -> float:
        """The factor in front of what is compared, where there is one."""
        return 1.0

    @property
    def additive_weights(
        self,
    ) -> AdditiveWeights | None:
        """W and w where the score is w^T tanh(W q + prepared), for which a recurrence has a fast twin; else None."""
        return None

    def inside(
        self,
        queries: Float[Tensor, "batch query query_width"],  # noqa: ARG002 most have no intermediate values
        prepared: Float[Tensor, "batch key prepared_width"],  # noqa: ARG002
    ) -> dict[str, Tensor]:
        """The intermediate values for a trace: `q_hidden` of each query, `k_hidden` of each key, a `vector`.

        Where there is a vector w, the score is w^T tanh(q_hidden + k_hidden), and else q_hidden^T k_hidden.
        """
        return {}

    def prepare(self, keys: Float[Tensor, "batch key key_width"]) -> Float[Tensor, "batch key prepared_width"]:
        """The part that depends on the keys alone."""
        return keys

    def forward(
        self, queries: Float[Tensor, "batch query query_width"], prepared: Float[Tensor, "batch key prepared_width"]
    ) -> Float[Tensor, "batch query key"]:
        """The score of every query against every key."""
        raise NotImplementedError

    def at_places(
        self,
        queries: Float[Tensor, "batch query query_width"],
        prepared: Float[Tensor, "batch place prepared_width"],
        places: int,  # noqa: ARG002 most do not ask where a key stands
    ) -> Float[Tensor, "batch query place"]:
        """The same where each position has so many places, one after another, as the cache of a beam search has."""
        return self(queries, prepared)

    if TYPE_CHECKING:
        __call__ = forward


class Additive(Score):
    """w^T tanh(W1 q + W2 k). With w = 0 at the start all weights are equal: every position is worth a look."""

    name = "additive"

    def __init__(self, query_width: int, key_width: int, hidden_width: int) -> None:
        super().__init__()
        self.query = nn.Linear(query_width, hidden_width, bias=False)
        self.key = nn.Linear(key_width, hidden_width, bias=False)
        self.vector = nn.Parameter(torch.zeros(hidden_width))
        for matrix in (self.query, self.key):
            nn.init.normal_(matrix.weight, std=0.001)

    @property
    def additive_weights(self) -> AdditiveWeights:
        """W1 and w."""
        return self.query.weight, self.vector

    def prepare(self, keys: Float[Tensor, "batch key key_width"]) -> Float[Tensor, "batch key hidden_width"]:
        """W2 k."""
        projected: Tensor = self.key(keys)
        return projected

    def forward(
        self, queries: Float[Tensor, "batch query query_width"], prepared: Float[Tensor, "batch key hidden_width"]
    ) -> Float[Tensor, "batch query key"]:
        """The score of every query against every key."""
        return torch.tanh(self.query(queries).unsqueeze(2) + prepared.unsqueeze(1)) @ self.vector

    def inside(
        self, queries: Float[Tensor, "batch query query_width"], prepared: Float[Tensor, "batch key hidden_width"]
    ) -> dict[str, Tensor]:
        """W1 q, W2 k and w."""
        return {"q_hidden": self.query(queries), "k_hidden": prepared, "vector": self.vector}


class Concat(Score):
    """v^T tanh(W [q; k]); the columns of W that meet the key are applied once."""

    name = "concat"

    def __init__(self, query_width: int, key_width: int, hidden_width: int) -> None:
        super().__init__()
        self.query_width = query_width
        self.weight = nn.Parameter(torch.empty(hidden_width, query_width + key_width))
        self.vector = nn.Parameter(torch.empty(hidden_width))
        nn.init.xavier_uniform_(self.weight)
        nn.init.normal_(self.vector, std=hidden_width**-0.5)

    def prepare(self, keys: Float[Tensor, "batch key key_width"]) -> Float[Tensor, "batch key hidden_width"]:
        """The half of W [q; k] that the key gives."""
        return functional.linear(keys, self.weight[:, self.query_width :])

    def forward(
        self, queries: Float[Tensor, "batch query query_width"], prepared: Float[Tensor, "batch key hidden_width"]
    ) -> Float[Tensor, "batch query key"]:
        """The score of every query against every key."""
        projected = functional.linear(queries, self.weight[:, : self.query_width])
        return torch.tanh(projected.unsqueeze(2) + prepared.unsqueeze(1)) @ self.vector

    def inside(
        self, queries: Float[Tensor, "batch query query_width"], prepared: Float[Tensor, "batch key hidden_width"]
    ) -> dict[str, Tensor]:
        """The two halves of W [q; k], and v."""
        projected = functional.linear(queries, self.weight[:, : self.query_width])
        return {"q_hidden": projected, "k_hidden": prepared, "vector": self.vector}


class Dot(Score):
    """q^T k, times a factor: 1, or 1 / sqrt(d_k)."""

    def __init__(self, factor: float = 1.0) -> None:
        super().__init__()
        self.factor = factor
        self.name = "dot" if factor == 1 else "scaled-dot"

    @property
    def scale(self) -> float:
        """The factor."""
        return self.factor

    def forward(
        self, queries: Float[Tensor, "batch query width"], prepared: Float[Tensor, "batch key width"]
    ) -> Float[Tensor, "batch query key"]:
        """The score of every query against every key."""
        return queries @ prepared.transpose(1, 2) * self.factor

    def inside(
        self, queries: Float[Tensor, "batch query width"], prepared: Float[Tensor, "batch key width"]
    ) -> dict[str, Tensor]:
        """The vectors themselves."""
        return {"q_hidden": queries, "k_hidden": prepared}


class General(Score):
    """k^T W q, or with a bias k^T (W q + b): b gives each key a worth of its own, whatever is asked."""

    def __init__(self, query_width: int, key_width: int, bias: bool = False) -> None:
        super().__init__()
        self.query = nn.Linear(query_width, key_width, bias=bias)
        self.name = "biased-general" if bias else "general"
        _near_identity(self.query)

    def forward(
        self, queries: Float[Tensor, "batch query query_width"], prepared: Float[Tensor, "batch key key_width"]
    ) -> Float[Tensor, "batch query key"]:
        """The score of every query against every key."""
        scores: Tensor = self.query(queries) @ prepared.transpose(1, 2)
        return scores

    def inside(
        self, queries: Float[Tensor, "batch query query_width"], prepared: Float[Tensor, "batch key key_width"]
    ) -> dict[str, Tensor]:
        """W q, and the keys."""
        return {"q_hidden": self.query(queries), "k_hidden": prepared}


class ActivatedGeneral(Score):
    """tanh(k^T W q + b): no score is beyond 1, so no weight can be more than e^2 times another."""

    name = "activated-general"

    def __init__(self, query_width: int, key_width: int) -> None:
        super().__init__()
        self.query = nn.Linear(query_width, key_width, bias=False)
        self.bias = nn.Parameter(torch.zeros(()))
        _near_identity(self.query)

    def forward(
        self, queries: Float[Tensor, "batch query query_width"], prepared: Float[Tensor, "batch key key_width"]
    ) -> Float[Tensor, "batch query key"]:
        """The score of every query against every key."""
        return torch.tanh(self.query(queries) @ prepared.transpose(1, 2) + self.bias)


class Cosine(Score):
    """t cos(q, k). Cosines end at 1, so without a learned factor t the softmax of many could never become sharp."""

    name = "cosine"

    def __init__(self) -> None:
        super().__init__()
        self.log_factor = nn.Parameter(torch.zeros(()))

    @property
    def scale(self) -> float:
        """The learned factor t."""
        return float(self.log_factor.exp())

    def prepare(self, keys: Float[Tensor, "batch key width"]) -> Float[Tensor, "batch key width"]:
        """The directions of the keys."""
        return functional.normalize(keys, dim=-1)

    def forward(
        self, queries: Float[Tensor, "batch query width"], prepared: Float[Tensor, "batch key width"]
    ) -> Float[Tensor, "batch query key"]:
        """The score of every query against every key."""
        return functional.normalize(queries, dim=-1) @ prepared.transpose(1, 2) * self.log_factor.exp()

    def inside(
        self, queries: Float[Tensor, "batch query width"], prepared: Float[Tensor, "batch key width"]
    ) -> dict[str, Tensor]:
        """The directions of both."""
        return {"q_hidden": functional.normalize(queries, dim=-1), "k_hidden": prepared}


class Location(Score):
    """The query alone says which positions it wants: row j of W q scores position j.

    W has a row for each of so many positions. A shorter source uses the first ones; words of a longer source past the
    last row cannot be seen.
    """

    name = "location"

    def __init__(self, query_width: int, positions: int) -> None:
        super().__init__()
        self.query = nn.Linear(query_width, positions, bias=False)

    def forward(
        self, queries: Float[Tensor, "batch query query_width"], prepared: Float[Tensor, "batch key key_width"]
    ) -> Float[Tensor, "batch query key"]:
        """The score of every query for every place."""
        scores: Tensor = self.query(queries)[..., : prepared.shape[1]]
        beyond = prepared.shape[1] - scores.shape[-1]
        return functional.pad(scores, (0, beyond), value=torch.finfo(scores.dtype).min) if beyond > 0 else scores

    def at_places(
        self,
        queries: Float[Tensor, "batch query query_width"],
        prepared: Float[Tensor, "batch place prepared_width"],
        places: int,
    ) -> Float[Tensor, "batch query place"]:
        """All places of a position have its score."""
        return self(queries, prepared[:, ::places]).repeat_interleave(places, dim=2)


class Indifferent(Score):
    """Every key is as good as any other: for an alignment that asks no score, and for taking the mean."""

    name = "none"

    def forward(
        self, queries: Float[Tensor, "batch query query_width"], prepared: Float[Tensor, "batch key key_width"]
    ) -> Float[Tensor, "batch query key"]:
        """Zero everywhere."""
        return queries.new_zeros(len(queries), queries.shape[1], prepared.shape[1])


def score(name: ScoreName, query_width: int, key_width: int, hidden_width: int, positions: int) -> Score:
    """The score of this name for queries and keys of these widths.

    `hidden_width` is the size inside the tanh of additive and concat, `positions` the places a location score knows.
    """
    if name in ("dot", "scaled-dot", "cosine") and query_width != key_width:
        raise ConfigError(
            f"`model.score` {name!r} multiplies query and key, so both must be equally wide, but they have "
            f"{query_width} and {key_width} numbers. Use 'general' or 'additive'."
        )
    makers: dict[str, Callable[[], Score]] = {
        "additive": lambda: Additive(query_width, key_width, hidden_width),
        "concat": lambda: Concat(query_width, key_width, hidden_width),
        "dot": lambda: Dot(),
        "scaled-dot": lambda: Dot(1 / math.sqrt(key_width)),
        "general": lambda: General(query_width, key_width),
        "biased-general": lambda: General(query_width, key_width, bias=True),
        "activated-general": lambda: ActivatedGeneral(query_width, key_width),
        "cosine": lambda: Cosine(),
        "location": lambda: Location(query_width, positions),
    }
    return makers[name]()


def _near_identity(linear: nn.Linear) -> None:
    """Starts a square matrix close to the plain dot product, and any other at Xavier's scale."""
    if linear.in_features == linear.out_features:
        nn.init.normal_(linear.weight, std=0.01)
        with torch.no_grad():
            linear.weight.diagonal().add_(1.0)
    else:
        nn.init.xavier_uniform_(linear.weight)
    if linear.bias is not None:
        nn.init.zeros_(linear.bias)
