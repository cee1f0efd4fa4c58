"""T15: Table 1 of the Transformer's paper, counted instead of quoted."""

from collections.abc import Sequence

import torch
from torch import Generator, Tensor, nn

from saccade.attention.recording import recording
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.curve_fitting import exponent
from saccade.claims.measuring.gradients import influence, layers_between
from saccade.claims.measuring.operation_counts import fewest_products, longest_chain, products
from saccade.claims.measuring.plots import tick_only
from saccade.layers.vaswani_table_1 import KINDS, Layer, Table1Sizes, attention_layer, multiply_adds

LENGTHS, WIDTHS = (32, 64, 128, 256), (16, 32, 64, 128)
MIDDLE = 32
KERNEL, WINDOW = 5, 3
REACHES = (5, 11, 17)


def countable_layer(kind: str, width: int) -> Layer:
    """One layer of each row of the table, of operations whose multiply-adds and dependencies can be counted.

    Those of `layers/vaswani_table_1.py`, but with an unrolled LSTM cell and a convolution without a gate, as in the
    table.
    """
    match kind:
        case "recurrent":
            cell = nn.LSTMCell(width, width)
            return lambda x: torch.stack(unrolled(cell, x.unbind(dim=1)), dim=1)
        case "convolutional":
            convolution = nn.Conv1d(width, width, KERNEL, padding=KERNEL // 2)
            return lambda x: convolution(x.transpose(1, 2)).transpose(1, 2)
    attention, attend = attention_layer(width, 1, WINDOW if kind == "restricted" else None)

    def recorded(x: Tensor) -> Tensor:
        with recording(attention):
            return attend(x)

    # While it is recorded, full attention consists of plain products, which can be counted. Restricted attention is
    # not recorded, because its explicit form computes the whole matrix and masks most of it.
    return attend if kind == "restricted" else recorded


def unrolled(cell: nn.LSTMCell, tokens: Sequence[Tensor]) -> list[Tensor]:
    """The states of a recurrent network, one after the other."""
    hidden, states = (tokens[0].new_zeros(tokens[0].shape),) * 2, []
    for token in tokens:
        hidden = cell(token, hidden)
        states.append(hidden[0])
    return states


def measure(generator: Generator, progress: Progress) -> Findings:
    """Multiply-adds against length and width, chain against length, and layers between the ends of a sentence."""
    found: Findings = {}
    for done, kind in enumerate(KINDS):
        by_length = [_count(kind, length, MIDDLE, generator) for length in LENGTHS]
        by_width = [_count(kind, MIDDLE, width, generator) for width in WIDTHS]
        for part in ("mixing", "whole"):
            found[f"{kind}, {part} by length"] = [count[part] for count in by_length]
            found[f"{kind}, {part} by width"] = [count[part] for count in by_width]
        found[f"{kind}, chain"] = [count["chain"] for count in by_length]
        found[f"{kind}, path"] = [_path(kind, length, generator) for length in REACHES]
        progress((done + 1) / len(KINDS))
    return found


def _count(kind: str, length: int, width: int, generator: Generator) -> dict[str, float]:
    states, network = torch.randn(1, length, width, generator=generator), countable_layer(kind, width)
    with torch.no_grad():
        counts = products(lambda: network(states))
    whole = sum(counts.values())
    # The products of two computed things are what the table counts for attention; projections come on top.
    mixing = counts.get("bmm", 0) if "attention" in kind or kind == "restricted" else whole
    return {"whole": float(whole), "mixing": float(mixing), "chain": float(longest_chain(network(states).sum()))}


def _path(kind: str, length: int, generator: Generator) -> float:
    """Layers between first and last position; for recurrence, the products between them.

    Those of a tanh network: an LSTM's cell gets from step to step without a product, though not without a step.
    """
    states = torch.randn(1, length, 8, generator=generator)
    if kind != "recurrent":
        return float(layers_between(influence(countable_layer(kind, 8), states), 0, length - 1))
    cell, tokens = nn.RNNCell(8, 8), states.unbind(dim=1)
    first = tokens[0].clone().requires_grad_()
    hidden: Tensor = cell(first)
    for token in tokens[1:]:
        hidden = cell(token, hidden)
    return float(fewest_products(hidden, first))


def judge(measured: Measured) -> Judgement:
    """The formulas exactly, the exponents within 0.1, chains constant or linear, paths as the table has them."""
    d, n = MIDDLE, LENGTHS[-1]
    sizes = Table1Sizes(width=d, kernel=KERNEL)
    whole = {kind: measured.curve(f"{kind}, whole by length")[-1] for kind in KINDS[:3]}
    formulas = {
        "self-attention": multiply_adds("self-attention", n, sizes),
        "recurrent": multiply_adds("recurrent", n, sizes),
        "convolutional": multiply_adds("convolutional", n, sizes) // 2,  # without a gate
    }
    exponents = {
        kind: (
            exponent(LENGTHS, measured.curve(f"{kind}, mixing by length")),
            exponent(WIDTHS, measured.curve(f"{kind}, mixing by width")),
        )
        for kind in KINDS
    }
    table = {"self-attention": (2, 1), "recurrent": (1, 2), "convolutional": (1, 2), "restricted": (1, 1)}
    paths = {
        "self-attention": [1.0 for _ in REACHES],
        "recurrent": [float(length) for length in REACHES],
        "convolutional": [float(-(-2 * (length - 1) // (KERNEL - 1))) for length in REACHES],
        "restricted": [float(-(-(length - 1) // WINDOW)) for length in REACHES],
    }
    chains = {kind: exponent(LENGTHS, measured.curve(f"{kind}, chain")) for kind in KINDS}
    passed = (
        all(whole[kind] == formulas[kind] for kind in formulas)
        and all(abs(a - b) < 0.1 for kind in KINDS for a, b in zip(exponents[kind], table[kind], strict=True))
        and all(measured.curve(f"{kind}, path") == paths[kind] for kind in KINDS)
        and all(abs(chains[kind] - (kind == "recurrent")) < 0.1 for kind in KINDS)
    )
    because = "exponents of length and width: " + "; ".join(
        f"{kind} {listed(exponents[kind], 2)} (chain {chains[kind]:.2f}, paths over {REACHES[-1]} positions "
        f"{measured.curve(f'{kind}, path')[-1]:.0f})"
        for kind in KINDS
    )
    because += f". Multiply-adds at n = {n}, d = {d}: " + ", ".join(
        f"{kind} {whole[kind]:,.0f} (formula {formulas[kind]:,})" for kind in formulas
    )
    return Judgement(Verdict.HOLDS if passed else Verdict.FAILS, because + ".")


def plot(figure: Figure, measured: Measured) -> None:
    """Multiply-adds and path against length."""
    work, path = figure.subplots(1, 2)
    for kind in KINDS:
        work.loglog(LENGTHS, measured.curve(f"{kind}, mixing by length"), "o-", label=kind)
        path.plot(REACHES, measured.curve(f"{kind}, path"), "o-", label=kind)
    work.set(xlabel="length n", ylabel=f"multiply-adds of mixing, d = {MIDDLE}")
    tick_only(work, LENGTHS)
    path.set(xticks=REACHES, xlabel="length n", ylabel="longest path in layers or steps")
    path.legend()


CLAIM = Claim(
    id="T15",
    title="Table 1: complexity, sequential steps, path length",
    said="Vaswani et al. 2017, Table 1",
    claim="Self-attention costs n²d a layer, recurrence nd², convolution knd², restricted attention rnd; only "
    "recurrence needs n sequential steps; the longest paths are 1, n, in proportion to n/k and n/r.",
    expected=Verdict.HOLDS,
    rule="Counted multiply-adds equal 4nd² + 2n²d for attention with its projections, 8nd² for an LSTM, knd² for a "
    "convolution; fitted exponents of n and d within 0.1 of the table's (attention: without its projections); the "
    "chain of operations is linear in n for recurrence and constant for the others; paths found by search are 1, n, "
    "⌈2(n-1)/(k-1)⌉ and ⌈(n-1)/w⌉.",
    cost="seconds",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
