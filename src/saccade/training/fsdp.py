"""Weights, gradients and optimizer state sharded over the processes: FSDP2, for models too large for one device.

Zhao et al. 2023, "PyTorch FSDP". Each process keeps 1/n of every tensor. A layer's weights are gathered just before it
runs and freed afterwards, forward and again backward; its gradients are reduce-scattered into shards.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, cast, get_args

import torch
from torch import Tensor, distributed, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map_only

from saccade.data.packed import pack
from saccade.models.capabilities import reads_packed
from saccade.models.contract import Transducer
from saccade.sequences import Packed, Pairs, Sequences
from saccade.special_tokens import EOS, UNK
from saccade.tensor_files import full_tensors
from saccade.training.activation_checkpointing import layers_of
from saccade.training.distributed import World
from saccade.training.objective import Objective
from saccade.training.optimizer import optimizer_state
from saccade.training.out_of_memory import MemoryLimits
from saccade.training.placement import Gather, Placement
from saccade.weights import weights_of

_GATHERS: tuple[Gather, ...] = get_args(Gather)


class Sharded(Placement):
    """Every process has a shard of all weights. The model that was given keeps all of them, but falls behind.

    The first process brings it up to date when it validates. A batch that does not fit into memory cannot be halved
    here: each pass gathers weights, so all processes must make the same number of passes.
    """

    def __init__(self, objective: Objective, world: World) -> None:
        self.world = world
        self.given = objective.model
        trained = deepcopy(objective).to(world.device)
        self.model = trained.model
        self.memory_limits = MemoryLimits()
        mesh = init_device_mesh(world.device.type, (world.size,))
        for unit in (*units(trained), trained):
            unit.register_forward_hook(_no_view)
            fully_shard(unit, mesh=mesh)
        self.objective = trained

    @contextmanager
    def no_sync(self, skip: bool) -> Iterator[None]:
        """Gradients stay unsharded until the last micro-batch, whose backward reduce-scatters them."""
        objective = cast(FSDPModule, self.objective)
        objective.set_requires_gradient_sync(not skip)
        yield
        objective.set_requires_gradient_sync(True)

    def syncs_after_backward(self, micro_batches: Sequence[Pairs]) -> bool:  # noqa: ARG002
        """Never: batches are not halved here."""
        return False

    def all_reduce_gradients(self) -> None:
        """Nothing to do: backward has synced them."""

    @contextmanager
    def full_model(self) -> Iterator[Transducer[Any, Any]]:
        """The given model with the current weights; the shards are gathered one tensor at a time."""
        self.request_gather("weights")
        self.given.to(self.world.device)
        self.gather_weights()
        yield self.given
        self.given.to("cpu")

    def gather_weights(self) -> None:
        """Gathers the shards into the given model."""
        own = weights_of(self.given)
        for name, tensor in full_tensors(weights_of(self.model)):
            own[name].copy_(tensor)

    @contextmanager
    def joining_gathers(self, optimizer: torch.optim.Optimizer) -> Iterator[None]:
        """The other processes take part in gathers until the first one leaves the block."""
        while not self.world.first and (what := self._broadcast("nothing")) != "nothing":
            needed = [weights_of(self.model)]
            if what == "checkpoint":
                needed.append(optimizer_state(optimizer, self.model))
            for tensors in needed:
                for _ in full_tensors(tensors):
                    pass
        yield
        if self.world.first:
            self._broadcast("nothing")

    def request_gather(self, what: Gather) -> None:
        """Tells the other processes what to gather next."""
        self._broadcast(what)

    def _broadcast(self, what: Gather) -> Gather:
        number = torch.tensor(_GATHERS.index(what))
        distributed.broadcast(number, src=0)
        return _GATHERS[int(number)]


def units(objective: Objective) -> list[nn.Module]:
    """The modules that can be gathered one after another, for any model.

    The weights of a unit exist only while its `forward` runs, so a unit is a layer all of whose weights are used there
    and nowhere else. Where a layer is not (a decoder may project the source before its layers run), its parts may be.
    What is left over belongs to no unit and is gathered for the whole pass. Units are found by observing a pass over a
    pair of two tokens, in each layout the model reads.
    """
    observer = _ParameterUse()
    owners: dict[nn.Parameter, set[nn.Module]] = {}
    handles = []
    for module in objective.modules():
        handles.append(module.register_forward_pre_hook(observer.enter))
        handles.append(module.register_forward_hook(observer.leave))
        for parameter in module.parameters(recurse=False):
            owners.setdefault(parameter, set()).add(module)
    device = next(objective.parameters()).device
    with torch.enable_grad(), observer:
        for side in _sides(reads_packed(objective.model)):
            objective(Pairs(side, side).to(device))
    for handle in handles:
        handle.remove()
    return [unit for layer in layers_of(objective) for unit in _units_within(layer, observer, owners)]


def _units_within(
    module: nn.Module, observer: "_ParameterUse", owners: Mapping[nn.Parameter, set[nn.Module]]
) -> list[nn.Module]:
    inside, parameters = set(module.modules()), list(module.parameters())
    if (
        module not in observer.not_tensors
        and any(parameter.ndim > 1 for parameter in parameters)
        and all(
            module in observer.within.get(parameter, ()) and owners[parameter] <= inside for parameter in parameters
        )
    ):
        return [module]
    return [unit for child in module.children() for unit in _units_within(child, observer, owners)]


def _sides(packs: bool) -> list[Sequences | Packed]:
    """One sentence of two tokens, padded and, where the model reads that, packed."""
    padded = Sequences.of([[UNK, EOS]])
    return [padded, pack(padded)] if packs else [padded]


class _ParameterUse(TorchFunctionMode):
    """Observes which modules run whenever a parameter is used, and which results hold more than tensors.

    FSDP finds its place in the backward pass by the tensors in the result of a module.
    """

    def __init__(self) -> None:
        super().__init__()
        self.running: list[nn.Module] = []
        self.within: dict[nn.Parameter, set[nn.Module]] = {}
        self.not_tensors: set[nn.Module] = set()

    def enter(self, module: nn.Module, *_: Any) -> None:
        self.running.append(module)

    def leave(self, module: nn.Module, _: Any, result: Any) -> None:
        self.running.pop()
        if not all(isinstance(leaf, Tensor) for leaf in tree_leaves(result)):
            self.not_tensors.add(module)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # noqa: ARG002
        for value in tree_leaves((args, kwargs)):
            if isinstance(value, nn.Parameter):
                now = set(self.running)
                self.within[value] = self.within.get(value, now) & now
        return func(*args, **(kwargs or {}))


def _no_view(_module: nn.Module, _arguments: Any, result: Any) -> Any:
    """FSDP puts its backward hook on the result, which an in-place operation on a view would lose."""
    return tree_map_only(Tensor, lambda tensor: tensor if tensor._base is None else tensor.clone(), result)
