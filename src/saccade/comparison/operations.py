"""Floating point operations per target token, counted while a model runs."""

from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from saccade.data.batches import evaluation_batches
from saccade.data.prepared_corpus import Prepared
from saccade.layers.initialisation import skip_init
from saccade.models.catalogue import build
from saccade.models.contract import Transducer
from saccade.sequences import Pairs

_TOKENS = 96


@dataclass(frozen=True)
class Operations:
    """Floating point operations of matrix products for each target token: reading alone, and learning from it."""

    forward: float
    training: float


def operations(model: Transducer[Any, Any], pairs: Pairs) -> Operations:
    """Counts one pass forward and back over these pairs; an addition and a multiplication are two operations."""
    with torch.enable_grad():
        with FlopCounterMode(display=False) as forward:
            logits = model.logits(model.teacher_forced(pairs)[1])
        with FlopCounterMode(display=False) as backward:
            loss = functional.cross_entropy(logits.flatten(0, 1), pairs.target.tokens.flatten())
            loss.backward()  # type: ignore[no-untyped-call]
    model.zero_grad()
    there, back = forward.get_total_flops(), backward.get_total_flops()
    return Operations(there / pairs.target.total, (there + back) / pairs.target.total)


def operations_of(architecture: str, config: Any, prepared: Prepared) -> Operations:
    """Counts them for a model on sentences of middling length of its own validation text."""
    with skip_init():
        model = build(architecture, config, prepared.source_tokenizer.size, prepared.target_tokenizer.size)
    # The weights are uninitialised memory, so they are set to zero. In single precision torch's recurrent kernels are
    # one operation to a counter, which cannot see the products inside; in double precision they run step by step.
    model = model.double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    return operations(model, _middling(prepared))


def _middling(prepared: Prepared) -> Pairs:
    batches = sum(1 for _ in evaluation_batches(prepared.valid, _TOKENS))
    _, pairs = next(islice(evaluation_batches(prepared.valid, _TOKENS), batches // 2, None))
    return pairs
