"""R7: what the next token costs, after t tokens: constant for a recurrent network, growing for attention."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Generator, Tensor, nn

from saccade.attention.multihead import KeysValues
from saccade.attention.recording import recording
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.curve_fitting import line
from saccade.claims.measuring.operation_counts import multiply_adds, seconds
from saccade.models.transformer import Transformer, TransformerConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS

WRITTEN = (1, 128, 256, 512, 1024, 2048)
WIDTH, HEADS, VOCABULARY = 32, 4, 23
KINDS = ("GRU", "cached attention", "uncached attention")


def measure(generator: Generator, progress: Progress) -> Findings:
    """Counts multiply-adds and bytes of state for the token after t others, and times them."""
    config = TransformerConfig(
        encoder_layers=1, decoder_layers=1, width=WIDTH, inner_width=64, heads=HEADS, maximum_length=WRITTEN[-1] + 1
    )
    transformer = Transformer(config, VOCABULARY, VOCABULARY).eval()
    tokens = torch.randint(4, VOCABULARY, (1, WRITTEN[-1] + 1), generator=generator)
    tokens[0, 0] = BOS
    source = Sequences.of([[5, 7, EOS]])
    found: dict[str, list[float]] = {
        f"{kind} {what}": [] for kind in KINDS for what in ("multiply-adds", "bytes", "microseconds")
    }

    def note(kind: str, compute: Callable[[], Any], state_bytes: int) -> None:
        found[f"{kind} multiply-adds"].append(float(multiply_adds(compute)))
        found[f"{kind} bytes"].append(float(state_bytes))
        found[f"{kind} microseconds"].append(1e6 * seconds(compute, repeats=3))

    cell, embedding, output = nn.GRUCell(WIDTH, WIDTH), nn.Embedding(VOCABULARY, WIDTH), nn.Linear(WIDTH, VOCABULARY)
    hidden = torch.zeros(1, WIDTH)

    def recurrent(token: Tensor, hidden: Tensor) -> Tensor:
        scores: Tensor = output(cell(embedding(token), hidden))
        return scores

    # While it is recorded, attention consists of plain products, which can be counted.
    with torch.no_grad(), recording(transformer):
        memory = transformer.encode(source)
        for written in WRITTEN:
            now = tokens[:, written]
            note("GRU", partial(recurrent, now, hidden), _bytes(hidden))
            # What stands in the cache does not change what it costs to read it.
            cache = [torch.randn(1, HEADS, written, WIDTH // HEADS, generator=generator) for _ in range(2)]
            state = replace(transformer.start(memory), written=(KeysValues(*cache),))
            note("cached attention", partial(transformer.step, now, state), sum(map(_bytes, cache)))
            prefix = Sequences(tokens[:, : written + 1], torch.tensor([written + 1]))
            note("uncached attention", partial(transformer.decode, prefix, memory), _bytes(prefix.tokens))
            progress(written / WRITTEN[-1])
    return dict(found)


def _bytes(tensor: Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def judge(measured: Measured) -> Judgement:
    """A constant, a line, and a curve above every line."""
    recurrent, cached, uncached = (measured.curve(f"{kind} multiply-adds") for kind in KINDS)
    # The token itself is the last of t + 1: a second-order polynomial through three points must meet all the others.
    places = [float(t + 1) for t in WRITTEN]
    bend = _second_order(places, uncached)
    flat = max(recurrent) == min(recurrent) and measured.largest("GRU bytes") == measured.smallest("GRU bytes")
    linear = line(places, cached)
    grows = linear.explained > 0.9999 and linear.slope > 0
    state = line(WRITTEN, measured.curve("cached attention bytes"))
    because = (
        f"multiply-adds for the next token after {WRITTEN[0]:,} and after {WRITTEN[-1]:,}: GRU {recurrent[0]:,.0f} and "
        f"{recurrent[-1]:,.0f}; cached attention {cached[0]:,.0f} and {cached[-1]:,.0f} ({linear.slope:.0f} more a "
        f"token); uncached {uncached[0]:,.0f} and {uncached[-1]:,.0f} (quadratic part {bend:.1f} t²). State: GRU "
        f"{measured.largest('GRU bytes'):.0f} bytes, cache {state.slope:.0f} bytes a token. Time after "
        f"{WRITTEN[-1]:,}: {measured.curve('GRU microseconds')[-1]:.0f}, "
        f"{measured.curve('cached attention microseconds')[-1]:.0f} and "
        f"{measured.curve('uncached attention microseconds')[-1]:.0f} µs."
    )
    passed = flat and grows and bend > 0 and state.slope > 0 and state.explained > 0.9999
    return Judgement(Verdict.HOLDS if passed else Verdict.FAILS, because)


def _second_order(x: list[float], y: list[float]) -> float:
    """The a of a x² + b x + c through the points, or 0 if no such curve meets them all."""
    powers = torch.tensor([[a * a, a, 1.0] for a in x], dtype=torch.float64)
    wanted = torch.tensor(y, dtype=torch.float64).unsqueeze(1)
    solution = torch.linalg.lstsq(powers, wanted, driver="gelsd").solution
    missed = (powers @ solution - wanted).abs().max() / wanted.max()
    return solution[0].item() if missed < 1e-6 else 0.0


def plot(figure: Figure, measured: Measured) -> None:
    """Multiply-adds and time against what is written already."""
    work, time = figure.subplots(1, 2)
    for kind in KINDS:
        work.loglog(WRITTEN, measured.curve(f"{kind} multiply-adds"), "o-", label=kind)
        time.loglog(WRITTEN, measured.curve(f"{kind} microseconds"), "o-", label=kind)
    work.set(xlabel="tokens written", ylabel="multiply-adds for the next")
    time.set(xlabel="tokens written", ylabel="µs for the next")
    work.legend()


CLAIM = Claim(
    id="R7",
    title="The cost of the next token",
    said="introductions to recurrent networks",
    claim="A recurrent network writes each token at the same price, however much is written already; in total the "
    "price is linear.",
    expected=Verdict.HOLDS,
    rule="Multiply-adds and bytes of state for the next token, after 1 to 2,048 tokens: the same throughout for a GRU; "
    "for a Transformer that keeps its keys and values growing on a line (R² > 0.9999); for one that reads everything "
    "again on a parabola with a positive second-order part. Times are reported, not judged.",
    cost="seconds",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
