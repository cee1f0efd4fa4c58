"""What a model has besides attention: states and gates of recurrent layers, and windows of convolutions."""

from typing import Any

from torch import Tensor

from saccade.tracing.forward_passes import ForwardPasses, ModuleRecord, Stack
from saccade.tracing.tensors import TraceTensors


def recurrent(passes: ForwardPasses, tensors: TraceTensors) -> dict[str, Any] | None:
    """The states after each position of each recurrent layer, and its gates.

    Rows are in the order of reading; `order` gives their positions in the source unless that is left to right.
    """
    layers = []
    names: dict[str, str] = {}
    stacks: tuple[tuple[Stack, dict[str, ModuleRecord]], ...] = (
        ("encoder", passes.encoder),
        ("decoder", passes.decoder),
    )
    for stack, records in stacks:
        found = [record for record in records.values() if record.has("states")]
        for number, record in enumerate(found):
            values = record.values
            owner = f"recurrent.{stack}.{number}"
            held = tensors.put(owner, "states", values["states"][0], "position width")
            gates: Tensor | None = values.get("gates")
            gate_names = list(values["gate_names"])
            if gates is not None:
                apart = gates[0].view(len(gates[0]), len(gate_names), -1).transpose(0, 1)
                held |= tensors.put(owner, "gates", apart, "gate position width")
            order = values.get("order")
            layers.append(
                {
                    "id": f"{stack[:3]}.{number}.rnn",
                    "stack": stack,
                    "layer": number,
                    "axis": "source" if stack == "encoder" else "reads",
                    "order": None if order is None else [int(place) for place in order.flatten()],
                    "gates": gate_names,
                    "tensors": held,
                }
            )
            names.setdefault(stack, held["states"])
    return {"layers": layers, "tensors": names} if layers else None


def convolutions(passes: ForwardPasses) -> dict[str, Any] | None:
    """The kernel width of each convolution, layer by layer, and how many of its positions come before the current."""
    found: dict[str, list[dict[str, int]]] = {}
    for stack, records in (("encoder", passes.encoder), ("decoder", passes.decoder)):
        windows = [
            {"kernel": call["kernel"], "before": call["reaches_back"]}
            for record in records.values()
            if record.has("kernel")
            for call in record.calls
        ]
        if windows:
            found[stack] = windows
    if not found:
        return None
    kernels = [window["kernel"] for window in next(iter(found.values()))]
    return {"kernel": kernels, "layers": len(kernels), "stacks": found}
