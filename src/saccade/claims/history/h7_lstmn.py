"""H7: an LSTM that reads its own past."""

from saccade.claims.claim import Claim, Judgement, Measured, Verdict
from saccade.claims.history.caption_training import WORDS
from saccade.claims.measuring.comparison import clearly, stated, verdict
from saccade.claims.measuring.trained_arms import TrainedArms

GAIN = 0.5
_COMMON = {"embedding_width": 64, "dropout": 0.2}
ARMS = TrainedArms(
    "lm-multi30k",
    {
        "LSTM": {**_COMMON, "architecture": "rnn-language-model", "cell": "lstm", "width": 128},
        "LSTMN": {**_COMMON, "architecture": "lstmn-language-model", "width": 119, "initial_range": 0.09},
    },
    metric="word_perplexity",
    data=WORDS,
    training={"steps": 4000},
)
"""Of equal parameters; both begin uniformly within one over the square root of the width."""


def judge(measured: Measured) -> Judgement:
    """Lower by more than half a word."""
    because = f"perplexity of a word, English captions of Multi30k: {stated(measured, list(ARMS.arms), 2)}."
    return Judgement(verdict([clearly(measured, "LSTM", over="LSTMN", by=GAIN)]), because)


CLAIM = Claim(
    id="H7",
    title="An LSTM that reads its own past",
    said="Cheng et al. 2016, section 5.1",
    claim="A language model that attends to its own past states has a lower perplexity than an LSTM of equal size.",
    expected=Verdict.CAVEAT,
    rule="On English captions, with as many parameters and steps, the perplexity of a word is lower by more than "
    "0.5 than that of an LSTM, by three standard errors over the seeds; it does not hold if it clearly is "
    "not.",
    changed="The experiment: a benchmark with 4,000 steps and width 64 had an LSTM at 12.88 ± 0.16 and found no gain.",
    cost="GPU",
    seeds=3,
    measure=ARMS.measure,
    judge=judge,
    plot=ARMS.plot,
)
