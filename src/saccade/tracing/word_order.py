"""What an encoder makes of the same words in another order.

Attention ignores where a key stands. Without positions, the states of shuffled words are the shuffled states: sorted
back, they differ by rounding only, and so does the one vector that a classifier makes of them. With positions they
differ.
"""

from collections.abc import Sequence
from typing import Any

import torch

from saccade.errors import ConfigError
from saccade.models.contract import Transducer
from saccade.sequences import Sequences
from saccade.tracing.encoder_output import EncoderOutput, encoder_output
from saccade.tracing.forward_passes import device_of
from saccade.tracing.what_if import WhatIf, changed_model

SEED = 1


@torch.no_grad()
def shuffled(model: Transducer[Any, Any], source: Sequence[int]) -> dict[str, Any] | None:
    """The largest difference between what is made of words and of shuffled words, with and without positions.

    States are sorted back first. None for a model that adds no positions, or for fewer than two words: the last token,
    which ends the sentence, stays where it is.
    """
    if len(source) < 3:
        return None
    try:
        without = changed_model(model, WhatIf(name="no-positions"), source)
    except ConfigError:
        return None
    order = another_order(len(source))
    return {
        "order": order,
        "with_positions": _difference(model, source, order),
        "without_positions": _difference(without, source, order),
    }


def another_order(length: int) -> list[int]:
    """A random order of all positions but the last, never the original one."""
    generator = torch.Generator().manual_seed(SEED)
    places = [int(place) for place in torch.randperm(length - 1, generator=generator)]
    if places == sorted(places):
        places = [*places[1:], places[0]]
    return [*places, length - 1]


def _difference(model: Transducer[Any, Any], source: Sequence[int], order: Sequence[int]) -> float | None:
    before = _output(model, source)
    after = _output(model, [source[place] for place in order])
    if before.states is None or after.states is None:
        return None
    expected = before.states[list(order)] if before.kind == "list" else before.states
    return float((expected - after.states).abs().max())


def _output(model: Transducer[Any, Any], source: Sequence[int]) -> EncoderOutput:
    return encoder_output(model, model.encode(Sequences.of([source], device_of(model))), list(source))
