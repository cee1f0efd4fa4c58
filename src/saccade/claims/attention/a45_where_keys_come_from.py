"""A45: queries come from the target, keys and values from the source; in self-attention all three from the target."""

from collections.abc import Mapping

import torch
from torch import Generator, Tensor, nn

from saccade.attention.recording import tracing
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import with_error
from saccade.models.transformer import Transformer, TransformerConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS

VOCABULARY, LENGTH, LAYERS = 23, 7, 2
ROLES = {"query": "queries", "keys": "keys", "values": "values"}
ACROSS, WITHIN = "attention to the source", "self-attention of the decoder"
BLOCKS = {ACROSS: "cross_attention", WITHIN: "self_attention"}

Traced = Mapping[tuple[str, str], list[Tensor]]
"""The vectors of an attention and a role, layer by layer."""


def measure(generator: Generator, progress: Progress) -> Findings:
    """Replaces one word of the source, then one of the target; looks which vectors of a Transformer's decoder move."""
    config = TransformerConfig(encoder_layers=LAYERS, decoder_layers=LAYERS, width=12, inner_width=20, heads=3)
    model = Transformer(config, VOCABULARY, VOCABULARY)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.5, generator=generator)
    model.eval()
    words = torch.randint(4, VOCABULARY - 1, (2, LENGTH), generator=generator).tolist()
    source, target = [*words[0], EOS], [BOS, *words[1]]
    before = _vectors(model, source, target)
    others = {
        "source": _vectors(model, _another_word(source), target),
        "target": _vectors(model, source, _another_word(target)),
    }
    progress(1.0)
    return {
        f"{attention}, {role}, another {side} word": [
            moved(*pair) for pair in zip(before[attention, role], after[attention, role], strict=True)
        ]
        for attention in BLOCKS
        for role in ROLES
        for side, after in others.items()
    }


def _another_word(words: list[int]) -> list[int]:
    """The word in the middle replaced by the one after it in the vocabulary."""
    place = len(words) // 2
    return [*words[:place], words[place] + 1, *words[place + 1 :]]


def _vectors(model: Transformer, source: list[int], target: list[int]) -> Traced:
    with torch.no_grad(), tracing(model, only=ROLES) as told:
        model.decode(Sequences.of([target]), model.encode(Sequences.of([source])))
    by_name = {one.name: one.what for one in told}
    return {
        (attention, role): [by_name[f"decoder.layers.{layer}.{block}"][role] for layer in range(LAYERS)]
        for attention, block in BLOCKS.items()
        for role in ROLES
    }


def moved(before: Tensor, after: Tensor) -> float:
    """The length of the difference, as a share of the length before."""
    return float((after - before).norm() / before.norm())


def judge(measured: Measured) -> Judgement:
    """Keys and values to the source must not know the target at all; everything else that is asked must move."""

    def name(attention: str, role: str, side: str) -> str:
        return f"{attention}, {role}, another {side} word"

    still = max(measured.largest(name(ACROSS, role, "target")) for role in ("keys", "values")) == 0
    moving = [(ACROSS, "query", "target"), (ACROSS, "keys", "source"), (ACROSS, "values", "source")]
    moving += [(WITHIN, role, "target") for role in ROLES]
    because = "by which share of their length vectors move, in the first and in the second layer. " + ". ".join(
        f"{attention[0].upper() + attention[1:]}, "
        + "; ".join(
            f"another {side} word: "
            + ", ".join(
                f"{plural} {_layers(measured.curves(name(attention, role, side)))}" for role, plural in ROLES.items()
            )
            for side in ("target", "source")
        )
        for attention in BLOCKS
    )
    right = still and all(measured.smallest(name(*each)) > 1e-3 for each in moving)
    return Judgement(Verdict.HOLDS if right else Verdict.FAILS, because + ".")


def _layers(seeds: list[list[float]]) -> str:
    """Mean and standard error of each layer; what never moves is a plain 0."""
    layers = (list(layer) for layer in zip(*seeds, strict=True))
    return " and ".join(with_error(layer, 2) if any(layer) else "0" for layer in layers)


def plot(figure: Figure, measured: Measured) -> None:
    """How far each kind of vector moves, in the first layer."""
    for axes, attention in zip(figure.subplots(1, 2, sharey=True), BLOCKS, strict=True):
        for shift, side in ((-0.2, "target"), (0.2, "source")):
            heights = [measured.curve(f"{attention}, {role}, another {side} word")[0] for role in ROLES]
            axes.bar([place + shift for place in range(len(ROLES))], heights, width=0.38, label=f"another {side} word")
        axes.set_xticks(range(len(ROLES)), list(ROLES.values()))
        axes.set_title(attention)
    figure.axes[0].set_ylabel("moved, share of the length (layer 1)")
    figure.axes[0].legend()


CLAIM = Claim(
    id="A45",
    title="Where keys come from",
    said="Vaswani et al. 2017, section 3.2.3; often told the other way round",
    claim="Where a decoder attends to the source, queries come from the target, keys and values from the source.",
    expected=Verdict.HOLDS,
    rule="In a Transformer with random weights, in every layer and with every seed: where the decoder attends to the "
    "source, replacing a word of the target moves no key and no value at all and the queries by more than 0.001 of "
    "their length, and replacing a word of the source moves keys and values by as much; in the decoder's "
    "self-attention replacing a word of the target moves all three.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
