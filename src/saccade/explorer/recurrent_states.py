"""What a model has besides attention: states of recurrences with their gates, and windows of convolutions."""

from typing import Any

from torch import Tensor

from saccade.explorer.passes import Part, Passes, Stack
from saccade.explorer.tensors import Shelf


def recurrent(passes: Passes, shelf: Shelf) -> dict[str, Any] | None:
    """The states after each position of each recurrence, and how far its gates were open.

    Rows are in the order of reading, and `order` says where in the source that was, if it was not from left to right.
    """
    layers = []
    tensors: dict[str, str] = {}
    stacks: tuple[tuple[Stack, dict[str, Part]], ...] = (("encoder", passes.encoder), ("decoder", passes.decoder))
    for stack, told in stacks:
        found = [part for part in told.values() if part.tells("states")]
        for number, part in enumerate(found):
            what = part.what
            owner = f"recurrent.{stack}.{number}"
            held = shelf.put(owner, "states", what["states"][0], "position width")
            gates: Tensor | None = what.get("gates")
            names = list(what["gate_names"])
            if gates is not None:
                apart = gates[0].view(len(gates[0]), len(names), -1).transpose(0, 1)
                held |= shelf.put(owner, "gates", apart, "gate position width")
            order = what.get("order")
            layers.append(
                {
                    "id": f"{stack[:3]}.{number}.rnn",
                    "stack": stack,
                    "layer": number,
                    "axis": "source" if stack == "encoder" else "reads",
                    "order": None if order is None else [int(place) for place in order.flatten()],
                    "gates": names,
                    "tensors": held,
                }
            )
            tensors.setdefault(stack, held["states"])
    return {"layers": layers, "tensors": tensors} if layers else None


def convolutions(passes: Passes) -> dict[str, Any] | None:
    """How many positions each convolution sees, layer by layer, and how many of them before the present one."""
    found: dict[str, list[dict[str, int]]] = {}
    for stack, told in (("encoder", passes.encoder), ("decoder", passes.decoder)):
        windows = [
            {"kernel": call["kernel"], "before": call["reaches_back"]}
            for part in told.values()
            if part.tells("kernel")
            for call in part.calls
        ]
        if windows:
            found[stack] = windows
    if not found:
        return None
    kernels = [window["kernel"] for window in next(iter(found.values()))]
    return {"kernel": kernels, "layers": len(kernels), "stacks": found}
