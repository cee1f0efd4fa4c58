"""H11: all systems on the same text: how far each falls with length, and how fast each trains."""

import json
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from saccade.claims.claim import Claim, Figure, Judgement, Measured, Verdict
from saccade.claims.history.caption_training import DEVIATION, TRAINING
from saccade.claims.history.h4_length import by_length
from saccade.claims.measuring.comparison import clearly, more_than, verdict, with_error
from saccade.claims.measuring.trained_arms import TrainedArms

FURTHER, FASTER = 0.05, 1.5
"""The share of its BLEU that a system must lose more than another; and how many times faster another must be."""
ONE_VECTOR = ("RNN encoder-decoder", "sequence to sequence")
RECURRENT = ("RNNsearch", "Luong")
PARALLEL = ("ConvS2S", "Transformer")


def profile(run: Path) -> Mapping[str, float]:
    """The share of BLEU that is lost from short to long sources, and the tokens a second of training."""
    found = by_length(run)
    events = [json.loads(line) for line in (run / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
    speeds = [event["tokens_per_second"] for event in events if "of_floor" in event]
    return {**found, "lost": found["falls"] / max(found["short"], 1e-9), "tokens a second": median(speeds)}


_ARMS: dict[str, dict[str, Any]] = {
    "RCTM II": {"architecture": "rctm", "width": 376, "source": "ngrams"},
    "RNN encoder-decoder": {"architecture": "rnn-encoder-decoder", "width": 744, "deviation": DEVIATION},
    "sequence to sequence": {"architecture": "seq2seq", "width": 288, "layers": 2},
    "RNNsearch": {"architecture": "rnnsearch", "width": 384, "deviation": DEVIATION},
    "Luong": {"architecture": "luong", "width": 272, "layers": 2},
    "ConvS2S": {"architecture": "convs2s", "width": 248, "encoder_layers": 4, "decoder_layers": 3},
    "Transformer": {
        "architecture": "transformer",
        "width": 256,
        "inner_width": 1024,
        "heads": 4,
        "encoder_layers": 4,
        "decoder_layers": 4,
        "norm": "pre",
    },
}
ARMS = TrainedArms(
    "multi30k",
    {name: {**model, "dropout": 0.3, "maximum_length": 256} for name, model in _ARMS.items()},
    metric="bleu",
    training={**TRAINING, "warmup": 750, "clip": 1.0},
    look=profile,
)
"""The sizes of the comparison in docs/lineage.md: 9.3 to 9.6 million parameters each, one rate for all."""


def judge(measured: Measured) -> Judgement:
    """One vector falls furthest; convolution and attention fall least, and train fastest."""
    lost = {name: measured.each(f"{name}, lost") for name in ARMS.arms}
    speed = {name: measured.each(f"{name}, tokens a second") for name in ARMS.arms}
    because = (
        "BLEU on Multi30k, German to English, the share of it lost on long sources, tokens a second: "
        + "; ".join(
            f"{name} {with_error(measured.each(name), 1)}, {with_error(lost[name], 2)}, {with_error(speed[name], 0)}"
            for name in ARMS.arms
        )
    )

    def further(some: tuple[str, ...]) -> list[bool | None]:
        return [clearly(measured, f"{a}, lost", over=f"{b}, lost", by=FURTHER) for a in some for b in PARALLEL]

    faster = [
        more_than([one - FASTER * other for one, other in zip(speed[a], speed[b], strict=True)], 0.0)
        for a in PARALLEL
        for b in (*ONE_VECTOR, *RECURRENT)
    ]
    return Judgement(verdict(further(ONE_VECTOR), [*further(RECURRENT), *faster]), because + ".")


def plot(figure: Figure, measured: Measured) -> None:
    """The share lost and the speed, system by system in the order of their years."""
    for axes, what in zip(figure.subplots(2, 1, sharex=True), ("lost", "tokens a second"), strict=True):
        for place, name in enumerate(ARMS.arms):
            values = measured.each(f"{name}, {what}")
            axes.plot([place] * len(values), values, "o", markersize=7, alpha=0.7)
        axes.set(ylabel={"lost": "share of BLEU lost"}.get(what, what), xticks=range(len(ARMS.arms)))
        axes.set_xticklabels(list(ARMS.arms), rotation=20, ha="right", fontsize=7)


CLAIM = Claim(
    id="H11",
    title="The systems of 2013 to 2017 side by side",
    said="the papers of the lineage, each against those before it",
    claim="On the same text, systems with one vector fall furthest with the length of a sentence; convolution and "
    "attention fall least, and train faster than recurrence.",
    expected=Verdict.CAVEAT,
    rule="Seven systems of equal parameters and equal steps on captions from German to English: from sources of at "
    "most 9 words to those of at least 15, both systems with one vector lose a share of their BLEU that is larger by "
    "more than 0.05 than that of ConvS2S and than that of the Transformer, by three standard errors over the seeds, "
    "else the claim does not hold, or is undecided. A caveat unless RNNsearch and Luong clearly lose as much more than "
    "these two as well, and each of these two clearly trains 1.5 times the tokens a second of every recurrent system. "
    "All have one learning rate; the speed is that of one process alone on the card.",
    changed="The experiment: the comparison in lineage.md had no rule. There, from 6 to 10 words to more than 20, one "
    "vector lost 49 % and 49 %, RNNsearch 27 %, ConvS2S 28 %, the Transformer 30 %; trained 24 at a time, no system "
    "was clearly faster (34,000 to 71,000 tokens a second).",
    cost="GPU",
    seeds=3,
    measure=ARMS.measure,
    judge=judge,
    plot=plot,
)
