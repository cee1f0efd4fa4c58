"""A step whose loss was not finite: saved in full, and replayed to find the operation that went wrong."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from saccade.json_files import checked
from saccade.models.contract import Transducer
from saccade.sequences import Packed, Packing, Pairs, Sequences
from saccade.tensor_files import STATE, read_state, read_tensors, write_sealed
from saccade.training.config import TrainingConfig
from saccade.training.distributed import World
from saccade.training.objective import Objective
from saccade.training.seeds import reseed
from saccade.weights import restore_weights, weights_of


@dataclass(frozen=True)
class StepContext:
    """What a step depends on besides weights and batch: seed of dropout, smoothing, precision, device, process.

    `about` is what the caller of the loop said about the model, enough to build it again. The fields are keys of the
    saved file.
    """

    step: int
    seed: int
    smoothing: float
    autocast: bool
    device: str
    rank: int
    processes: int
    about: Mapping[str, Any]

    @classmethod
    def of(
        cls, step: int, config: TrainingConfig, world: World, about: Mapping[str, Any], autocast: bool
    ) -> "StepContext":
        """The context of a step of this process."""
        return cls(
            step=step,
            seed=config.seed,
            smoothing=config.label_smoothing,
            autocast=autocast,
            device=world.device.type,
            rank=world.rank,
            processes=world.size,
            about=about,
        )


@dataclass(frozen=True)
class Origin:
    """The first operation that made values that are not finite out of finite ones, and the module it ran in."""

    operation: str
    module: str
    phase: str
    micro_batch: int
    values: str


@dataclass(frozen=True)
class ReplayReport:
    """What a replay found: weights that were not finite before the step, or the operation that went wrong."""

    step: int
    weights: tuple[str, ...]
    origin: Origin | None

    def __str__(self) -> str:
        if self.weights:
            return f"step {self.step}: these weights were not finite before it: {', '.join(self.weights)}."
        if self.origin is None:
            return f"step {self.step}: every value is finite here. Replay it on the kind of device it ran on."
        place = f"in module `{self.origin.module}`" if self.origin.module else "outside the model's modules"
        return (
            f"step {self.step}, micro-batch {self.origin.micro_batch}: the first value that is not finite"
            f" ({self.origin.values}) comes from `{self.origin.operation}` {place}, in the {self.origin.phase} pass."
        )


def write_replay(folder: Path, model: nn.Module, micro_batches: Sequence[Pairs], context: StepContext) -> None:
    """Saves the weights before the update, the micro-batches and the context of a step."""
    batch = {
        f"{number}/{side}/{part}": tensor
        for number, pairs in enumerate(micro_batches)
        for side in ("source", "target")
        for part, tensor in _parts(getattr(pairs, side)).items()
    }
    write_sealed(folder, {"weights": weights_of(model), "batch": batch}, {"circumstances": asdict(context)})


def replay(
    folder: Path,
    build: Callable[[Mapping[str, Any], Mapping[str, Tensor]], Transducer[Any, Any]],
    device: torch.device = torch.device("cpu"),  # noqa: B008 - a constant, not a call with effects
) -> ReplayReport:
    """Takes the step again and checks the result of every operation, forward and backward.

    `build` gets what the run said about its model and the weights, and returns a model for them. The search
    stops at the first micro-batch in which something is found.
    """
    context = checked(StepContext, read_state(folder).get("circumstances"), folder / STATE)
    weights, batch = read_tensors(folder, "weights"), read_tensors(folder, "batch")
    not_finite = tuple(sorted(name for name, tensor in weights.items() if not _is_finite(tensor)))
    if not_finite:
        return ReplayReport(context.step, not_finite, None)
    model = build(context.about, weights)
    restore_weights(model, weights)
    objective = Objective(model.to(device).train(), context.smoothing, context.autocast)
    for number in range(len({name.split("/")[0] for name in batch})):
        origin = _origin(objective, _pairs(batch, number).to(device), context, number)
        if origin:
            return ReplayReport(context.step, (), origin)
    return ReplayReport(context.step, (), None)


def _parts(sentences: Sequences | Packed) -> dict[str, Tensor]:
    """The tensors of one side, by the names under which they are saved."""
    if isinstance(sentences, Sequences):
        return {"tokens": sentences.tokens, "lengths": sentences.lengths}
    packing = sentences.packing
    where = {"positions": sentences.positions, "offsets": packing.offsets, "sentence": packing.sentence}
    return {"tokens": sentences.tokens, **where}


def _pairs(batch: Mapping[str, Tensor], number: int) -> Pairs:
    source, target = (_sentences(batch, f"{number}/{side}/") for side in ("source", "target"))
    return Pairs(source, target)


def _sentences(batch: Mapping[str, Tensor], place: str) -> Sequences | Packed:
    if place + "lengths" in batch:
        return Sequences(batch[place + "tokens"], batch[place + "lengths"])
    packing = Packing(batch[place + "offsets"], batch[place + "sentence"])
    return Packed(batch[place + "tokens"], batch[place + "positions"], packing)


def _origin(objective: Objective, pairs: Pairs, context: StepContext, number: int) -> Origin | None:
    reseed(context.seed, context.step, number * context.processes + context.rank)
    objective.zero_grad(set_to_none=True)
    detector = _NonFiniteDetector()
    with _tracked_modules(objective.model, detector), detector:
        loss = objective(pairs)
        detector.phase = "backward"
        (loss.smoothed / max(1, pairs.target.total)).backward()
    if detector.found is None:
        return None
    operation, module, phase, values = detector.found
    return Origin(operation, module, phase, number, values)


@contextmanager
def _tracked_modules(model: nn.Module, detector: "_NonFiniteDetector") -> Iterator[None]:
    """Within it, the detector knows which module is running."""
    handles = []
    for name, module in model.named_modules():
        handles.append(module.register_forward_pre_hook(partial(detector.enter, name)))
        handles.append(module.register_forward_hook(detector.leave))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


class _NonFiniteDetector(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Checks every result of every operation until one is not finite although its inputs were.

    -inf is how masks exclude positions, so an operation that only copies constants may write it. Memory that is
    allocated but not yet filled holds anything.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.path: list[str] = []
        self.phase = "forward"
        self.found: tuple[str, str, str, str] | None = None

    def enter(self, name: str, *_: Any) -> None:
        self.path.append(name)

    def leave(self, *_: Any) -> None:
        self.path.pop()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # noqa: ARG002
        # An in-place operation overwrites its own inputs, so they are checked first.
        before = _kinds((args, kwargs)) if self.found is None else set()
        result = func(*args, **(kwargs or {}))
        if self.found is None:
            name = func.overloadpacket.__name__.lstrip("_")
            new = _kinds(result) - before
            if name.startswith(("empty", "new_empty")):
                new = set()
            if name.startswith(("masked_fill", "full", "fill", "where", "scalar_tensor", "constant", "new_full")):
                new -= {"-inf"}
            if new:
                module = self.path[-1] if self.path else ""
                self.found = (f"aten.{func.overloadpacket.__name__}", module, self.phase, " and ".join(sorted(new)))
        return result


def _kinds(values: Any) -> set[str]:
    kinds: set[str] = set()
    for value in tree_leaves(values):
        if isinstance(value, Tensor) and value.is_floating_point() and not _is_finite(value):
            kinds |= {"nan"} if bool(value.isnan().any()) else set()
            kinds |= {"inf"} if bool(value.isposinf().any()) else set()
            kinds |= {"-inf"} if bool(value.isneginf().any()) else set()
    return kinds


def _is_finite(tensor: Tensor) -> bool:
    return not tensor.is_floating_point() or bool(tensor.isfinite().all())
