"""T3: learned positions and sinusoids do about equally well."""

from saccade.claims.claim import Claim, Judgement, Measured, Verdict
from saccade.claims.measuring.comparison import clearly, opposite, stated, verdict
from saccade.claims.measuring.trained_arms import TrainedArms

TOLERATED = 1.0
"""BLEU: as much as two seeds of one kind lie apart, and a twentieth of what attention brings."""

ARMS = TrainedArms("table3-multi30k", {"sinusoidal": {}, "learned": {"positions": "learned"}}, metric="bleu")


def judge(measured: Measured) -> Judgement:
    """Neither is clearly better by more than is tolerated."""
    because = f"BLEU on the test set of Multi30k, English to German: {stated(measured, list(ARMS.arms), 2)}."
    equal = [
        opposite(clearly(measured, "sinusoidal", over="learned", by=TOLERATED)),
        opposite(clearly(measured, "learned", over="sinusoidal", by=TOLERATED)),
    ]
    return Judgement(verdict(equal), because)


CLAIM = Claim(
    id="T3",
    title="Learned positions or sinusoids",
    said="Vaswani et al. 2017, section 3.5 and row E of Table 3",
    claim="Learned positions and sinusoids give nearly the same results.",
    expected=Verdict.HOLDS,
    rule="Row E of the small Table 3, captions from English to German: the BLEU of the two kinds differs by less "
    "than 1.0 in either direction, by three standard errors over the seeds; it does not hold if one is ahead "
    "by more than that, and is undecided otherwise.",
    changed="Rule and experiment. On a toy task both were at the ceiling (losses near zero), and the rule asked "
    "for a difference within the spread of the seeds: the noisier the seeds, the easier it was to pass. It "
    "held.",
    cost="GPU",
    seeds=5,
    measure=ARMS.measure,
    judge=judge,
    plot=ARMS.plot,
)
