"""A5: attention finds which word belongs to which."""

import torch
from torch import Generator

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.toy_training import Line, pairs, teach
from saccade.models.rnnsearch import RNNsearch, RNNsearchConfig

WORDS, FIRST = 9, 4
SOURCE_VOCABULARY, TARGET_VOCABULARY = FIRST + WORDS, FIRST + 2 * WORDS
LONGEST, STEPS, ROWS = 6, 600, 32


def translated(sentence: Line) -> tuple[list[int], list[int]]:
    """Neighbours change places, and every third word becomes two words; with the source position of each."""
    places = list(range(len(sentence)))
    for left in range(0, len(sentence) - 1, 2):
        places[left], places[left + 1] = places[left + 1], places[left]
    target, links = [], []
    for place in places:
        word = sentence[place] - FIRST
        target.append(FIRST + word)
        links.append(place)
        if word % 3 == 2:
            target.append(FIRST + WORDS + word)
            links.append(place)
    return target, links


def words_of(sentence: Line) -> Line:
    """The translation alone."""
    return translated(sentence)[0]


def sentences(rows: int, generator: Generator) -> list[list[int]]:
    """Random words, none twice in a sentence: which is meant is never in doubt."""
    lengths = torch.randint(2, LONGEST + 1, (rows,), generator=generator).tolist()
    return [(FIRST + torch.randperm(WORDS, generator=generator)[:length]).tolist() for length in lengths]


def measure(generator: Generator, progress: Progress) -> Findings:
    """Learns a small language from pairs alone; the links are only compared with, never shown."""
    config = RNNsearchConfig(width=32, deviation=0.1)
    model = RNNsearch(config, SOURCE_VOCABULARY, TARGET_VOCABULARY)
    teach(model, lambda: pairs(sentences(ROWS, generator), words_of), STEPS, progress, rate=1e-2)
    lines = sentences(300, generator)
    source, target = pairs(lines, words_of)
    with torch.no_grad():
        memory = model.encode(source)
        weights = model.align(target, memory)
        right = (model.decode(target.reads, memory).argmax(dim=-1) == target.tokens)[target.mask].double().mean().item()
    gold = {(row, t, s) for row, line in enumerate(lines) for t, s in enumerate(translated(line)[1])}
    found = {
        (row, t, int(weights[row, t].argmax()))
        for row, line in enumerate(lines)
        for t in range(len(translated(line)[1]))
    }
    shared = len(gold & found)
    example = max(range(len(lines)), key=lambda row: len(translated(lines[row])[0]))
    words, links = len(lines[example]), translated(lines[example])[1]
    return {
        "next word right": right,
        "links right": shared / len(gold),
        "alignment error rate": 1 - 2 * shared / (len(gold) + len(found)),
        "example": weights[example, : len(links), :words].tolist(),
        "gold": [float(link) for link in links],
    }


def judge(measured: Measured) -> Judgement:
    """Most links right."""
    links, errors = measured.each("links right"), measured.each("alignment error rate")
    because = (
        f"largest weight on the right word, seed by seed: {listed(links)}; alignment error rate {listed(errors)}; the "
        f"next word is right in {listed(measured.each('next word right'))} of positions."
    )
    return Judgement(Verdict.HOLDS if min(links) > 0.9 and max(errors) < 0.2 else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """One sentence, with its true links."""
    axes = figure.subplots()
    image = axes.imshow(measured.matrix("example"), cmap="viridis", vmin=0, vmax=1)
    gold = measured.findings[0]["gold"]
    assert isinstance(gold, list)
    axes.plot(gold, range(len(gold)), "o", color="none", markeredgecolor="white", markersize=11, label="true link")
    axes.set(xlabel="source word", ylabel="target word")
    figure.colorbar(image, ax=axes, label="weight (circles: true links)")


CLAIM = Claim(
    id="A5",
    title="Attention finds the alignment",
    said="Bahdanau et al. 2015, section 5.2.1",
    claim="Attention learns which source words belong to which target words, without being told.",
    expected=Verdict.HOLDS,
    rule="On a language made by a known rule, with reordering and words that become two, the largest weight is on the "
    "right source word for more than 0.9 of the target words, and the alignment error rate is below 0.2, with every "
    "seed.",
    cost="minutes",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
