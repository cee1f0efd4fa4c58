"""T3: learned positions and sinusoids do about equally well."""

from functools import partial

import torch
from torch import Generator

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.toy_networks import Answering, AttentiveReader, Positions
from saccade.claims.measuring.toy_training import cross_entropy, learn, share
from saccade.claims.transformer.t4_several_heads import VALUES, VOCABULARY, answers, loss_of, questions

WIDTH, STEPS = 32, 250
KINDS: tuple[Positions, ...] = ("sinusoidal", "learned")


def measure(generator: Generator, progress: Progress) -> Findings:
    """The task of T4, half of which is to look at the place before; only the kind of positions differs."""
    found: Findings = {}
    for done, kind in enumerate(KINDS):
        network = Answering(AttentiveReader(VOCABULARY, WIDTH, positions=kind, maximum_length=8), WIDTH, 2 * VALUES)
        learn(network, partial(loss_of, network, generator), STEPS, share(progress, done, len(KINDS)), rate=1e-2)
        tokens, wanted = questions(2000, generator)
        with torch.no_grad():
            found[kind] = cross_entropy(answers(network, tokens), wanted).item()
    return found


def judge(measured: Measured) -> Judgement:
    """The difference of the means against the spread of the seeds."""
    losses = {kind: measured.each(kind) for kind in KINDS}
    difference = abs(measured.mean("sinusoidal") - measured.mean("learned"))
    spread = max(max(values) - min(values) for values in losses.values())
    because = (
        f"loss on unseen questions, seed by seed: sinusoidal {listed(losses['sinusoidal'])}, learned "
        f"{listed(losses['learned'])}; the means differ by {difference:.3f}, the seeds of one kind by up to "
        f"{spread:.3f}."
    )
    return Judgement(Verdict.HOLDS if difference <= spread else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Losses, seed by seed."""
    axes = figure.subplots()
    for place, kind in enumerate(KINDS):
        values = measured.each(kind)
        axes.plot([place] * len(values), values, "o", markersize=9, alpha=0.7)
    axes.set(xlim=(-0.5, 1.5), ylim=(0, None), xticks=(0, 1), ylabel="loss on unseen questions")
    axes.set_xticklabels(["sinusoidal", "learned"])


CLAIM = Claim(
    id="T3",
    title="Learned positions or sinusoids",
    said="Vaswani et al. 2017, section 3.5 and row E of Table 3",
    claim="Learned positions and sinusoids give nearly the same results.",
    expected=Verdict.HOLDS,
    rule="On a task that needs positions, the mean losses of the two kinds differ by no more than the seeds of one "
    "kind do. A small analogue of the paper's row E, at lengths seen in training.",
    cost="seconds",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
