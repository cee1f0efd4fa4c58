"""R13: an autoregressive model need not be trained one position after another."""

from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn
from torch.nn import functional

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.operation_counts import longest_chain, seconds
from saccade.models.transformer import Transformer, TransformerConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS

LENGTH, VOCABULARY, WIDTH = 37, 29, 32


class CausalConvolution(nn.Module):
    """Embedding, two convolutions that see only the past, and a projection to the vocabulary."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.convolutions = nn.ModuleList(nn.Conv1d(WIDTH, WIDTH, 3) for _ in range(2))
        self.output = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens: Int[Tensor, "batch length"]) -> Float[Tensor, "batch length vocabulary"]:
        """The scores of the next token after each position."""
        states = self.embedding(tokens).transpose(1, 2)
        for convolution in self.convolutions:
            states = convolution(functional.pad(states, (2, 0))).relu()
        scores: Tensor = self.output(states.transpose(1, 2))
        return scores


def measure(generator: Generator, progress: Progress) -> Findings:
    """All conditionals from one pass over the known target, and each from a pass over its own prefix."""
    config = TransformerConfig(encoder_layers=2, decoder_layers=2, width=WIDTH, inner_width=64, heads=4)
    transformer, convolution = Transformer(config, VOCABULARY, VOCABULARY).eval(), CausalConvolution()
    source = Sequences.of([[5, 9, 4, EOS]])
    tokens = torch.randint(4, VOCABULARY, (1, LENGTH), generator=generator)
    tokens[0, 0] = BOS

    def attentive(read: Tensor) -> Tensor:
        return transformer.decode(Sequences(read, torch.tensor([read.shape[1]])), transformer.encode(source))

    found: Findings = {}
    networks: tuple[tuple[str, Callable[[Tensor], Tensor]], ...]
    networks = (("attention", attentive), ("convolution", convolution))
    for name, network in networks:
        at_once, one_by_one = partial(_at_once, network, tokens), partial(_one_by_one, network, tokens)
        found[f"{name} difference"] = (at_once() - one_by_one()).abs().max().item()
        found[f"{name} chain"] = float(longest_chain(at_once().sum()))
        found[f"{name} at once"] = 1000 * seconds(at_once, repeats=3)
        found[f"{name} one by one"] = 1000 * seconds(one_by_one, repeats=3)
        progress(0.5 if name == "attention" else 1.0)
    return found


def _at_once(network: Callable[[Tensor], Tensor], tokens: Tensor) -> Tensor:
    return network(tokens)[0].log_softmax(dim=-1)


def _one_by_one(network: Callable[[Tensor], Tensor], tokens: Tensor) -> Tensor:
    last = [network(tokens[:, :end])[0, -1] for end in range(1, LENGTH + 1)]
    return torch.stack(last).log_softmax(dim=-1)


def judge(measured: Measured) -> Judgement:
    """If one pass gives what T passes give, training is not bound to be serial."""
    worst = max(measured.largest("attention difference"), measured.largest("convolution difference"))
    because = (
        f"the log-probabilities of {LENGTH} positions from one pass and from {LENGTH} passes differ by at most "
        f"{worst:.1e}. Times on this CPU, at once and one by one: attention "
        f"{measured.mean('attention at once'):.1f} and {measured.mean('attention one by one'):.1f} ms, convolution "
        f"{measured.mean('convolution at once'):.2f} and {measured.mean('convolution one by one'):.2f} ms."
    )
    return Judgement(Verdict.FAILS if worst < 1e-5 else Verdict.HOLDS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Time of one pass beside that of many."""
    axes = figure.subplots()
    names = ("attention", "convolution")
    for shift, way in ((-0.2, "at once"), (0.2, "one by one")):
        times = [measured.mean(f"{name} {way}") for name in names]
        axes.bar([place + shift for place in range(2)], times, width=0.38, label=way)
    axes.set(xticks=range(2), ylabel=f"ms for {LENGTH} conditionals", yscale="log")
    axes.set_xticklabels(names)
    axes.legend()


CLAIM = Claim(
    id="R13",
    title="Autoregression and serial training",
    said="introductions to language models",
    claim="An autoregressive model can only be trained one position after another.",
    expected=Verdict.FAILS,
    rule="Does not hold if, for masked attention and for causal convolution, one pass over a known target gives every "
    "conditional log-probability that a pass over each prefix gives, to 1e-5. Times are reported, not judged.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
