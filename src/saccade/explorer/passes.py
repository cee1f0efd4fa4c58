"""A model at work on one sentence, and everything its modules told meanwhile.

    encode      the source, once
    decode      the target that was found or given, all positions at once
    steps       the same target, a position at a time, as a search has it

Nothing here knows which model runs. What a module is, it says itself; which stack it belongs to is when it spoke; and
whether it looks at the source or at what was written shows in the steps: what was written grows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from saccade.attention.recording import Told, tracing
from saccade.models.contract import Memory, Transducer
from saccade.sequences import Sequences

Stack = Literal["encoder", "decoder"]
# Named values with a row for each query; the axis of the queries. Anything else stays as it was told last.
QUERY_AXIS = {"weights": 2, "query": 2, "context": 2, "scores": 2, "mask": 1, "concat": 1, "out": 1, "hidden": 1}
QUERY_AXIS |= {"inputs": 1, "before": 1, "update": 1, "sum": 1, "normalised": 1, "token": 1, "position": 1}
QUERY_AXIS |= {"states": 1, "gates": 1, "centre": 1}
QUERY_AXIS |= {"q_hidden": 2}
# Of these the last axis is that of the keys, and grows from call to call where the keys do.
KEY_LAST = ("weights", "scores", "mask")
# What is compared with the pass over all positions at once.
STEPWISE = ("weights", "causal", "latest")
# What is told before the first call, and holds for all of them.
BEFOREHAND = {"keys", "order"}


@dataclass
class Part:
    """A module that told something, the calls in which it did, and the wiring around it."""

    name: str
    calls: list[dict[str, Any]] = field(default_factory=list)
    beforehand: dict[str, Any] = field(default_factory=dict)
    wirings: list[dict[str, Any]] = field(default_factory=list)

    @property
    def what(self) -> dict[str, Any]:
        """What all calls told, one after another."""
        return {**self.beforehand, **joined(self.calls)}

    @property
    def wiring(self) -> dict[str, Any]:
        """What the wiring around it told; empty where there is none."""
        return joined(self.wirings)

    def tells(self, *names: str) -> bool:
        """Whether it told of these."""
        return bool(self.calls) and all(name in self.calls[0] for name in names)


@dataclass(frozen=True)
class Passes:
    """What was told in each phase, by module in the order in which they first spoke; and what came out."""

    encoder: dict[str, Part]
    decoder: dict[str, Part]
    steps: dict[str, Part]
    memory: Memory
    states: Float[Tensor, "reads width"]
    logits: Float[Tensor, "reads vocabulary"]
    step_logits: Float[Tensor, "reads vocabulary"]

    def looks_back(self, name: str, source_length: int) -> bool:
        """Whether an attention of the decoder looks at what was written, and not at the source."""
        if name not in self.steps:  # it looked before anything was written
            return False
        calls = self.steps[name].calls
        if calls[0].get("causal", False) or calls[0].get("latest", False):
            return True
        counts = [call["weights"].shape[-1] for call in calls]
        return len(set(counts)) > 1 or counts[0] != source_length


@torch.no_grad()
def run(model: Transducer[Any, Any], source: Sequence[int], target: Sequence[int]) -> Passes:
    """All three passes over one sentence."""
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
            scores, state = model.step(token, state)
            rows.append(scores)
    return Passes(
        encoder=parts(encoding),
        decoder=parts(decoding),
        steps=parts(stepping),
        memory=memory,
        states=states[0],
        logits=logits[0],
        step_logits=torch.cat(rows),
    )


def device_of(model: Transducer[Any, Any]) -> torch.device:
    """Where a model is; one that counts has no parameters, but tables."""
    return next(iter([*model.parameters(), *model.buffers()])).device


def parts(told: Iterable[Told]) -> dict[str, Part]:
    """By module; a wiring speaks right after the sub-layer it is around, and belongs to it."""
    found: dict[str, Part] = {}
    latest: Part | None = None
    for one in told:
        if not one.what:
            continue
        if "update" in one.what:
            if latest is not None:
                latest.wirings.append(one.what)
            latest = None  # a wiring around something that tells nothing belongs to nobody
            continue
        latest = found.setdefault(one.name, Part(one.name))
        if set(one.what) <= BEFOREHAND:
            latest.beforehand |= one.what
        else:
            latest.calls.append(one.what)
    return found


def joined(calls: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Calls with a few queries each as one call with all of them; where keys were added, early queries saw fewer."""
    if not calls:
        return {}
    together = dict(calls[-1])
    for name, axis in QUERY_AXIS.items():
        rows = [call[name] for call in calls if name in call]
        if not rows or not isinstance(rows[0], Tensor):
            continue
        if name in KEY_LAST:
            if together.get("latest"):
                rows = _by_position(rows, axis)
            longest = max(row.shape[-1] for row in rows)
            rows = [functional.pad(row, (0, longest - row.shape[-1])) for row in rows]
        together[name] = torch.cat(rows, dim=axis)
    return together


def _by_position(rows: list[Tensor], axis: int) -> list[Tensor]:
    """Of queries whose last column is their own position, each with the column of position 0 first."""
    placed = []
    before = 0
    for row in rows:
        before += row.shape[axis]
        missing = before - row.shape[-1]
        placed.append(functional.pad(row, (missing, 0)) if missing > 0 else row[..., -before:])
    return placed
