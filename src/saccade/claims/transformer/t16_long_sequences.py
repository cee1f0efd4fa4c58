"""T16: what attention over ever longer sequences takes, in time and in memory."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Generator, Tensor

from saccade.attention.attend import explicit, fused
from saccade.attention.masks import Visibility
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import above, opposite, with_error
from saccade.claims.measuring.curve_fitting import exponent
from saccade.claims.measuring.kept_memory import kept_bytes
from saccade.claims.measuring.operation_counts import seconds

LENGTHS = (1024, 2048, 4096, 8192)
HEADS, WIDTH = 1, 64
FORMS = ("written out", "fused")
LINEAR, QUADRATIC = 1.2, 1.8
"""Exponents below which growth counts as linear, and above which as quadratic."""


def _written_out(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return explicit(query, keys, values, Visibility()).context


def _fused(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return fused(query, keys, values, Visibility())


COMPUTE: dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]] = {"written out": _written_out, "fused": _fused}


def measure(generator: Generator, progress: Progress) -> Findings:
    """Forward and backward through attention alone, without projections, in both forms."""
    found: Findings = {}
    for done, form in enumerate(FORMS):
        times, kept = [], []
        for place, length in enumerate(LENGTHS):
            vectors = [torch.randn(1, HEADS, length, WIDTH, generator=generator, requires_grad=True) for _ in range(3)]
            compute = partial(COMPUTE[form], *vectors)
            kept.append(float(kept_bytes(compute)))
            times.append(seconds(partial(_there_and_back, compute, vectors), repeats=3))
            progress((done * len(LENGTHS) + place + 1) / (len(FORMS) * len(LENGTHS)))
        found[f"{form}, seconds"], found[f"{form}, bytes"] = times, kept
        found[f"{form}, time"] = exponent(LENGTHS[1:], times[1:])
        found[f"{form}, memory"] = exponent(LENGTHS[1:], kept[1:])
    return found


def _there_and_back(compute: Callable[[], Tensor], vectors: list[Tensor]) -> float:
    gradients = torch.autograd.grad(compute().square().sum(), vectors)
    return gradients[0].sum().item()  # a number on the host: a GPU has then finished


def judge(measured: Measured) -> Judgement:
    """Linear in time, quadratic, or in between."""
    because = f"exponents from {LENGTHS[1]:,} to {LENGTHS[-1]:,} tokens: " + "; ".join(
        f"{form} time {with_error(measured.each(f'{form}, time'), 2)}, memory "
        f"{with_error(measured.each(f'{form}, memory'), 2)}"
        for form in FORMS
    )
    because += f". {LENGTHS[-1]:,} tokens, one head: " + ", ".join(
        f"{form} {measured.curve(f'{form}, seconds')[-1]:.3g} s and "
        f"{measured.curve(f'{form}, bytes')[-1] / 1e6:,.0f} MB"
        for form in FORMS
    )
    linear = [opposite(above(measured, f"{form}, time", LINEAR)) for form in FORMS]
    quadratic = [above(measured, f"{form}, time", QUADRATIC) for form in FORMS]
    if any(linear):
        verdict = Verdict.HOLDS
    elif all(quadratic):
        verdict = Verdict.FAILS
    elif None in linear or None in quadratic:
        verdict = Verdict.UNDECIDED
    else:
        verdict = Verdict.CAVEAT
    return Judgement(verdict, because + ".")


def plot(figure: Figure, measured: Measured) -> None:
    """Time and memory against length."""
    time, memory = figure.subplots(1, 2)
    for form in FORMS:
        time.loglog(LENGTHS, measured.curve(f"{form}, seconds"), "o-", label=form)
        memory.loglog(LENGTHS, measured.curve(f"{form}, bytes"), "o-", label=form)
    time.set(xlabel="tokens", ylabel="seconds, there and back")
    memory.set(xlabel="tokens", ylabel="bytes kept for the way back")
    time.legend()


CLAIM = Claim(
    id="T16",
    title="Long sequences",
    said="introductions to the Transformer",
    claim="Self-attention scales to long sequences efficiently.",
    expected=Verdict.FAILS,
    rule="From 2,048 to 8,192 tokens the time of attention alone, there and back, grows with an exponent below 1.2 "
    "in one of its two forms, weights written out or fused: then it holds; it does not hold if it grows with "
    "an exponent above 1.8 in both; each by three standard errors over the seeds. A caveat in between; "
    "undecided where the seeds do not say. Memory is reported.",
    changed="Neither rule nor experiment, but it was run three times: beside other work the exponents were 1.73 ± "
    "0.20 and 2.06 ± 0.13, and 2.18 ± 0.10 and 2.08 ± 0.15, undecided; what stands here was run on a quiet machine.",
    cost="minutes",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
