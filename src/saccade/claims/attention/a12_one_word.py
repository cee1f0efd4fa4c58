"""A12 and A43: does one word say it all, and is it the one with the largest weight? Ask by leaving words out."""

from statistics import fmean

import torch
from torch import Generator, Tensor

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import above, verdict, with_error
from saccade.claims.measuring.curve_fitting import rank_correlation
from saccade.claims.measuring.toy_training import accuracy, cross_entropy, learn
from saccade.models.self_attentive import SelfAttentive, SelfAttentiveConfig
from saccade.sequences import Sequences
from saccade.special_tokens import SPECIAL

STRENGTHS = (8.0, 4.0, 2.0, 1.0, 0.5, 0.25)
"""How strongly a word speaks for its house: a name says nearly everything, most words hardly anything."""
WORDS_EACH = 6
VOCABULARY = SPECIAL + len(STRENGTHS) * WORDS_EACH
HOUSES = 2
LENGTH, STEPS, ROWS, TEST = 9, 1500, 64, 500


def sentences(rows: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Random words, of which every second speaks for the other house; the house they speak for together."""
    words = torch.randint(VOCABULARY - SPECIAL, (rows, LENGTH), generator=generator)
    strength = torch.tensor(STRENGTHS)[words // WORDS_EACH]
    evidence = torch.where(words % 2 == 0, strength, -strength).sum(dim=1)
    # Words that cancel each other leave the choice to chance.
    tied = torch.randint(2, (rows,), generator=generator) == 0
    return words + SPECIAL, torch.where(evidence == 0, tied, evidence > 0).long()


def measure(generator: Generator, progress: Progress) -> Findings:
    """A classifier with a single hop of attention learns the houses; then each word is left out in turn."""
    config = SelfAttentiveConfig(
        width=24, embedding_width=24, attention_width=24, hops=1, inner_width=48, penalty=0.0, dropout=0.0
    )
    model = SelfAttentive(config, VOCABULARY, HOUSES)

    def scores(words: Tensor) -> Tensor:
        lengths = torch.full((len(words),), words.shape[1])
        return model.classify(model.encode(Sequences(words, lengths)).embedding)

    def loss() -> Tensor:
        words, house = sentences(ROWS, generator)
        return cross_entropy(scores(words), house)

    learn(model, loss, STEPS, progress, rate=1e-2)
    words, house = sentences(TEST, generator)
    with torch.no_grad():
        whole = scores(words)
        lead = whole[:, 1] - whole[:, 0]
        effects = []
        for place in range(LENGTH):
            rest = scores(torch.cat([words[:, :place], words[:, place + 1 :]], dim=1))
            effects.append((lead - (rest[:, 1] - rest[:, 0])).abs())
        effect = torch.stack(effects, dim=1)
        weights = model.encode(Sequences(words, torch.full((TEST,), LENGTH))).weights[:, 0]
    each = zip(weights.tolist(), effect.tolist(), strict=True)
    largest = effect.max(dim=1).values / effect.sum(dim=1)
    return {
        "accuracy": accuracy(whole, house),
        "rank correlation": fmean(rank_correlation(one, other) for one, other in each),
        "same word first": (weights.argmax(dim=1) == effect.argmax(dim=1)).double().mean().item(),
        "share of the largest effect": largest.mean().item(),
        "points": torch.stack([weights, effect], dim=-1)[:40].flatten(0, 1).tolist(),
    }


def judge(measured: Measured) -> Judgement:
    """Is one word most of it?"""
    because = (
        f"accuracy {with_error(measured.each('accuracy'))}. In a sentence of {LENGTH} words the one that matters most "
        f"has {with_error(measured.each('share of the largest effect'))} of the effects of leaving each out."
    )
    return Judgement(verdict([above(measured, "share of the largest effect", 0.5)]), because)


def judge_weights(measured: Measured) -> Judgement:
    """Do weights rank words as leaving them out does?"""
    because = (
        f"accuracy {with_error(measured.each('accuracy'))}. Within a sentence of {LENGTH} words, the word with the "
        f"largest weight is the one that matters most in {with_error(measured.each('same word first'))} of sentences; "
        f"weights and effects have a rank correlation of {with_error(measured.each('rank correlation'))}."
    )
    required = [above(measured, "same word first", 0.5)]
    return Judgement(verdict(required, [above(measured, "same word first", 0.9)]), because)


def plot(figure: Figure, measured: Measured) -> None:
    """Effect against weight, one point a word."""
    axes = figure.subplots()
    axes.plot(*zip(*measured.matrix("points"), strict=True), ".", alpha=0.6)
    axes.set(xlabel="attention weight of a word", ylabel="change of the score without it")


CLAIM = Claim(
    id="A12",
    title="One word says it all",
    said="an introduction to the Transformer, of the name “Lannister”",
    claim="One word carries most of what a sentence says.",
    expected=Verdict.FAILS,
    rule="In a classifier with one hop of attention, over words that speak for their class with strengths from "
    "0.25 to 8, the word that matters most has more than half of the effects of leaving each word out, by "
    "three standard errors over the seeds; it does not hold if it has less by as much.",
    changed="The rule: it was one claim with A43, and asked for a rank correlation above 0.5 of weights and "
    "effects (0.51 was measured), with a caveat if one word had less than half of the effects (0.36). A "
    "caveat is not what that is; there are two claims now, and five seeds.",
    cost="minutes",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)

WEIGHTS = Claim(
    id="A43",
    title="Weights and importance",
    said="an introduction to the Transformer, of the name “Lannister”; Jain and Wallace 2019",
    claim="The word with the largest attention weight is the one that matters most.",
    expected=Verdict.CAVEAT,
    rule="In the classifier of A12, the word with the largest weight is also the one whose leaving out changes the "
    "scores most in more than half of the sentences, by three standard errors; a caveat unless it is so in "
    "more than 0.9 of them.",
    changed="The rule: it was a part of A12, where a rank correlation of 0.51 against 0.5 decided.",
    cost="minutes",
    seeds=5,
    measure=measure,
    judge=judge_weights,
    plot=plot,
)
