"""The forward passes of one sentence, and what the modules of the model recorded during each.

    encode      the source, once
    decode      the target, all positions at once
    steps       the same target, one position at a time, as a search decodes it

Nothing here depends on the architecture. A module says itself what it computes; it belongs to the stack in whose pass
it ran; and it attends to the target, not to the source, if its keys grow from step to step.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from saccade.attention.recording import Told, tracing
from saccade.cancellation import Cancellation
from saccade.models.contract import Memory, Transducer
from saccade.sequences import Sequences

Stack = Literal["encoder", "decoder"]
# Named values with a row for each query, and the axis of the queries. Of anything else the last call's value is kept.
QUERY_AXIS = {"weights": 2, "query": 2, "context": 2, "scores": 2, "mask": 1, "concat": 1, "out": 1, "hidden": 1}
QUERY_AXIS |= {"inputs": 1, "before": 1, "update": 1, "sum": 1, "normalised": 1, "token": 1, "position": 1}
QUERY_AXIS |= {"states": 1, "gates": 1, "centre": 1}
QUERY_AXIS |= {"q_hidden": 2}
# Of these the last axis is that of the keys, and grows from call to call where the keys do.
KEY_LAST = ("weights", "scores", "mask")
# Recorded step by step, to be compared with the pass over all positions at once.
STEPWISE = ("weights", "causal", "latest")
# Recorded once before the first call, and valid for all calls.
BEFOREHAND = {"keys", "order"}


@dataclass
class ModuleRecord:
    """What one module recorded: its calls, and the residual connection around it."""

    name: str
    calls: list[dict[str, Any]] = field(default_factory=list)
    beforehand: dict[str, Any] = field(default_factory=dict)
    residual_calls: list[dict[str, Any]] = field(default_factory=list)

    @property
    def values(self) -> dict[str, Any]:
        """The values of all calls, joined along the queries."""
        return {**self.beforehand, **joined(self.calls)}

    @property
    def residual(self) -> dict[str, Any]:
        """The values of the residual connection around it; empty where there is none."""
        return joined(self.residual_calls)

    def has(self, *names: str) -> bool:
        """Whether it recorded these values."""
        return bool(self.calls) and all(name in self.calls[0] for name in names)


@dataclass(frozen=True)
class ForwardPasses:
    """What was recorded in each pass, by module in the order in which they first ran; and the outputs."""

    encoder: dict[str, ModuleRecord]
    decoder: dict[str, ModuleRecord]
    steps: dict[str, ModuleRecord]
    memory: Memory
    states: Float[Tensor, "reads width"]
    logits: Float[Tensor, "reads vocabulary"]
    step_logits: Float[Tensor, "reads vocabulary"]

    def is_self_attention(self, name: str, source_length: int) -> bool:
        """Whether an attention of the decoder attends to the target, and not to the source."""
        if name not in self.steps:  # it ran before the first step
            return False
        calls = self.steps[name].calls
        if calls[0].get("causal", False) or calls[0].get("latest", False):
            return True
        counts = [call["weights"].shape[-1] for call in calls]
        return len(set(counts)) > 1 or counts[0] != source_length


@torch.no_grad()
def run(
    model: Transducer[Any, Any],
    source: Sequence[int],
    target: Sequence[int],
    cancellation: Cancellation | None = None,
) -> ForwardPasses:
    """All three passes over one sentence."""
    cancellation = cancellation or Cancellation()
    assert not model.training, "dropout would change the numbers: call model.eval() first"
    device = device_of(model)
    read = Sequences.of([source], device)
    reads = Sequences.of([target], device).reads
    with tracing(model) as encoding:
        memory = model.encode(read)
    with tracing(model) as decoding:
        states = model.states(reads, memory)
        logits = model.logits(states)
    rows = []
    with tracing(model, only=STEPWISE) as stepping:
        state = model.start(memory)
        for token in reads.tokens.unbind(1):
            cancellation.check()
            scores, state = model.step(token, state)
            rows.append(scores)
    return ForwardPasses(
        encoder=by_module(encoding),
        decoder=by_module(decoding),
        steps=by_module(stepping),
        memory=memory,
        states=states[0],
        logits=logits[0],
        step_logits=torch.cat(rows),
    )


def device_of(model: Transducer[Any, Any]) -> torch.device:
    """The device of a model; an n-gram model has buffers and no parameters."""
    return next(iter([*model.parameters(), *model.buffers()])).device


def by_module(calls: Iterable[Told]) -> dict[str, ModuleRecord]:
    """Calls by module; a residual connection records right after the sub-layer it is around, and belongs to it."""
    found: dict[str, ModuleRecord] = {}
    latest: ModuleRecord | None = None
    for one in calls:
        if not one.what:
            continue
        if "update" in one.what:
            if latest is not None:
                latest.residual_calls.append(one.what)
            latest = None  # the sub-layer inside the next residual connection may record nothing
            continue
        latest = found.setdefault(one.name, ModuleRecord(one.name))
        if set(one.what) <= BEFOREHAND:
            latest.beforehand |= one.what
        else:
            latest.calls.append(one.what)
    return found


def joined(calls: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Several calls as one with all their queries; where keys were added between calls, earlier rows are padded."""
    if not calls:
        return {}
    merged = dict(calls[-1])
    for name, axis in QUERY_AXIS.items():
        rows = [call[name] for call in calls if name in call]
        if not rows or not isinstance(rows[0], Tensor):
            continue
        if name in KEY_LAST:
            if merged.get("latest"):
                rows = _by_position(rows, axis)
            longest = max(row.shape[-1] for row in rows)
            rows = [functional.pad(row, (0, longest - row.shape[-1])) for row in rows]
        merged[name] = torch.cat(rows, dim=axis)
    return merged


def _by_position(rows: list[Tensor], axis: int) -> list[Tensor]:
    """Rows whose last column is the query's own position, shifted so that column 0 is position 0."""
    placed = []
    before = 0
    for row in rows:
        before += row.shape[axis]
        missing = before - row.shape[-1]
        placed.append(functional.pad(row, (missing, 0)) if missing > 0 else row[..., -before:])
    return placed
