"""H1: what a shuffled source leaves of RCTM II."""

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Generator

from saccade.claims.claim import Claim, Judgement, Measured, Verdict
from saccade.claims.measuring.comparison import clearly, more_than, opposite, stated, verdict
from saccade.claims.measuring.trained_arms import TrainedArms
from saccade.data.batches import evaluation_batches
from saccade.data.token_store import TokenStore
from saccade.decoding.scoring import score_pairs
from saccade.sequences import Sequences
from saccade.serving.bundle import Bundle

GAIN, GONE, APART = 0.1, 0.9, 0.1
"""Nats a word that the source must be worth; the share of them that must be gone; and what may then be left over."""


def shuffled(source: Sequences) -> Sequences:
    """The words of every row in another order; the EOS that ends the row still ends it."""
    generator = Generator("cpu").manual_seed(len(source))
    rows = []
    for tokens, length in zip(source.tokens.tolist(), source.lengths.tolist(), strict=True):
        order = torch.randperm(length - 1, generator=generator, device="cpu").tolist()
        rows.append([*(tokens[place] for place in order), *tokens[length - 1 :]])
    return Sequences(torch.tensor(rows), source.lengths)


@torch.no_grad()
def losses(run: Path) -> Mapping[str, float]:
    """Nats a word of held-out translations, given their sources as they are and shuffled."""
    model = Bundle.load(run / "model", torch.device("cpu")).model.eval()
    ordered, disordered, words = 0.0, 0.0, 0
    for _, pairs in evaluation_batches(TokenStore.open(run / "data" / "valid"), 4096):
        assert isinstance(pairs.source, Sequences)
        other = type(pairs)(shuffled(pairs.source), pairs.target)
        ordered -= score_pairs(model, pairs)[pairs.target.mask].sum().item()
        disordered -= score_pairs(model, other)[pairs.target.mask].sum().item()
        words += pairs.target.total
    return {"nats": ordered / words, "nats, shuffled": disordered / words}


ARMS = TrainedArms(
    "multi30k",
    {
        "decoder alone": {"architecture": "rctm", "width": 128, "source": "none", "maximum_length": 256},
        "RCTM II": {"architecture": "rctm", "width": 128, "source": "ngrams", "maximum_length": 256},
    },
    metric="bleu",
    data={"pieces": "word", "joint": False, "vocabulary": 3000},
    training={
        "optimizer": "adagrad",
        "learning_rate": 0.1,
        "learning_rate_factor": None,
        "warmup": 1,
        "schedule": "constant",
        "steps": 4000,
        "batch_tokens": 2048,
        "label_smoothing": 0.0,
        "clip": 5.0,
        "validate_every": 4000,
        "checkpoint_every": 4000,
        "keep_checkpoints": None,
        "average": 1,
    },
    look=losses,
)


def judge(measured: Measured) -> Judgement:
    """A gain that goes with the order of words, and leaves the decoder alone behind."""
    names = ("decoder alone, nats", "RCTM II, nats", "RCTM II, nats, shuffled")
    because = f"nats a held-out word, captions from German to English: {stated(measured, names)}."
    alone, ordered, disordered = (measured.each(name) for name in names)
    gain = clearly(measured, names[0], over=names[1], by=GAIN)
    lost = more_than([c - b - GONE * (a - b) for a, b, c in zip(alone, ordered, disordered, strict=True)], 0.0)
    no_further = opposite(clearly(measured, names[2], over=names[0], by=APART))
    return Judgement(verdict([gain, lost], [no_further]), because)


CLAIM = Claim(
    id="H1",
    title="A shuffled source",
    said="Kalchbrenner and Blunsom 2013",
    claim="RCTM II, which has learned from sources in their order, loses all that they are worth to it when their "
    "words are shuffled.",
    expected=Verdict.CAVEAT,
    rule="On captions from German to English, RCTM II needs at least 0.1 nats a word less than its decoder alone, and "
    "at least nine tenths of that are lost when the words of every held-out source are shuffled, both by three "
    "standard errors over the seeds, else the claim does not hold, or is undecided; a caveat unless a shuffled source "
    "clearly costs less than 0.1 nats more than none: worth nothing is not worth less than nothing.",
    changed="The experiment: a benchmark on short captions in 600 words asked for a perplexity within a tenth of the "
    "decoder alone. It had 9.48 with the source, 13.25 alone and 17.64 shuffled, three seeds, in a setting that was "
    "found after others had given another order. Then the words of the claim: that RCTM II owes its gain to the order "
    "of words was more than the rule asks, since nothing was trained on shuffled sources.",
    cost="GPU",
    seeds=3,
    measure=ARMS.measure,
    judge=judge,
    plot=ARMS.plot,
)
