"""What a computation costs: multiply-adds, the longest chain of dependent operations, and seconds."""

from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Any

from jaxtyping import Float
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode


def multiply_adds(compute: Callable[[], Any]) -> int:
    """The multiplications of all matrix products, each with its addition, that the call performs."""
    counter = FlopCounterMode(display=False)
    with counter:
        compute()
    return int(counter.get_total_flops()) // 2


def products(compute: Callable[[], Any]) -> dict[str, int]:
    """The same by kind of product: `mm` and `addmm` with a weight, `bmm` of two computed tensors."""
    counter = FlopCounterMode(display=False)
    with counter:
        compute()
    counts: dict[str, int] = {}
    for operation, flops in counter.get_flop_counts()["Global"].items():
        counts[str(operation).removeprefix("aten.")] = int(flops) // 2
    return counts


def longest_chain(result: Float[Tensor, "*shape"]) -> int:
    """The longest chain of operations from an input to `result`, each of which needs the one before it.

    Read from autograd's graph. No amount of parallel hardware makes it shorter.
    """
    depth: dict[Any, int] = {}
    stack = [result.grad_fn]
    while stack:
        node = stack[-1]
        before = [parent for parent, _ in node.next_functions if parent is not None] if node is not None else []
        unknown = [parent for parent in before if parent not in depth]
        if unknown:
            stack.extend(unknown)
            continue
        depth[node] = 1 + max((depth[parent] for parent in before), default=0)
        stack.pop()
    return depth[result.grad_fn]


def fewest_products(result: Float[Tensor, "*shape"], start: Float[Tensor, "*shape_of_start"]) -> int:
    """The fewest matrix products on any path from the leaf `start` to `result`."""
    frontier, distance = deque([(result.grad_fn, 0)]), {}
    while frontier:
        node, products_so_far = frontier.popleft()
        if node is None or node in distance:
            continue
        if getattr(node, "variable", None) is start:
            return products_so_far
        distance[node] = products_so_far
        is_product = any(name in node.name() for name in ("AddmmBackward", "MmBackward", "BmmBackward"))
        for before, _ in node.next_functions:
            # Edges that cost nothing are followed first, so that a node is reached by its shortest path.
            if is_product:
                frontier.append((before, products_so_far + 1))
            else:
                frontier.appendleft((before, products_so_far))
    raise AssertionError("the two are not connected")


def seconds(compute: Callable[[], Any], repeats: int) -> float:
    """The time of the fastest of several calls; the others were disturbed."""
    times = []
    for _ in range(repeats):
        began = perf_counter()
        compute()
        times.append(perf_counter() - began)
    return min(times)
