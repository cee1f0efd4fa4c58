"""H2: another network's opinion of a list of translations."""

from collections.abc import Mapping
from pathlib import Path

import torch

from saccade.claims.claim import Claim, Judgement, Measured, Verdict
from saccade.claims.history.caption_training import DEVIATION, TRAINING
from saccade.claims.measuring.comparison import clearly, stated, verdict
from saccade.claims.measuring.trained_arms import TrainedArms
from saccade.data.catalogue import find
from saccade.data.parallel_text import every_pair
from saccade.evaluation.bleu import bleu
from saccade.evaluation.examples import Example
from saccade.evaluation.metric_score import MetricOptions
from saccade.serving.loading import load
from saccade.serving.reranking import Reranker

GAIN, CANDIDATES = 0.3, 10
WRITER, CHO, OTHER = "sequence to sequence", "RNN encoder-decoder", "another sequence to sequence"
ORDERS = ("its own order", f"with the {CHO}", f"with {OTHER}")


def reranked(runs: Mapping[str, Path]) -> Mapping[str, float]:
    """BLEU of the writer's best of ten, by its own score and by the even average with that of another."""
    pairs = list(every_pair(find("multi30k", "de", "en").splits["test"]))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    writer = load(runs[WRITER] / "model", device=device)
    found = {}
    for name, other in zip(ORDERS, (None, CHO, OTHER), strict=True):
        rerank = None if other is None else Reranker([load(runs[other] / "model", device=device)])
        written = writer.translate(
            [source for source, _ in pairs],
            beam=CANDIDATES,
            rerank=rerank,
            split_sentences=False,
            protect=False,
            repair=False,
        )
        examples = [Example("", text, (pair[1],)) for text, pair in zip(written, pairs, strict=True)]
        found[name] = bleu(examples, MetricOptions()).value
    return found


_LSTMS = {"architecture": "seq2seq", "width": 256, "layers": 2, "dropout": 0.2}
ARMS = TrainedArms(
    "multi30k",
    {
        WRITER: _LSTMS,
        CHO: {
            "architecture": "rnn-encoder-decoder",
            "width": 384,
            "rank": 128,
            "maxout_width": 192,
            "dropout": 0.2,
            "deviation": DEVIATION,
        },
        OTHER: _LSTMS,
    },
    metric="bleu",
    training=TRAINING,
    otherwise_trained={OTHER: {"seed": 100}},
    look_at_all=reranked,
)


def judge(measured: Measured) -> Judgement:
    """Better, and no less so than by any second opinion."""
    because = (
        f"BLEU of the best of {CANDIDATES} translations, Multi30k, German to English: {stated(measured, ORDERS, 2)}; "
        f"each system alone, beam 5: {stated(measured, list(ARMS.arms), 2)}."
    )
    own, cho, other = ORDERS
    better = clearly(measured, cho, over=own, by=GAIN)
    return Judgement(verdict([better], [clearly(measured, cho, over=other, by=-GAIN)]), because)


CLAIM = Claim(
    id="H2",
    title="An RNN encoder-decoder as one more score",
    said="Cho et al. 2014, section 4.1; Sutskever et al. 2014, section 3.2",
    claim="The score of an RNN encoder-decoder, added to that of another system, finds better translations among "
    "those the system has written.",
    expected=Verdict.HOLDS,
    rule="Ten translations of each caption, written by LSTMs in sequence, ranked by the even average of their score "
    "and that of an RNN encoder-decoder: BLEU is higher by more than 0.3 than by their own order, by three standard "
    "errors over the seeds, else the claim does not hold, or is undecided; a caveat unless it is clearly no more than "
    "0.3 behind what a second system of the writer's own kind brings: then any second opinion would do.",
    changed="The experiment, before its first run: the RNN encoder-decoder's initial weights were raised from 0.01 to "
    "0.1, after H4 had shown that with the former it hardly learns at such a width. What was known by then of the "
    "question itself: on words and their phones a smaller run, by a rule of its own, had come out undecided.",
    cost="GPU",
    seeds=3,
    measure=ARMS.measure,
    judge=judge,
    plot=ARMS.plot,
)
