"""Sampling with temperature, top-k and top-p; with `top_k` 1, greedy decoding."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from saccade.decoding.constraints import Constraints, OutputConstraint, check_lengths, impossible
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.ranking import on_grid
from saccade.errors import ConfigError, InputError
from saccade.models.contract import Transducer
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS


@dataclass(frozen=True)
class SamplingConfig:
    """How to sample; the defaults sample from the model's own distribution.

    `temperature` divides the logits: below 1, likely tokens become more likely. `top_k` keeps the k most probable
    tokens (0: all); `top_p` (nucleus sampling) keeps the fewest most probable ones whose probabilities add up to it.
    `extra_length` and `unscored_prefix` are those of `BeamConfig`.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    extra_length: int = 50
    unscored_prefix: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.temperature < float("inf"):
            raise ConfigError(
                f"`temperature` must be above 0, but is {self.temperature}. "
                "For the most probable token every time set `top_k` to 1; "
                "for a more probable output use beam search, of size 1 or more."
            )
        if self.top_k < 0:
            raise ConfigError(f"`top_k` must be 0 or more, but is {self.top_k}. Use 0 for all tokens.")
        if not 0 < self.top_p <= 1:
            raise ConfigError(f"`top_p` must be above 0 and at most 1, but is {self.top_p}. Use 1 for all tokens.")
        check_lengths(self.extra_length, self.unscored_prefix)


@torch.inference_mode()
def sample(
    model: Transducer[Any, Any],
    source: Sequences,
    config: SamplingConfig,
    generators: Sequence[torch.Generator],
    prefix: Sequences | None = None,
    rules: OutputConstraint | None = None,
) -> list[list[Hypothesis]]:
    """One output for every source, after its prefix and by the rules, if there are any; its score is its log P.

    Each sentence has its own generator, so its output does not depend on the rest of the batch. The log-probabilities
    are the model's, whatever the temperature: they say how likely the output is, not how it was sampled.
    """
    check_generators(model, source, generators)
    if not len(source):
        return []
    constraints = Constraints.of(model, source, config.extra_length, prefix, config.unscored_prefix)
    device = source.tokens.device
    draws = uniform_numbers(constraints.limits.tolist(), generators).to(device)
    results: list[list[Hypothesis]] = [[] for _ in generators]

    sentences = torch.arange(len(source), device=device)
    state = model.start(model.encode(source))
    reads = torch.full_like(sentences, BOS)
    tokens = source.tokens.new_zeros(len(source), 0)
    written = torch.zeros_like(tokens, dtype=torch.float64)

    for length in count(1):
        logits, state = model.step(reads, state)
        log_probabilities = constraints.log_probabilities(logits, position=length - 1)
        if rules is not None:
            allowed = rules.allowed(constraints.limits - (length - 1)).squeeze(1)
            log_probabilities = log_probabilities.masked_fill(~allowed, -torch.inf)
        reads = draw(weights_of(log_probabilities, config), draws[:, length - 1])
        added = log_probabilities.gather(1, reads.unsqueeze(1)).double()
        tokens, written = torch.cat([tokens, reads.unsqueeze(1)], dim=1), torch.cat([written, added], dim=1)

        if rules is not None:
            rules = rules.follow(torch.zeros_like(reads).unsqueeze(1), reads.unsqueeze(1))
        done = (reads == EOS) | (constraints.limits == length)
        rows = (~done).nonzero().squeeze(1)
        if len(rows) == len(done):
            continue
        leaving = done.nonzero().squeeze(1)
        for sentence, *output in zip(
            sentences[leaving].tolist(), tokens[leaving].tolist(), written[leaving].tolist(), strict=True
        ):
            results[sentence] = [hypothesis_of(*output)]
        if not len(rows):
            return results
        state, constraints = state.select(rows), constraints.select(rows)
        rules = rules if rules is None else rules.select(rows)
        sentences, reads, draws = sentences[rows], reads[rows], draws[rows]
        tokens, written = tokens[rows], written[rows]
    raise AssertionError("unreachable: every sentence ends at its limit")


def check_generators(model: Transducer[Any, Any], source: Sequences, generators: Sequence[torch.Generator]) -> None:
    """There must be one for each source, and nothing else that is random."""
    assert not model.training, "dropout would be sampled as well: call model.eval() first"
    if len(generators) != len(source):
        raise InputError(
            f"`generators` must be one per source, but there are {len(generators)} for {len(source)} sources. "
            "Seed one for each sentence."
        )


def draw(weights: Float[Tensor, "batch vocabulary"], draws: Float[Tensor, " batch"]) -> Int[Tensor, " batch"]:
    """Inverts the cumulative distribution, in order of token ids, at numbers drawn uniformly from [0, 1).

    In this fixed order a rounding error matters only for a draw exactly on a boundary; in order of probability, two
    tokens of nearly equal probability could swap places and with them all their draws.
    """
    cumulative = weights.cumsum(dim=1)
    total = cumulative[:, -1:]
    places = torch.searchsorted(cumulative, draws.unsqueeze(1) * total, right=True)
    last = (cumulative < total).sum(dim=1, keepdim=True)  # the product can be rounded up to the total
    return torch.minimum(places, last).squeeze(1)


def weights_of(
    log_probabilities: Float[Tensor, "batch vocabulary"], config: SamplingConfig
) -> Float[Tensor, "batch vocabulary"]:
    """Unnormalised probabilities after temperature, zero outside top k and top p."""
    tempered = (log_probabilities.double() / config.temperature).softmax(dim=1)
    if not config.top_k and config.top_p == 1:
        return tempered
    order = on_grid(log_probabilities).sort(dim=1, descending=True, stable=True).indices
    ranked = tempered.gather(1, order)
    kept = ranked.cumsum(dim=1) - ranked < config.top_p  # the tokens before it do not yet add up to top_p
    if config.top_k:
        kept[:, config.top_k :] = False
    return torch.zeros_like(tempered).scatter(1, order, ranked * kept)


def uniform_numbers(limits: list[int], generators: Sequence[torch.Generator]) -> Float[Tensor, "batch length"]:
    """A uniform number for every position up to the limit of each sentence, from its own generator; then zeros."""
    numbers = torch.zeros(len(limits), max(limits), dtype=torch.float64)
    for row, limit, generator in zip(numbers, limits, generators, strict=True):
        row[:limit] = torch.rand(limit, generator=generator, dtype=torch.float64)
    return numbers


def hypothesis_of(tokens: list[int], written: list[float]) -> Hypothesis:
    """An output and the log P of each of its tokens; an error where it is impossible."""
    total = sum(written)
    if not total > -torch.inf:
        raise impossible()
    return Hypothesis(tuple(tokens), total, total, tuple(written), finished=tokens[-1] == EOS)
