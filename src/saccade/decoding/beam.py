"""Beam search, written to be read; `beam_fast.py` is its fast twin.

Each sentence keeps `size` hypotheses alive. A step extends each of them by every token and keeps the best 2 * size
candidates. Those that end in EOS join the finished ones, of which the best `size` are kept; the best `size` of the
others stay alive. There are always enough of them: each hypothesis has only one extension that ends.
(Vaswani et al. 2017, section 6.1, and the code the authors published with it; scores as in Wu et al. 2016.)

The search uses only `encode`, `start` and `step` of the model and `select` of its state. The output of a sentence does
not depend on the other sentences of the batch, their number, order or padding.
"""

from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal, get_args, overload

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from saccade.cancellation import check_search
from saccade.decoding.constraints import Constraints, OutputConstraint, check_lengths, impossible
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.length_penalty import LengthRule, coverage_penalty, length_penalty
from saccade.decoding.ranking import best_first, on_grid, shortlist
from saccade.errors import ConfigError, did_you_mean
from saccade.models.contract import Transducer
from saccade.sequences import Sequences, TensorRows
from saccade.special_tokens import BOS, EOS, PAD

StopRule = Literal["returned", "worst-finished", "current-length", "longest-length", "first-finished"]
EndRule = Literal["candidates", "beam"]

LARGEST_BEAM = 10_000
"""More hypotheses than anyone has found a use for: a mistyped number must not take all memory."""
LARGEST_PENALTY = 1_000
"""Far beyond any that helps; a number of thirty digits would not even fit a tensor."""
NEXT_TO_NOTHING = 1e-100
"""Log P of an output divided by this is below every score, and still finite."""
ALMOST_CERTAIN = -1e-30
"""The stop rule takes log P of a live hypothesis to be at most this: zero would stay zero whatever it is divided by,
and rounding may even lift log P above zero."""


@dataclass(frozen=True)
class BeamConfig:
    """How to search. The defaults are the paper's.

    A size of 1 follows the most probable token like greedy search, but may return an earlier end of the output that
    scores better. Strictly greedy is `sampling.py` with `top_k` 1. `alpha` compensates for length and `coverage`
    (GNMT's beta) penalises untranslated input: see `length_penalty.py`. `extra_length` is how much longer than its
    source an output may be.

    A search stops when nothing alive can still score better than a finished hypothesis. With the rule "returned" that
    is the last of those that will be returned, so it makes no difference to go on. With "worst-finished" it is the
    worst of those kept so far, as in the code first released with the paper: the best output is the same, found later,
    but an n-best list may be shorter than asked for. "current-length" is the rule of Hugging Face's generate(): it
    stops when `size` have finished and nothing alive, divided by the penalty of its present length, beats the worst of
    them, though a longer output may still have been better. "longest-length" is generate() with `early_stopping`
    "never": it divides by the penalty of the length limit, so nothing better is missed. "first-finished" is generate()
    with `early_stopping`: it stops as soon as `size` have finished, whatever they score. With these three, what is
    alive at the length limit counts as finished.

    `ends` says which of the 2 * size candidates of a step count as finished if they end: all of them, or only those
    among the best `size`, as in fairseq, CTranslate2 and Hugging Face's generate().

    The first `unscored_prefix` tokens of a forced prefix cost nothing: they were given, as the language that a
    multilingual model is to write is. They count in the length, as generate() counts them.
    """

    size: int = 4
    alpha: float = 0.6
    coverage: float = 0.0
    nbest: int = 1
    extra_length: int = 50
    stop: StopRule = "returned"
    length_rule: LengthRule = "gnmt"
    ends: EndRule = "candidates"
    unscored_prefix: int = 0

    def __post_init__(self) -> None:
        for name, rules in (("stop", StopRule), ("length_rule", LengthRule), ("ends", EndRule)):
            value = getattr(self, name)
            if value not in get_args(rules):
                raise ConfigError(
                    f"`{name}` must be one of {', '.join(get_args(rules))}, but is {value!r}."
                    f"{did_you_mean(str(value), get_args(rules))}"
                )
        if self.size < 1:
            raise ConfigError(f"the beam size must be at least 1, but is {self.size}. Use 1 for the fastest search.")
        if self.size > LARGEST_BEAM:
            raise ConfigError(
                f"the beam size must be at most {LARGEST_BEAM:,}, but is {self.size:,}. The paper uses 4."
            )
        for name, what in (("alpha", "length"), ("coverage", "coverage")):
            value = getattr(self, name)
            if not 0 <= value <= LARGEST_PENALTY:
                raise ConfigError(
                    f"`{name}` must be from 0 to {LARGEST_PENALTY:,}, but is {value}. Use 0 for no {what} penalty."
                )
        if not 1 <= self.nbest <= self.size:
            advice = " Raise the beam size with it." if self.nbest > self.size else ""
            raise ConfigError(f"`nbest` must be from 1 to the beam size, {self.size}, but is {self.nbest}.{advice}")
        check_lengths(self.extra_length, self.unscored_prefix)

    @property
    def final(self) -> int:
        """How many finished hypotheses must be final before the search of a sentence can stop.

        The coverage penalty is added at the end and can make any of the finished ones the best, so it needs them all.
        """
        return self.size if self.coverage else self.nbest

    @property
    def deciding(self) -> int:
        """Which finished hypothesis, counted from one, decides when to stop; zero is the worst that there is."""
        return {"returned": self.final, "worst-finished": 0}.get(self.stop, self.size)

    @property
    def limit_finishes(self) -> bool:
        """Whether what is alive at the length limit counts as finished, rather than only where nothing has."""
        return self.stop in ("current-length", "longest-length", "first-finished")

    @property
    def ending(self) -> int:
        """How many of the candidates of a step count as finished if they end."""
        return 2 * self.size if self.ends == "candidates" else self.size

    @overload
    def penalty(self, length: int) -> float: ...
    @overload
    def penalty(self, length: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]: ...
    def penalty(self, length: int | Float[Tensor, "*shape"]) -> float | Float[Tensor, "*shape"]:
        """What log P of an output of this length is divided by."""
        return length_penalty(length, self.alpha, self.length_rule)

    @overload
    def bounding_penalty(self, length: int, limit: int) -> float: ...
    @overload
    def bounding_penalty(self, length: int, limit: Int[Tensor, "*shape"]) -> Float[Tensor, "*shape"]: ...
    def bounding_penalty(self, length: int, limit: int | Int[Tensor, "*shape"]) -> float | Float[Tensor, "*shape"]:
        """What the stop rule divides log P of a live output of this length by; it may still grow up to the limit.

        With "first-finished" that is next to nothing, so that everything alive scores below what has finished.
        """
        if isinstance(limit, int):
            return float(self.bounding_penalty(length, torch.tensor(limit)))
        if self.stop == "first-finished":
            return torch.full_like(limit, NEXT_TO_NOTHING, dtype=torch.float64)
        return self.penalty((torch.full_like(limit, length) if self.stop == "current-length" else limit).double())


@dataclass(frozen=True)
class Beam(TensorRows):
    """`size` hypotheses of each sentence, the best first; a score of minus infinity marks an empty place.

    Shorter ones are padded on the right, with log-probabilities of zero. The score of a live hypothesis is its
    log P(Y | X); that of a finished one is divided by the length penalty.
    """

    tokens: Int[Tensor, "batch size length"]
    log_probabilities: Float[Tensor, "batch size length"]
    scores: Float[Tensor, "batch size"]

    @classmethod
    def empty(cls, batch: int, size: int, device: torch.device) -> "Beam":
        """No tokens, and every place empty."""
        tokens = torch.empty(batch, size, 0, dtype=torch.int64, device=device)
        scores = torch.full((batch, size), -torch.inf, dtype=torch.float64, device=device)
        return cls(tokens, torch.empty_like(tokens, dtype=torch.float64), scores)

    @classmethod
    def initial(cls, batch: int, size: int, device: torch.device) -> "Beam":
        """One live hypothesis without tokens; with `size` equal ones every candidate would be found `size` times."""
        beam = cls.empty(batch, size, device)
        beam.scores[:, 0] = 0.0
        return beam

    def extend(
        self, parents: Int[Tensor, "batch new"], tokens: Int[Tensor, "batch new"], added: Float[Tensor, "batch new"]
    ) -> "Beam":
        """Hypotheses that extend these by one token; `parents` says which, by place in the sentence."""
        kept = self.take(parents)
        return Beam(
            torch.cat([kept.tokens, tokens.unsqueeze(2)], dim=2),
            torch.cat([kept.log_probabilities, added.unsqueeze(2)], dim=2),
            kept.scores + added,
        )

    def only(self, places: Bool[Tensor, "batch size"]) -> "Beam":
        """The same with every other place empty."""
        return replace(self, scores=self.scores.masked_fill(~places, -torch.inf))

    def take(self, places: Int[Tensor, "batch new"]) -> "Beam":
        """The hypotheses at these places, in this order."""
        return Beam(_take(self.tokens, places), _take(self.log_probabilities, places), self.scores.gather(1, places))

    def merge(self, other: "Beam", size: int) -> "Beam":
        """The best `size` of both; ties go to this beam."""
        missing = other.tokens.shape[2] - self.tokens.shape[2]
        both = Beam(
            torch.cat([torch.nn.functional.pad(self.tokens, (0, missing), value=PAD), other.tokens], dim=1),
            torch.cat([torch.nn.functional.pad(self.log_probabilities, (0, missing)), other.log_probabilities], dim=1),
            torch.cat([self.scores, other.scores], dim=1),
        )
        return both.take(best_first(both.scores, size))

    def scaled(self, penalty: float) -> "Beam":
        """The same with every score divided by the length penalty."""
        return replace(self, scores=self.scores / penalty)

    def listed(self) -> list[list[Hypothesis]]:
        """The hypotheses as Python values, without padding and empty places."""
        everything = zip(self.tokens.tolist(), self.log_probabilities.tolist(), self.scores.tolist(), strict=True)
        return [
            [
                _hypothesis(tokens, log_probabilities, score)
                for tokens, log_probabilities, score in zip(*sentence, strict=True)
                if score > -torch.inf
            ]
            for sentence in everything
        ]


def _hypothesis(tokens: list[int], log_probabilities: list[float], score: float) -> Hypothesis:
    length = len(tokens) - tokens.count(PAD)
    written = tuple(log_probabilities[:length])
    return Hypothesis(tuple(tokens[:length]), sum(written), score, written, finished=tokens[length - 1] == EOS)


def _take(values: Tensor, places: Int[Tensor, "batch new"]) -> Tensor:
    return values.gather(1, places.unsqueeze(2).expand(-1, -1, values.shape[2]))


@torch.inference_mode()
def beam_search(
    model: Transducer[Any, Any],
    source: Sequences,
    config: BeamConfig,
    prefix: Sequences | None = None,
    rules: OutputConstraint | None = None,
) -> list[list[Hypothesis]]:
    """The n-best list of every source, in the order of the sources; each list has the best first.

    Every output begins with the tokens of its `prefix` and keeps to the `rules`. Unfinished outputs are returned only
    where none ends within the length limit.
    """
    assert not model.training, "dropout would make the search random: call model.eval() first"
    if not len(source):
        return []
    constraints = Constraints.of(model, source, config.extra_length, prefix, config.unscored_prefix)
    batch, size, device = len(source), config.size, source.tokens.device
    results: list[list[Hypothesis]] = [[] for _ in range(batch)]

    memory = model.encode(source)
    sentences = torch.arange(batch, device=device)  # the source that each row of the beams belongs to
    state = model.start(memory).select(sentences.repeat_interleave(size))
    alive, finished = Beam.initial(batch, size, device), Beam.empty(batch, size, device)
    reads = torch.full((batch * size,), BOS, device=device)
    rules = rules if rules is None else rules.branch(size)

    for length in count(1):
        check_search()
        logits, state = model.step(reads, state)
        log_probabilities = constraints.log_probabilities(logits, position=length - 1)
        if rules is not None:
            allowed = rules.allowed(constraints.limits - (length - 1)).flatten(0, 1)
            log_probabilities = log_probabilities.masked_fill(~allowed, -torch.inf)
        alive, ended, parents = _extend(alive, log_probabilities, config.ending)
        finished = finished.merge(ended.scaled(config.penalty(length)), size)

        at_limit = constraints.limits == length
        done = at_limit | _complete(alive, finished, constraints.limits, config)
        if config.limit_finishes:
            cut = alive.only(at_limit.unsqueeze(1).expand_as(alive.scores))
            finished = finished.merge(cut.scaled(config.penalty(length)), size)
        rows = (~done).nonzero().squeeze(1)
        if len(rows) < len(done):
            leaving = done.nonzero().squeeze(1)
            outputs = _hypotheses(alive.select(leaving), finished.select(leaving), config)
            for sentence, hypotheses in zip(sentences[leaving].tolist(), outputs, strict=True):
                results[sentence] = hypotheses
            if not len(rows):
                break
            # A sentence that is done leaves the batch, so that it costs nothing from here on.
            alive, finished, constraints = alive.select(rows), finished.select(rows), constraints.select(rows)
            sentences, parents = sentences[rows], parents[rows]
            rules = rules if rules is None else rules.select(rows)
        if size > 1 or len(rows) < len(done):
            state = state.select((rows.unsqueeze(1) * size + parents).flatten())
        reads = alive.tokens[:, :, -1].flatten()
        rules = rules if rules is None else rules.follow(parents, alive.tokens[:, :, -1])

    return [
        hypotheses[: config.nbest] for hypotheses in rerank_by_coverage(model, source, memory, results, config.coverage)
    ]


def _extend(
    alive: Beam, log_probabilities: Float[Tensor, "rows vocabulary"], ending: int
) -> tuple[Beam, Beam, Int[Tensor, "batch size"]]:
    """The hypotheses that stay alive, those of the best `ending` that ended, and the parent of each live one.

    Ties are broken by the order of the parents, then of the token ids.
    """
    batch, size = alive.scores.shape
    tokens, added = shortlist(log_probabilities, alive.scores.flatten(), 2 * size)
    listed = tokens.shape[1]
    tokens, added = tokens.view(batch, size * listed), added.view(batch, size * listed)
    best = best_first(alive.scores.repeat_interleave(listed, dim=1) + added, 2 * size)
    parents = best // listed
    candidates = alive.extend(parents, tokens.gather(1, best), added.gather(1, best))

    ends = candidates.tokens[:, :, -1] == EOS
    # The sort is stable: first all that continue, in their order, then all that end. The latter are among the first
    # `size` only where the vocabulary is so small that fewer than `size` continue, and then as empty places.
    continuing = ends.long().argsort(dim=1, stable=True)[:, :size]
    counted = ends & (torch.arange(ends.shape[1], device=ends.device) < ending)
    return candidates.only(~ends).take(continuing), candidates.only(counted), parents.gather(1, continuing)


def _complete(alive: Beam, finished: Beam, limits: Int[Tensor, " batch"], config: BeamConfig) -> Bool[Tensor, " batch"]:
    """Sentences in which no live hypothesis can still displace the finished one that the stop rule looks at.

    log P is never positive and only falls as an output grows, and the penalty is largest at the length limit: no
    extension of Y scores above log P(Y) / lp(limit). With the rule "returned", stopping here gives the same outputs as
    searching to the limit.
    """
    bound = best_reachable(alive.scores, config.bounding_penalty(alive.tokens.shape[2], limits))
    return on_grid(deciding_score(finished.scores, config)) >= bound


def best_reachable(
    alive: Float[Tensor, "batch size"], penalty: float | Float[Tensor, " batch"]
) -> Float[Tensor, " batch"]:
    """The best score that live hypotheses with these log P can still reach, by the penalty of the stop rule."""
    return on_grid(alive.amax(dim=1).clamp(max=ALMOST_CERTAIN) / penalty)


def deciding_score(finished: Float[Tensor, "batch size"], config: BeamConfig) -> Float[Tensor, " batch"]:
    """The score that no live hypothesis must be able to beat; minus infinity where there is none yet.

    `finished` are the scores of finished hypotheses, best first, minus infinity in empty places.
    """
    if config.deciding:
        return finished[:, config.deciding - 1]
    worst = finished.masked_fill(finished.isneginf(), torch.inf).amin(dim=1)
    return worst.masked_fill(worst.isinf(), -torch.inf)


def _hypotheses(alive: Beam, finished: Beam, config: BeamConfig) -> list[list[Hypothesis]]:
    """The finished hypotheses of each sentence or, where there are none, the unfinished ones at its limit."""
    ended = finished.listed()
    unfinished = alive.scaled(config.penalty(alive.tokens.shape[2])).listed()
    results = [(first or second)[: config.final] for first, second in zip(ended, unfinished, strict=True)]
    if not all(results):
        raise impossible()
    return results


def rerank_by_coverage(
    model: Transducer[Any, Any], source: Sequences, memory: Any, results: list[list[Hypothesis]], beta: float
) -> list[list[Hypothesis]]:
    """The same outputs ranked by log P / lp + cp; one forced pass over all of them gives the attention weights."""
    if not beta:
        return results
    device = source.tokens.device
    rows = torch.tensor([row for row, found in enumerate(results) for _ in found], device=device)
    target = Sequences.of([hypothesis.tokens for found in results for hypothesis in found], device)
    weights = model.align(target, memory.select(rows))
    penalties = iter(coverage_penalty(weights, target.mask, source.mask[rows], beta).tolist())
    reranked = []
    for found in results:
        penalised = [replace(hypothesis, score=hypothesis.score + next(penalties)) for hypothesis in found]
        scores = torch.tensor([[hypothesis.score for hypothesis in penalised]], dtype=torch.float64)
        reranked.append([penalised[place] for place in best_first(scores, len(penalised))[0].tolist()])
    return reranked
