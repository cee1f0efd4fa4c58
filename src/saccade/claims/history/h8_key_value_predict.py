"""H8: keys, values and predictions of Daniluk et al."""

from itertools import pairwise

from saccade.claims.claim import Claim, Judgement, Measured, Verdict
from saccade.claims.history.caption_training import WORDS
from saccade.claims.measuring.comparison import clearly, stated, verdict_of_several
from saccade.claims.measuring.trained_arms import TrainedArms

GAIN = 0.2
_COMMON = {"embedding_width": 64, "dropout": 0.2}
_OURS = {**_COMMON, "architecture": "key-value-predict", "window": 15}
ARMS = TrainedArms(
    "lm-multi30k",
    {
        "LSTM": {**_COMMON, "architecture": "rnn-language-model", "cell": "lstm", "width": 128},
        "attention": {**_OURS, "reads": "attention", "width": 115},
        "key-value": {**_OURS, "reads": "key-value", "width": 90},
        "key-value-predict": {**_OURS, "reads": "key-value-predict", "width": 72},
        "4-gram": {**_OURS, "reads": "ngram", "order": 4, "width": 73},
    },
    metric="word_perplexity",
    data=WORDS,
    training={"steps": 4000},
)
"""Of equal parameters, but for one percent."""
ORDER = ("LSTM", "attention", "key-value", "key-value-predict")


def judge(measured: Measured) -> Judgement:
    """Every step of the order, some, or none."""
    because = f"perplexity of a word, English captions of Multi30k: {stated(measured, list(ARMS.arms), 2)}."
    steps = [clearly(measured, worse, over=better, by=GAIN) for worse, better in pairwise(ORDER)]
    return Judgement(verdict_of_several(steps), because)


CLAIM = Claim(
    id="H8",
    title="Keys, values and predictions",
    said="Daniluk et al. 2017, section 4",
    claim="A language model gains by attention, gains more if keys and values are separate vectors, and most if "
    "the prediction has one of its own.",
    expected=Verdict.CAVEAT,
    rule="On English captions, at equal parameters and steps, the perplexity of a word falls by more than 0.2 from "
    "LSTM to attention, to key-value, and to key-value-predict, by three standard errors over the seeds. "
    "Holds if each step does, with a caveat if some do and the others clearly do not, and does not hold if "
    "none does. The 4-gram network is reported.",
    changed="The experiment: in a benchmark the attending models' initial range was widened after the LSTM had "
    "won; here nothing is. Then the judge: it had said undecided, because the seeds do not decide the last step. The "
    "first step is clearly made and the second clearly not, so it is a caveat whatever the last one is.",
    cost="GPU",
    seeds=3,
    measure=ARMS.measure,
    judge=judge,
    plot=ARMS.plot,
)
