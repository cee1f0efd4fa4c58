"""H3: a source that is read backwards."""

from saccade.claims.claim import Claim, Judgement, Measured, Verdict
from saccade.claims.history.caption_training import TRAINING
from saccade.claims.measuring.comparison import clearly, stated, verdict
from saccade.claims.measuring.trained_arms import TrainedArms

GAIN = 0.5
_MODEL = {"architecture": "seq2seq", "width": 256, "layers": 2, "dropout": 0.2}
ARMS = TrainedArms(
    "multi30k",
    {"as it is": {**_MODEL, "reverse_source": False}, "backwards": {**_MODEL, "reverse_source": True}},
    metric="bleu",
    training=TRAINING,
)


def judge(measured: Measured) -> Judgement:
    """Better by more than half a point."""
    because = f"BLEU on the test set of Multi30k, German to English: {stated(measured, list(ARMS.arms), 2)}."
    return Judgement(verdict([clearly(measured, "backwards", over="as it is", by=GAIN)]), because)


CLAIM = Claim(
    id="H3",
    title="Reading the source backwards",
    said="Sutskever et al. 2014, section 3.3",
    claim="An encoder-decoder with one vector in between translates better if it reads the source backwards.",
    expected=Verdict.HOLDS,
    rule="Two LSTM encoder-decoders that differ in nothing but the order in which the source is read, on captions "
    "from German to English: BLEU is higher by more than 0.5 backwards, by three standard errors over the "
    "seeds; it does not hold if it clearly is not.",
    changed="The experiment: as a benchmark, on short captions in few words, the rule asked for the sign alone. "
    "What came out is in the log.",
    cost="GPU",
    seeds=3,
    measure=ARMS.measure,
    judge=judge,
    plot=ARMS.plot,
)
