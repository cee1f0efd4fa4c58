"""H10: attention in every layer of a convolutional decoder."""

from saccade.claims.claim import Claim, Judgement, Measured, Verdict
from saccade.claims.history.caption_training import TRAINING
from saccade.claims.measuring.comparison import clearly, stated, verdict
from saccade.claims.measuring.trained_arms import TrainedArms

GAIN, LAYERS = 0.5, 4
_MODEL = {"architecture": "convs2s", "encoder_layers": 4, "decoder_layers": LAYERS, "width": 256, "dropout": 0.2}
ARMS = TrainedArms(
    "multi30k",
    {
        "every layer": _MODEL,
        "the first": {**_MODEL, "attending_layers": [1]},
        "the last": {**_MODEL, "attending_layers": [LAYERS]},
    },
    metric="bleu",
    training=TRAINING,
)


def judge(measured: Measured) -> Judgement:
    """Better than either alone."""
    because = f"BLEU on the test set of Multi30k, German to English: {stated(measured, list(ARMS.arms), 2)}."
    alone = ("the first", "the last")
    return Judgement(verdict([clearly(measured, "every layer", over=one, by=GAIN) for one in alone]), because)


CLAIM = Claim(
    id="H10",
    title="Attention in every layer",
    said="Gehring et al. 2017, section 5.4",
    claim="A convolutional decoder translates best if each of its layers attends to the source.",
    expected=Verdict.HOLDS,
    rule="On captions from German to English, ConvS2S with attention in each of its four decoder layers has a BLEU "
    "higher by more than 0.5 than with attention in the first or in the last alone, by three standard errors "
    "over the seeds; it does not hold if one of them clearly is not behind by as much.",
    changed="The experiment: a benchmark had asked the same of perplexity, on spelling and phones. What came out "
    "is in the log.",
    cost="GPU",
    seeds=3,
    measure=ARMS.measure,
    judge=judge,
    plot=ARMS.plot,
)
