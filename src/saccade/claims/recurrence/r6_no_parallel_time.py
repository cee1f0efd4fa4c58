"""R6: a recurrent network must take its steps one after another; attention need not."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Generator, Tensor, nn

from saccade.attention.masks import Visibility
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.curve_fitting import line
from saccade.claims.measuring.operation_counts import longest_chain, seconds
from saccade.models.transformer import Encoder, TransformerConfig

LENGTHS = (8, 16, 32, 64, 128, 256)
TOKENS = 1024
WIDTH = 32


def measure(generator: Generator, progress: Progress) -> Findings:
    """One GRU layer and one Transformer layer read the same number of tokens, in ever fewer and longer sentences."""
    recurrent = nn.GRU(WIDTH, WIDTH, batch_first=True)
    config = TransformerConfig(encoder_layers=1, width=WIDTH, inner_width=4 * WIDTH, heads=4, dropout=0.0)
    attentive = Encoder(config)
    networks: dict[str, Callable[[Tensor], Tensor]] = {
        "GRU": lambda x: recurrent(x)[0],
        "attention": lambda x: attentive(x, Visibility()),
    }
    found: dict[str, list[float]] = {f"{name} {what}": [] for name in networks for what in ("chain", "milliseconds")}
    for done, length in enumerate(LENGTHS):
        states = torch.randn(TOKENS // length, length, WIDTH, generator=generator)
        for name, network in networks.items():
            found[f"{name} chain"].append(float(longest_chain(network(states).sum())))
            found[f"{name} milliseconds"].append(1000 * seconds(partial(_there_and_back, network, states), repeats=3))
        progress((done + 1) / len(LENGTHS))
    return dict(found)


def _there_and_back(network: Callable[[Tensor], Tensor], states: Tensor) -> None:
    network(states).sum().backward()  # type: ignore[no-untyped-call]


def judge(measured: Measured) -> Judgement:
    """Looks at the chains alone: times depend on the machine."""
    recurrent = line(LENGTHS, measured.curve("GRU chain"))
    attentive = measured.curve("attention chain")
    times = {name: measured.curve(f"{name} milliseconds") for name in ("GRU", "attention")}
    because = (
        f"longest chain for {LENGTHS[0]} and for {LENGTHS[-1]} tokens: GRU {measured.curve('GRU chain')[0]:.0f} and "
        f"{measured.curve('GRU chain')[-1]:.0f} ({recurrent.slope:.2f} operations a token, R² "
        f"{recurrent.explained:.4f}), attention {attentive[0]:.0f} and {attentive[-1]:.0f}. Forward and backward over "
        f"{TOKENS} tokens on this CPU: GRU {times['GRU'][0]:.1f} and {times['GRU'][-1]:.1f} ms, attention "
        f"{times['attention'][0]:.1f} and {times['attention'][-1]:.1f} ms."
    )
    grows = recurrent.slope >= 1 and recurrent.explained > 0.99
    return Judgement(Verdict.HOLDS if grows and max(attentive) == min(attentive) else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Chain and time against length."""
    chain, time = figure.subplots(1, 2)
    for name in ("GRU", "attention"):
        chain.loglog(LENGTHS, measured.curve(f"{name} chain"), "o-", label=name)
        time.loglog(LENGTHS, measured.curve(f"{name} milliseconds"), "o-", label=name)
    chain.set(xlabel="tokens in a sentence", ylabel="longest chain of operations")
    time.set(xlabel="tokens in a sentence", ylabel=f"ms for {TOKENS} tokens, there and back")
    chain.legend()


CLAIM = Claim(
    id="R6",
    title="Recurrence cannot be parallelised over time",
    said="Vaswani et al. 2017, section 1",
    claim="A recurrent network has to work through a sentence token by token, however many processors there are.",
    expected=Verdict.HOLDS,
    rule="The longest chain of dependent operations in the autograd graph grows linearly with the length for a GRU "
    "(R² > 0.99, at least one operation a token) and is the same for every length for a Transformer layer. Times are "
    "reported, not judged.",
    cost="seconds",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
