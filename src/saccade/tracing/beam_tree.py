"""A beam search that keeps its whole tree: every candidate that was kept, pruned or finished, with its parent.

The same search as `decoding.beam`, for one sentence, with the same rules for equal scores and the same result. A node
is a token after those of its parent:

    cum = cum(parent) + log p(token)            score = cum / lp(length)

Of the candidates of a step the tree holds those that are continued, those that are finished, and the best twenty of
those that were pruned.
"""

from dataclasses import dataclass
from math import inf
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.cancellation import Cancellation
from saccade.data.sentencepiece_model import SPACE
from saccade.data.tokenizer import Tokenizer
from saccade.decoding.beam import BeamConfig, best_reachable, deciding_score, rerank_by_coverage
from saccade.decoding.constraints import Constraints, OutputConstraint, impossible
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.ranking import best_first, on_grid, shortlist
from saccade.models.contract import Transducer
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS

PRUNED = 20
"""How many pruned candidates of each step the tree holds."""


@dataclass(frozen=True)
class SearchNode:
    """A token that was considered.

    `rank` is its place among all candidates of its step, `place` its row in the beam if it was kept; both from 0.
    """

    number: int
    parent: "SearchNode | None"
    token: int
    log_probability: float
    total: float
    length: int
    rank: int
    place: int | None
    state: str

    @property
    def tokens(self) -> tuple[int, ...]:
        """The tokens from the beginning up to this one; BOS is not written."""
        return (*self.parent.tokens, self.token) if self.parent else ()

    @property
    def log_probabilities(self) -> tuple[float, ...]:
        """The log-probabilities of these tokens."""
        return (*self.parent.log_probabilities, self.log_probability) if self.parent else ()

    def score(self, config: BeamConfig) -> float:
        """What it is ranked by once it is finished; the root has written nothing and a score of zero."""
        return self.total / config.penalty(max(self.length, 1))


@dataclass(frozen=True)
class BeamTree:
    """All nodes of a search; the hypotheses it chose between in the end, best first; and the result."""

    config: BeamConfig
    limit: int
    nodes: list[SearchNode]
    ended: list[SearchNode]
    hypotheses: list[Hypothesis]

    @property
    def best(self) -> Hypothesis:
        """What the search found."""
        return self.hypotheses[0]


@torch.no_grad()
def search(
    model: Transducer[Any, Any],
    source: Sequences,
    config: BeamConfig,
    prefix: Sequences | None = None,
    cancellation: Cancellation | None = None,
    rules: OutputConstraint | None = None,
    *,
    branches: bool = False,
) -> BeamTree:
    """Searches for the best output of one source, by the rules; a cancellation is noticed at the next step.

    With `branches`, hypotheses share one cache, which is faster, and the last digits may differ. A module that was put
    into the model in place of another knows nothing of such a cache: without them, each hypothesis has its own.
    """
    assert len(source) == 1, "one sentence"
    cancellation = cancellation or Cancellation()
    constraints = Constraints.of(model, source, config.extra_length, prefix, config.unscored_prefix)
    limit, device = int(constraints.limits), source.tokens.device
    memory = model.encode(source)
    first = torch.zeros(config.size, dtype=torch.int64, device=device)
    state = model.start(memory)
    state = state.branch(1, config.size, limit) if branches else state.select(first)
    root = SearchNode(0, None, BOS, 0.0, 0.0, 0, 0, 0, "root")
    nodes, alive, ended = [root], [root], list[SearchNode]()
    rules = rules if rules is None else rules.branch(config.size)
    for length in range(1, limit + 1):
        cancellation.check()
        reads = torch.full((config.size,), BOS, device=device)
        reads[: len(alive)] = torch.tensor([node.token for node in alive], device=device)
        logits, state = model.step(reads, state)
        log_probabilities = constraints.log_probabilities(logits, length - 1)
        if rules is not None:
            log_probabilities.masked_fill_(~rules.allowed(constraints.limits - (length - 1))[0], -torch.inf)
        candidates = _candidates(alive, log_probabilities, config, len(nodes))
        nodes += candidates
        alive = [node for node in candidates if node.state == "kept"]
        ended = _ranked(ended + [node for node in candidates if node.state == "finished"], config)
        if not alive or _settled(alive, ended, limit, config):
            break
        parents = torch.zeros(1, config.size, dtype=torch.int64, device=device)
        parents[0, : len(alive)] = torch.tensor([_parent(node).place for node in alive], device=device)
        state = state.reorder(parents) if branches else state.select(parents[0])
        if rules is not None:
            written = torch.full((config.size,), EOS, device=device)
            written[: len(alive)] = torch.tensor([node.token for node in alive], device=device)
            rules = rules.follow(parents, written.unsqueeze(0))
    if config.limit_finishes and alive and alive[0].length == limit:
        ended = _ranked(ended + alive, config)
    chosen = ended or _ranked(alive, config)
    if not chosen:
        raise impossible()
    results = [_hypothesis(node, config) for node in chosen[: config.final]]
    [ranked] = rerank_by_coverage(model, source, memory, [results], config.coverage)
    return BeamTree(config, limit, nodes, chosen, ranked)


def _candidates(
    alive: list[SearchNode], log_probabilities: Float[Tensor, "size vocabulary"], config: BeamConfig, number: int
) -> list[SearchNode]:
    """The best continuations, best first; of equal ones that of the earlier parent, then of the smaller token id.

    Of the best 2 * size, those that end are finished, if the rule for ends counts them, and the first `size` others are
    kept. The rest is pruned.
    """
    size = config.size
    totals = log_probabilities.new_full((len(log_probabilities),), -torch.inf, dtype=torch.float64)
    totals[: len(alive)] = torch.tensor([node.total for node in alive], dtype=torch.float64, device=totals.device)
    tokens, added = shortlist(log_probabilities, totals, 2 * size + PRUNED)
    scores = (totals.unsqueeze(1) + added).flatten()
    order = best_first(scores.unsqueeze(0), 2 * size + PRUNED)[0]
    # Lists at once: asking a tensor for one number after another would take longer than the step of the model.
    columns = (scores[order], order // tokens.shape[1], tokens.flatten()[order], added.flatten()[order])
    found: list[SearchNode] = []
    kept = pruned = 0
    for rank, (total, row, token, log_probability) in enumerate(zip(*map(Tensor.tolist, columns), strict=True)):
        if total == -inf:
            break
        state, place = "pruned", None
        if rank < config.ending and token == EOS:
            state = "finished"
        elif rank < 2 * size and kept < size and token != EOS:
            state, place, kept = "kept", kept, kept + 1
        elif pruned < PRUNED:
            pruned += 1
        else:
            continue
        parent, place_in_list = alive[row], number + len(found)
        found.append(
            SearchNode(place_in_list, parent, token, log_probability, total, parent.length + 1, rank, place, state)
        )
    return found


def _ranked(nodes: list[SearchNode], config: BeamConfig) -> list[SearchNode]:
    """Best first by score; of equal ones the earlier."""
    scores = torch.tensor([[node.score(config) for node in nodes]], dtype=torch.float64)
    return [nodes[place] for place in best_first(scores, len(nodes))[0].tolist()]


def _settled(alive: list[SearchNode], ended: list[SearchNode], limit: int, config: BeamConfig) -> bool:
    """Whether nothing alive can displace what the stop rule looks at: no descendant scores above log P / lp(limit)."""
    kept = [node.score(config) for node in ended[: config.size]]
    scores = torch.full((1, config.size), -torch.inf, dtype=torch.float64)
    scores[0, : len(kept)] = torch.tensor(kept, dtype=torch.float64)
    hopes = torch.tensor([[node.total for node in alive]], dtype=torch.float64)
    bound = best_reachable(hopes, config.bounding_penalty(alive[0].length, limit))
    return bool(on_grid(deciding_score(scores, config)) >= bound)


def _parent(node: SearchNode) -> SearchNode:
    assert node.parent is not None
    return node.parent


def _hypothesis(node: SearchNode, config: BeamConfig) -> Hypothesis:
    finished = node.token == EOS
    return Hypothesis(node.tokens, sum(node.log_probabilities), node.score(config), node.log_probabilities, finished)


def to_json(tree: BeamTree, tokenizer: Tokenizer) -> dict[str, Any]:
    """The search as a trace holds it."""
    pieces = tokenizer.pieces([node.token for node in tree.nodes])
    nodes = [
        {
            "n": node.number,
            "t": node.length,
            "parent": None if node.parent is None else node.parent.number,
            "id": node.token,
            "piece": piece,
            "text": piece.replace(SPACE, ""),
            "logp": node.log_probability,
            "cum": node.total,
            "score": node.score(tree.config),
            "rank": node.rank,
            "place": node.place,
            "state": node.state,
        }
        for node, piece in zip(tree.nodes, pieces, strict=True)
    ]
    hypotheses = [
        {
            "node": node.number,
            "length": node.length,
            "cum": node.total,
            "lp": tree.config.penalty(node.length),
            "score": node.score(tree.config),
            "text": tokenizer.decode(node.tokens),
            "finished": node.token == EOS,
        }
        for node in tree.ended
    ]
    return {
        "k": tree.config.size,
        "alpha": tree.config.alpha,
        "coverage": tree.config.coverage,
        "penalty": tree.config.length_rule,
        "limit": tree.limit,
        "pruned_per_step": PRUNED,
        "nodes": nodes,
        "hypotheses": hypotheses,
        "best": next(place for place, node in enumerate(tree.ended) if node.tokens == tree.best.tokens),
    }
