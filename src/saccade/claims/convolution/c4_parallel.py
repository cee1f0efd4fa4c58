"""C4: a convolutional translator reads and is taught all positions at once."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Generator, Tensor

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.curve_fitting import line
from saccade.claims.measuring.operation_counts import longest_chain, seconds
from saccade.claims.measuring.toy_networks import RecurrentReader
from saccade.models.convs2s import ConvS2S, ConvS2SConfig
from saccade.sequences import Sequences
from saccade.special_tokens import SPECIAL

LENGTHS = (8, 16, 32, 64)
TOKENS, WORDS, WIDTH = 512, 20, 32
NAMES = ("ConvS2S", "GRU")


def measure(generator: Generator, progress: Progress) -> Findings:
    """Teacher forcing over the same number of tokens, in ever fewer and longer sentences."""
    vocabulary = SPECIAL + WORDS
    convolutional = ConvS2SConfig(encoder_layers=2, decoder_layers=2, width=WIDTH, dropout=0.0, maximum_length=128)
    model = ConvS2S(convolutional, vocabulary, vocabulary)
    reader = RecurrentReader(vocabulary, WIDTH)
    networks: dict[str, Callable[[Sequences], Tensor]] = {
        "ConvS2S": lambda read: model.decode(read.reads, model.encode(read)),
        "GRU": lambda read: reader(read.tokens),
    }
    found: dict[str, list[float]] = {f"{name} {what}": [] for name in NAMES for what in ("chain", "milliseconds")}
    for done, length in enumerate(LENGTHS):
        rows = TOKENS // length
        tokens = torch.randint(SPECIAL, vocabulary, (rows, length), generator=generator)
        sentences = Sequences(tokens, torch.full((rows,), length))
        for name, network in networks.items():
            compute = partial(network, sentences)
            found[f"{name} chain"].append(float(longest_chain(compute().sum())))
            found[f"{name} milliseconds"].append(1000 * seconds(partial(_there_and_back, compute), repeats=3))
        progress((done + 1) / len(LENGTHS))
    return dict(found)


def _there_and_back(compute: Callable[[], Tensor]) -> None:
    compute().sum().backward()  # type: ignore[no-untyped-call]


def judge(measured: Measured) -> Judgement:
    """Looks at the chains alone: times depend on the machine."""
    chains = {name: measured.curve(f"{name} chain") for name in NAMES}
    times = {name: measured.curve(f"{name} milliseconds") for name in chains}
    because = f"longest chain for {LENGTHS[0]} and for {LENGTHS[-1]} tokens a side: " + ", ".join(
        f"{name} {chain[0]:.0f} and {chain[-1]:.0f}" for name, chain in chains.items()
    )
    because += f". Forward and backward over {TOKENS} tokens: " + ", ".join(
        f"{name} {time[0]:.1f} and {time[-1]:.1f} ms" for name, time in times.items()
    )
    grows = line(LENGTHS, chains["GRU"]).slope >= 1
    flat = max(chains["ConvS2S"]) == min(chains["ConvS2S"])
    return Judgement(Verdict.HOLDS if flat and grows else Verdict.FAILS, because + ".")


def plot(figure: Figure, measured: Measured) -> None:
    """Chain and time against length."""
    chain, time = figure.subplots(1, 2)
    for name in NAMES:
        chain.loglog(LENGTHS, measured.curve(f"{name} chain"), "o-", label=name)
        time.loglog(LENGTHS, measured.curve(f"{name} milliseconds"), "o-", label=name)
    chain.set(xlabel="tokens in a sentence", ylabel="longest chain of operations")
    time.set(xlabel="tokens in a sentence", ylabel=f"ms for {TOKENS} tokens, there and back")
    chain.legend()


CLAIM = Claim(
    id="C4",
    title="Convolutions train in parallel",
    said="Gehring et al. 2017, section 1",
    claim="A convolutional network is trained on all positions of a sentence at once.",
    expected=Verdict.HOLDS,
    rule="The longest chain of dependent operations of a pass over a known target is the same for every length "
    "with ConvS2S, and grows by at least one operation a token with a GRU over the same words. Times are "
    "reported, not judged.",
    changed="The experiment: ConvS2S was first compared with RNNsearch, whose whole recurrence is one operation to "
    "autograd here, so that its chain was 31 for every length; ConvS2S had 90 for every length.",
    cost="seconds",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
