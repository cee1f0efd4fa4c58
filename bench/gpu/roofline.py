"""The roofline on a GPU: the model's matrix products alone, in bfloat16."""

import statistics

import torch

from bench.workload import Product, Size, decoder_products

_REPEATS = 10


def training_roofline(products: list[Product], rows: int) -> dict:
    """One step over `rows` target positions: each product forward and its two gradients; milliseconds and FLOPs."""
    milliseconds, operations = 0.0, 0
    for product in products:
        given, weight, output = (
            torch.randn(shape, device="cuda", dtype=torch.bfloat16)
            for shape in (
                (product.rows, product.inner),
                (product.inner, product.outer),
                (product.rows, product.outer),
            )
        )

        def once(given=given, weight=weight, output=output):
            given @ weight
            output @ weight.t()
            given.t() @ output

        milliseconds += product.times * _median_milliseconds(once)
        operations += 3 * product.operations
    return {
        "ms": milliseconds,
        "tflop": operations / 1e12,
        "tflops": operations / milliseconds / 1e9,
        "tokens_per_second": rows / milliseconds * 1e3,
    }


def decoding_roofline(size: Size, rows: int, length: int) -> dict:
    """`length` decoder steps over `rows` hypotheses: weights of their own for each layer, one CUDA graph a step."""
    weights = [
        torch.randn(product.inner, product.outer, device="cuda", dtype=torch.bfloat16)
        for product in decoder_products(size, 1)
        for _ in range(product.times)
    ]
    inputs = {
        inner: torch.randn(rows, inner, device="cuda", dtype=torch.bfloat16) for inner in (size.width, size.inner)
    }

    def once():
        for weight in weights:
            inputs[weight.shape[0]] @ weight

    once()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        once()
    return {"ms": length * _median_milliseconds(graph.replay)}


def _median_milliseconds(work) -> float:
    for _ in range(3):
        work()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(_REPEATS + 1)]
    events[0].record()
    for event in events[1:]:
        work()
        event.record()
    torch.cuda.synchronize()
    return statistics.median(one.elapsed_time(other) for one, other in zip(events, events[1:], strict=False))
