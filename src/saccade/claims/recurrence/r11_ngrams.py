"""R11: tables of n-grams grow with n, and see nothing beyond it."""

import math
from statistics import fmean

import torch
from torch import Generator

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.models.ngram import NGram, NGramConfig
from saccade.sequences import Pairs, Sequences
from saccade.special_tokens import EOS

ORDERS = (1, 2, 3, 4, 5, 6, 7)
DISTANCES = (1, 2, 3, 4, 5, 6)
WORDS, SENTENCES, LENGTH = 100, 600, 15
OPENING, CLOSING, FILLING = (4, 5), (6, 7), (8, 9, 10)


def measure(generator: Generator, progress: Progress) -> Findings:
    """Counts words drawn from a chain of order one; then sentences whose last word repeats the choice of the first."""
    following = (torch.randn(WORDS, WORDS, generator=generator) * 2).softmax(dim=1)
    lines = [chain(following, generator) for _ in range(SENTENCES + 100)]
    entries, perplexities = [], []
    for done, order in enumerate(ORDERS):
        model = _counted(order, lines[:SENTENCES], WORDS + 4)
        entries.append(float(sum(len(model.get_buffer(f"gram_{lower}")) for lower in range(1, order + 1))))
        perplexities.append(_perplexity(model, lines[SENTENCES:]))
        progress((done + 1) / 2 / len(ORDERS))
    right = []
    for done, order in enumerate(ORDERS):
        row = []
        for distance in DISTANCES:
            model = _counted(order, agreeing(1500, distance, generator), 11)
            row.append(_agreement(model, agreeing(200, distance, generator)))
        right.append(row)
        progress(0.5 + (done + 1) / 2 / len(ORDERS))
    return {"entries": entries, "perplexity": perplexities, "right": right}


def chain(following: torch.Tensor, generator: Generator) -> list[int]:
    """A sentence in which each word depends on the one before it and on nothing else."""
    words = [int(torch.randint(WORDS, (1,), generator=generator))]
    for _ in range(LENGTH - 1):
        words.append(int(torch.multinomial(following[words[-1]], 1, generator=generator)))
    return [word + 4 for word in words] + [EOS]


def agreeing(rows: int, distance: int, generator: Generator) -> list[list[int]]:
    """Sentences that open in one of two ways, go on at random, and close `distance` words later as they opened."""
    way = torch.randint(2, (rows,), generator=generator).tolist()
    filling = torch.randint(FILLING[0], FILLING[-1] + 1, (rows, distance - 1), generator=generator).tolist()
    return [[OPENING[which], *between, CLOSING[which], EOS] for which, between in zip(way, filling, strict=True)]


def _counted(order: int, lines: list[list[int]], vocabulary: int) -> NGram:
    model = NGram(NGramConfig(order=order), vocabulary, vocabulary)
    model.count(Pairs(Sequences.of([[EOS]] * len(lines)), Sequences.of(lines)))
    model.finish_counting()
    return model


def _perplexity(model: NGram, lines: list[list[int]]) -> float:
    target = Sequences.of(lines)
    logits = model.decode(target.reads, model.encode(Sequences.of([[EOS]] * len(lines))))
    chosen = logits.log_softmax(dim=-1).gather(2, target.tokens.unsqueeze(2)).squeeze(2)
    return math.exp(-chosen[target.mask].mean().item())


def _agreement(model: NGram, lines: list[list[int]]) -> float:
    """How often the right closing word is the likelier one; a tie counts half."""
    target = Sequences.of(lines)
    logits = model.decode(target.reads, model.encode(Sequences.of([[EOS]] * len(lines))))[:, -2]
    wanted = target.tokens[:, -2] - CLOSING[0]
    margin = (logits[:, CLOSING[0]] - logits[:, CLOSING[1]]) * (1 - 2 * wanted)
    return ((margin > 1e-6).double() + 0.5 * (margin.abs() <= 1e-6).double()).mean().item()


def judge(measured: Measured) -> Judgement:
    """Growing tables, chance beyond their reach."""
    entries, perplexity = measured.curve("entries"), measured.curve("perplexity")
    within, beyond = 1.0, 0.0
    for place, order in enumerate(ORDERS):
        for column, distance in enumerate(DISTANCES):
            right = fmean(found["right"][place][column] for found in measured.findings)  # type: ignore[index]
            within, beyond = (min(within, right), beyond) if distance < order else (within, max(beyond, right))
    because = (
        f"entries in the tables of a model of order n = 1 to 7: {listed(entries, 0)}, from "
        f"{SENTENCES * (LENGTH + 1):,} words; perplexity {listed(perplexity, 1)}. The choice between two closing words "
        f"is right in {within:.0%} or more of cases where the opening is among the last n - 1 words, and in "
        f"{beyond:.0%} or fewer where it is further back."
    )
    grows = all(after > before for before, after in zip(entries, entries[1:], strict=False))
    passed = grows and beyond < 0.6 and within > 0.9
    return Judgement(Verdict.HOLDS if passed else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Size, perplexity, and reach."""
    size, reach = figure.subplots(1, 2)
    size.plot(ORDERS, measured.curve("entries"), "o-")
    size.set(xlabel="n", ylabel="entries in the tables", ylim=(0, None))
    image = reach.imshow(measured.matrix("right"), cmap="viridis", vmin=0.5, vmax=1, origin="lower")
    reach.set(xlabel="distance of the dependency", ylabel="n", title="right choices")
    reach.set_xticks(range(len(DISTANCES)), [str(distance) for distance in DISTANCES])
    reach.set_yticks(range(len(ORDERS)), [str(order) for order in ORDERS])
    figure.colorbar(image, ax=reach)


CLAIM = Claim(
    id="R11",
    title="What n-grams cannot see",
    said="introductions to language models; Bengio et al. 2003, section 1",
    claim="Tables of n-grams grow fast with n, and still miss whatever lies further back than n - 1 words.",
    expected=Verdict.HOLDS,
    rule="The tables of a model of the same text, with all orders up to n, grow with every n from 1 to 7; a word that "
    "depends on one D words back is chosen right in less than 60 % of cases (chance: half) for D > n - 1 and in more "
    "than 90 % else.",
    changed="The rule: it had asked for a growing number of different n-grams of one order, which falls again where "
    "sentences end; what grows is the table of all orders.",
    cost="seconds",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
