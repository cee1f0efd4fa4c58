"""T27: one matrix for both embeddings and the softmax."""

from collections.abc import Mapping
from pathlib import Path

import torch

from saccade.claims.claim import Claim, Judgement, Measured, Verdict
from saccade.claims.measuring.comparison import clearly, stated, verdict
from saccade.claims.measuring.trained_arms import TrainedArms
from saccade.serving.bundle import Bundle
from saccade.weights import parameter_count

LOST = 0.5


def sizes(run: Path) -> Mapping[str, float]:
    """Parameters, and those of one table of vectors."""
    model = Bundle.load(run / "model", torch.device("cpu")).model
    table = max(parameter.numel() for parameter in model.parameters())
    return {"parameters": float(parameter_count(model)), "table": float(table)}


ARMS = TrainedArms("table3-multi30k", {"one": {"tie": "all"}, "three": {"tie": "none"}}, metric="bleu", look=sizes)


def judge(measured: Measured) -> Judgement:
    """Two tables fewer, and not worse."""
    saved = measured.mean("three, parameters") - measured.mean("one, parameters")
    because = (
        f"BLEU on the test set of Multi30k, English to German, with one matrix and with three: "
        f"{stated(measured, list(ARMS.arms), 2)}; {saved:,.0f} parameters saved, of {measured.mean('one, table'):,.0f} "
        "in a table of vectors."
    )
    fewer = saved == 2 * measured.mean("one, table")
    return Judgement(verdict([fewer, clearly(measured, "one", over="three", by=-LOST)]), because)


CLAIM = Claim(
    id="T27",
    title="One matrix for three",
    said="Vaswani et al. 2017, section 3.4",
    claim="With a shared vocabulary one matrix serves both embeddings and the softmax: fewer parameters, and no worse.",
    expected=Verdict.HOLDS,
    rule="The base row of the small Table 3 with one matrix instead of three saves exactly two tables of vectors, "
    "and its BLEU is clearly less than 0.5 lower, by three standard errors over the seeds; it does not hold "
    "if it is lower by more.",
    cost="GPU",
    seeds=5,
    measure=ARMS.measure,
    judge=judge,
    plot=ARMS.plot,
)
