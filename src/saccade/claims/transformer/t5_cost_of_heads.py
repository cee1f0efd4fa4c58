"""T5: eight narrow heads cost what one wide head costs."""

import torch
from torch import Generator, Tensor

from saccade.attention.masks import Visibility
from saccade.attention.multihead import MultiHeadAttention
from saccade.attention.recording import recording
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.operation_counts import multiply_adds, seconds
from saccade.weights import parameter_count

WIDTH, LENGTH, ROWS = 512, 64, 2
HEADS = (1, 2, 4, 8, 16)


def measure(generator: Generator, progress: Progress) -> Findings:
    """Self-attention of the paper's width with 1 to 16 heads, each as wide as the heads allow."""
    states = torch.randn(ROWS, LENGTH, WIDTH, generator=generator)
    found: dict[str, list[float]] = {"parameters": [], "multiply-adds": [], "milliseconds": []}
    for done, heads in enumerate(HEADS):
        attention = MultiHeadAttention(WIDTH, heads, WIDTH // heads, WIDTH // heads)

        def attend(attention: MultiHeadAttention = attention) -> Tensor:
            return attention.mix(*attention.project(states), Visibility())

        with torch.no_grad():
            found["parameters"].append(float(parameter_count(attention)))
            # While it is recorded, attention consists of plain products, which can be counted.
            with recording(attention):
                found["multiply-adds"].append(float(multiply_adds(attend)))
            found["milliseconds"].append(1000 * seconds(attend, repeats=5))
        progress((done + 1) / len(HEADS))
    return dict(found)


def judge(measured: Measured) -> Judgement:
    """Equal counts; the time is a caveat if it is not within a factor of two."""
    equal = all(measured.smallest(what) == measured.largest(what) for what in ("parameters", "multiply-adds"))
    one, eight = (measured.curve("milliseconds")[HEADS.index(heads)] for heads in (1, 8))
    because = (
        f"{measured.largest('parameters'):,.0f} parameters and {measured.largest('multiply-adds'):,.0f} multiply-adds "
        f"for any number of heads; on this CPU one head takes {one:.2f} ms and eight take {eight:.2f} ms."
    )
    if not equal:
        return Judgement(Verdict.FAILS, because)
    return Judgement(Verdict.HOLDS if 0.5 < eight / one < 2 else Verdict.CAVEAT, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Counts and time against heads."""
    counts, time = figure.subplots(1, 2)
    counts.plot(HEADS, [count / 1e6 for count in measured.curve("multiply-adds")], "o-", label="multiply-adds")
    counts.plot(HEADS, [count / 1e6 for count in measured.curve("parameters")], "o-", label="parameters")
    counts.set(xlabel="heads", ylabel="millions", ylim=(0, None))
    counts.legend()
    time.plot(HEADS, measured.curve("milliseconds"), "o-")
    time.set(xlabel="heads", ylabel="ms", ylim=(0, None))


CLAIM = Claim(
    id="T5",
    title="The cost of many heads",
    said="Vaswani et al. 2017, section 3.2.2",
    claim="Eight heads of width 64 cost about as much as a single one of width 512.",
    expected=Verdict.HOLDS,
    rule="Parameters and multiply-adds are equal; the time of eight heads is within a factor of two of one head's, "
    "else there is a caveat.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
