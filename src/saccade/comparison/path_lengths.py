"""How far a signal travels through a computation, measured while a model runs.

Two lengths are followed, operation by operation:

    chain           the longest chain of dependent operations: what no parallel hardware can shorten
    path length     for each number, the fewest operations between it and a chosen input, as in Table 1

Operations that count multiply two tensors or apply a nonlinear function. Moving, adding, selecting and scaling by a
constant are free, so that neither length depends on how the tensors are arranged.

There are no rules for single operations. Whether a number depends on those at a distance of at most d is found by
changing these, running the operation again, and comparing the results. So a weight that a mask has made zero lets
nothing through, as it should, and a new model needs no new rule. Numbers are identified by their place in memory, which
covers views and in-place writes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from jaxtyping import Bool, Int
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

UNREACHED = torch.iinfo(torch.int32).max

# What is free: moving, adding, comparing and selecting, creating. Views are free because they compute nothing.
_FREE_NAMES = (
    "_local_scalar_dense _to_copy _unsafe_view cat clone constant_pad_nd copy embedding expand flip gather index "
    "index_copy index_put index_select lift_fresh_copy masked_scatter masked_select pad reflection_pad1d repeat "
    "repeat_interleave roll scatter select_scatter slice_scatter squeeze stack swapaxes t tile transpose unsqueeze add "
    "cumsum index_add mean neg rsub scatter_add sub sum all amax amin any argmax bitwise_and bitwise_not bitwise_or eq "
    "ge gt index_fill le logical_and logical_not logical_or lt masked_fill max maximum min minimum ne nonzero one_hot "
    "sort topk tril triu where arange empty empty_like empty_strided fill full full_like new_empty new_empty_strided "
    "new_full new_ones new_zeros ones ones_like scalar_tensor zero zeros zeros_like"
)
_FREE = frozenset(_FREE_NAMES.split())
_SCALING = frozenset({"mul", "div"})


class PathTracker(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Inside this mode, every computed number has its distance from the marked input, and its chain."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._lengths: dict[int, Int[Tensor, " numbers"]] = {}
        self._noise: dict[int, Tensor] = {}
        self._chains: dict[int, Int[Tensor, " numbers"]] = {}
        self._alive: list[Tensor] = []  # an address must not be given to another tensor while this runs
        self._generator = torch.Generator().manual_seed(1)

    def mark(self, tensor: Tensor, *place: int) -> None:
        """Distances are counted from this number of the tensor."""
        self._shadow(self._lengths, tensor, UNREACHED)[place] = 0

    def path_length(self, tensor: Tensor) -> int | None:
        """The fewest operations between the marked input and any of these numbers; None if nothing connects them."""
        found = self._distances(tensor)
        least = UNREACHED if found is None or not found.numel() else int(found.min())
        return None if least == UNREACHED else least

    def chain(self, tensor: Tensor) -> int:
        """The longest chain of operations that ends in this tensor."""
        if _address(tensor) not in self._chains or not tensor.numel():
            return 0
        return int(self._shadow(self._chains, tensor, 0).max())

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],  # noqa: ARG002 given by torch
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Runs the operation, and computes distance and chain of its results."""
        given = (tuple(args), dict(kwargs or {}))
        written = _written(func, given)
        if _is_view(func):
            return func(*given[0], **given[1])
        cost = _cost(func, given)
        inputs = [leaf for leaf in tree_leaves(given) if isinstance(leaf, Tensor)]
        known = {id(tensor): self._distances(tensor) for tensor in inputs}
        distances = {key: value.clone() for key, value in known.items() if value is not None and value.numel()}
        reached = sorted(
            {int(value) for found in distances.values() for value in found.flatten().tolist()} - {UNREACHED}
        )
        # Before it runs: it may write to what it is given, and even turn its axes around.
        noise = {id(tensor): self._noise_of(tensor) for tensor in inputs if id(tensor) in distances and reached}
        before = {id(tensor): tensor.clone() for tensor in written} if reached else {}
        longest = max((self.chain(tensor) for tensor in inputs), default=0)

        result = func(*given[0], **given[1])
        results = [leaf for leaf in tree_leaves(result) if isinstance(leaf, Tensor)]
        outputs = [*results, *(tensor for tensor in written if not any(tensor is one for one in results))]
        for output in outputs:
            self._shadow(self._chains, output, 0).fill_(longest + cost)
        nearest = [torch.full(output.shape, UNREACHED, dtype=torch.int32) for output in outputs]
        for distance in reached:
            near = {key: (found <= distance, noise[key]) for key, found in distances.items()}
            changed = _changed(func, given, near, before, outputs)
            for found, differs in zip(nearest, changed, strict=True):
                found[differs] = found[differs].clamp(max=distance + cost)
        for output, found in zip(outputs, nearest, strict=True):
            if reached or _address(output) in self._lengths:
                self._shadow(self._lengths, output, UNREACHED).copy_(found)
        return result

    def _noise_of(self, tensor: Tensor) -> Tensor:
        """What is added to each number: the same wherever the same memory is read."""
        key = _address(tensor)
        if key not in self._noise:
            self._alive.append(tensor)
            signs = torch.randint(0, 2, (_numbers(tensor),), generator=self._generator) * 2 - 1
            self._noise[key] = signs * (1 + torch.rand(len(signs), generator=self._generator, dtype=torch.float64))
        return self._noise[key].as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())

    def _shadow(self, kept: dict[int, Int[Tensor, " numbers"]], tensor: Tensor, start: int) -> Int[Tensor, "..."]:
        """What is known of each number of a tensor, in a memory of the same layout."""
        key = _address(tensor)
        if key not in kept:
            self._alive.append(tensor)
            kept[key] = torch.full((_numbers(tensor),), start, dtype=torch.int32)
        return kept[key].as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())

    def _distances(self, tensor: Tensor) -> Int[Tensor, "..."] | None:
        return self._shadow(self._lengths, tensor, UNREACHED) if _address(tensor) in self._lengths else None


def _changed(
    func: Callable[..., Any],
    given: tuple[tuple[Any, ...], dict[str, Any]],
    near: Mapping[int, tuple[Bool[Tensor, "..."], Tensor]],
    before: Mapping[int, Tensor],
    outputs: Sequence[Tensor],
) -> Iterator[Bool[Tensor, "..."]]:
    """Which results change when everything near is changed; `before` holds what was overwritten in place."""
    copies: dict[int, Tensor] = {}

    def disturbed(leaf: Any) -> Any:
        if not isinstance(leaf, Tensor):
            return leaf
        if id(leaf) not in copies:
            copy = before.get(id(leaf), leaf)
            if id(leaf) in near:
                chosen, noise = near[id(leaf)]
                copy = torch.where(chosen, _other(copy, noise), copy)
            copies[id(leaf)] = copy.clone() if id(leaf) in before else copy
        return copies[id(leaf)]

    again = func(*tree_map(disturbed, given[0]), **tree_map(disturbed, given[1]))
    leaves = [leaf for leaf in tree_leaves(again) if isinstance(leaf, Tensor)]
    leaves += [copies[id(one)] for one in outputs[len(leaves) :]]
    for output, other in zip(outputs, leaves, strict=True):
        yield ~((output == other) | ((output != output) & (other != other)))


def _address(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _numbers(tensor: Tensor) -> int:
    return tensor.untyped_storage().nbytes() // tensor.element_size()


def _other(values: Tensor, noise: Tensor) -> Tensor:
    """Values that differ from these; a token becomes another one, a truth value its opposite."""
    if values.dtype == torch.bool:
        return ~values
    return values + noise.to(values.dtype) if values.is_floating_point() else values ^ 1


def _is_view(func: Any) -> bool:
    """Whether the result only looks at the memory of an argument."""
    returns = [one.alias_info for one in func._schema.returns]
    return bool(returns) and all(one is not None and not one.is_write for one in returns)


def _written(func: Any, given: tuple[tuple[Any, ...], dict[str, Any]]) -> list[Tensor]:
    """The arguments an operation writes to."""
    found: list[Tensor] = []
    for place, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = given[0][place] if place < len(given[0]) else given[1].get(argument.name)
            found += [leaf for leaf in tree_leaves(value) if isinstance(leaf, Tensor)]
    return found


def _cost(func: Any, given: tuple[tuple[Any, ...], dict[str, Any]]) -> int:
    name = func._schema.name.split("::")[1].removesuffix("_")
    if name in _SCALING:
        factors = [leaf for leaf in tree_leaves(given) if isinstance(leaf, Tensor)]
        return int(len(factors) == 2 and all(one.numel() > 1 and one.is_floating_point() for one in factors))
    return int(name not in _FREE)
