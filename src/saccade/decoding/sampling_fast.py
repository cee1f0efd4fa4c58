"""The fast twin of `sampling.py`: it draws the same outputs; that file is the one to read.

Each sentence is a beam of one, so that a state may write its keys and values in place instead of copying all of them
at every step. Sentences that are complete stay in the batch, ignored, until a quarter of it is complete.
"""

from collections.abc import Sequence
from typing import Any

import torch

from saccade.decoding.constraints import Constraints, OutputConstraint
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.sampling import (
    SamplingConfig,
    check_generators,
    draw,
    hypothesis_of,
    uniform_numbers,
    weights_of,
)
from saccade.models.contract import Transducer
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS


@torch.inference_mode()
def fast_sample(
    model: Transducer[Any, Any],
    source: Sequences,
    config: SamplingConfig,
    generators: Sequence[torch.Generator],
    prefix: Sequences | None = None,
    rules: OutputConstraint | None = None,
) -> list[list[Hypothesis]]:
    """The outputs of `sample`, faster."""
    check_generators(model, source, generators)
    if not len(source):
        return []
    constraints = Constraints.of(model, source, config.extra_length, prefix, config.unscored_prefix)
    device, capacity = source.tokens.device, int(constraints.limits.max())
    draws = uniform_numbers(constraints.limits.tolist(), generators).to(device)
    results: list[list[Hypothesis]] = [[] for _ in generators]

    sentences = torch.arange(len(source), device=device)
    state = model.start(model.encode(source)).branch(len(source), 1, capacity)
    reads = torch.full_like(sentences, BOS)
    tokens = source.tokens.new_zeros(len(source), capacity)
    written = torch.zeros_like(tokens, dtype=torch.float64)
    ends = torch.zeros_like(sentences)  # the length at which a sentence was complete; 0 before that

    for length in range(1, capacity + 1):
        logits, state = model.step(reads, state)
        log_probabilities = constraints.log_probabilities(logits, position=length - 1)
        if rules is not None:
            allowed = rules.allowed(constraints.limits - (length - 1)).squeeze(1)
            log_probabilities = log_probabilities.masked_fill(~allowed, -torch.inf)
        reads = draw(weights_of(log_probabilities, config), draws[:, length - 1])
        tokens[:, length - 1] = reads
        written[:, length - 1] = log_probabilities.gather(1, reads.unsqueeze(1)).squeeze(1)
        if rules is not None:
            rules = rules.follow(torch.zeros_like(reads).unsqueeze(1), reads.unsqueeze(1))

        over = (reads == EOS) | (constraints.limits == length)
        ends = torch.where(over & (ends == 0), length, ends)
        left = (ends == 0).nonzero().squeeze(1)
        if len(left) > _SHRINK_BELOW * len(ends):
            continue
        leaving = ends.nonzero().squeeze(1)
        outputs = (each[leaving].tolist() for each in (sentences, ends, tokens, written))
        for sentence, end, own, log_probability in zip(*outputs, strict=True):
            results[sentence] = [hypothesis_of(own[:end], log_probability[:end])]
        if not len(left):
            return results
        state, constraints = state.keep(left, 1), constraints.select(left)
        rules = rules if rules is None else rules.select(left)
        sentences, reads, draws, ends = sentences[left], reads[left], draws[left], ends[left]
        tokens, written = tokens[left], written[left]
    raise AssertionError("unreachable: every sentence ends at its limit")


# The share of sentences not yet complete below which the batch is made smaller.
_SHRINK_BELOW = 0.75
