"""Weights, gradients and the optimizer's memory divided among the processes: FSDP2, for models too large for one.

Zhao et al. 2023, "PyTorch FSDP". Each process keeps 1/n of every tensor. A layer's weights are gathered when it is
about to compute and let go afterwards, forward and again backward; its gradients are summed straight into shares.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import deepcopy
from typing import Any, cast, get_args

import torch
from torch import Tensor, distributed, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map_only

from saccade.models.contract import Transducer
from saccade.sequences import EOS, UNK, Packed, Pairs, Sequences
from saccade.tensor_files import full_tensors
from saccade.training.activation_checkpointing import stacked
from saccade.training.distributed import World
from saccade.training.objective import Objective
from saccade.training.optimizer import moments_of
from saccade.training.out_of_memory import Room
from saccade.training.packing import packed
from saccade.training.placement import Duty, Placement
from saccade.weights import weights_of

_DUTIES: tuple[Duty, ...] = get_args(Duty)


class Sharded(Placement):
    """Every process has a share of all weights. The model that was given stays whole, and stays behind.

    The first process brings it up to date when it validates. A batch that does not fit cannot be taken in halves
    here: each pass gathers weights, so all processes must make the same number of passes.
    """

    def __init__(self, objective: Objective, world: World) -> None:
        self.world = world
        self.given = objective.model
        trained = deepcopy(objective).to(world.device)
        self.model = trained.model
        self.room = Room()
        mesh = init_device_mesh(world.device.type, (world.size,))
        for unit in (*units(trained), trained):
            unit.register_forward_hook(_no_view)
            fully_shard(unit, mesh=mesh)
        self.objective = trained

    @contextmanager
    def quietly(self, quiet: bool) -> Iterator[None]:
        """Gradients are summed in full until the last micro-batch, which divides them."""
        objective = cast(FSDPModule, self.objective)
        objective.set_requires_gradient_sync(not quiet)
        yield
        objective.set_requires_gradient_sync(True)

    def wary(self, micro_batches: Sequence[Pairs]) -> bool:  # noqa: ARG002
        """It would not help."""
        return False

    def exchange(self) -> None:
        """Backward has done it."""

    @contextmanager
    def whole(self) -> Iterator[Transducer[Any, Any]]:
        """The given model with the weights as they are now; the shares are gathered one tensor at a time."""
        self.summon("weights")
        self.given.to(self.world.device)
        self.hand_back()
        yield self.given
        self.given.to("cpu")

    def hand_back(self) -> None:
        """Gathers the shares into the given model."""
        own = weights_of(self.given)
        for name, tensor in full_tensors(weights_of(self.model)):
            own[name].copy_(tensor)

    def attended(self, optimizer: torch.optim.Optimizer) -> AbstractContextManager[None]:
        """The others gather along until the first process has left the block."""
        return self._attended(optimizer)

    @contextmanager
    def _attended(self, optimizer: torch.optim.Optimizer) -> Iterator[None]:
        while not self.world.first and (duty := self._exchanged("nothing")) != "nothing":
            needed = [weights_of(self.model)] + ([moments_of(optimizer, self.model)] if duty == "checkpoint" else [])
            for tensors in needed:
                for _ in full_tensors(tensors):
                    pass
        yield
        if self.world.first:
            self._exchanged("nothing")

    def summon(self, duty: Duty) -> None:
        """Tells the others what to gather next."""
        self._exchanged(duty)

    def _exchanged(self, duty: Duty) -> Duty:
        number = torch.tensor(_DUTIES.index(duty))
        distributed.broadcast(number, src=0)
        return _DUTIES[int(number)]


def units(objective: Objective) -> list[nn.Module]:
    """The parts of a model that can be gathered one after another, whichever model it is.

    The weights of a part are only there while its `forward` runs, so a part is a layer all of whose weights are used
    there and nowhere else; where a layer is not such (a decoder may project the source before its layers run), its
    parts may be. What is left over belongs to no unit and is gathered for the whole pass. Which is which is seen by
    watching a pass over a pair of two tokens, in each layout the model reads: on another device, or where nothing is
    learned, other code may run.
    """
    witness = _Witness()
    owners: dict[nn.Parameter, set[nn.Module]] = {}
    handles = []
    for module in objective.modules():
        handles.append(module.register_forward_pre_hook(witness.enter))
        handles.append(module.register_forward_hook(witness.leave))
        for parameter in module.parameters(recurse=False):
            owners.setdefault(parameter, set()).add(module)
    device = next(objective.parameters()).device
    with torch.enable_grad(), witness:
        for side in _sides(objective.model.packs):
            objective(Pairs(side, side).to(device))
    for handle in handles:
        handle.remove()

    def alone(module: nn.Module) -> bool:
        inside, parameters = set(module.modules()), list(module.parameters())
        return (
            module not in witness.odd
            and any(parameter.ndim > 1 for parameter in parameters)
            and all(
                module in witness.within.get(parameter, ()) and owners[parameter] <= inside for parameter in parameters
            )
        )

    def found(module: nn.Module) -> list[nn.Module]:
        return [module] if alone(module) else [unit for child in module.children() for unit in found(child)]

    return [unit for layer in stacked(objective) for unit in found(layer)]


def _sides(packs: bool) -> list[Sequences | Packed]:
    """One sentence of two tokens in a row of its own, and in a row it could share."""
    padded = Sequences.of([[UNK, EOS]])
    return [padded, packed(padded)] if packs else [padded]


class _Witness(TorchFunctionMode):
    """Sees for each parameter which modules were at work whenever it was used, and which results are no tensor.

    FSDP finds the way back through a module by its result, and looks for it in tensors only.
    """

    def __init__(self) -> None:
        super().__init__()
        self.working: list[nn.Module] = []
        self.within: dict[nn.Parameter, set[nn.Module]] = {}
        self.odd: set[nn.Module] = set()

    def enter(self, module: nn.Module, *_: Any) -> None:
        self.working.append(module)

    def leave(self, module: nn.Module, _: Any, result: Any) -> None:
        self.working.pop()
        if not isinstance(result, Tensor):
            self.odd.add(module)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # noqa: ARG002
        for value in tree_leaves((args, kwargs)):
            if isinstance(value, nn.Parameter):
                now = set(self.working)
                self.within[value] = self.within.get(value, now) & now
        return func(*args, **(kwargs or {}))


def _no_view(_module: nn.Module, _arguments: Any, result: Any) -> Any:
    """The way back is found by a hook on the result, which an operation in place on a view would lose."""
    return tree_map_only(Tensor, lambda tensor: tensor if tensor._base is None else tensor.clone(), result)
