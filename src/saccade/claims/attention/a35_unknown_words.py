"""A35: attention says which source word an unknown word stands for."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import above, clearly, stated, verdict
from saccade.claims.measuring.toy_training import Line, cross_entropy, learn_until, pairs, share, words_right
from saccade.models.rnnsearch import RNNsearch, RNNsearchConfig
from saccade.special_tokens import UNK

FIRST, WORDS, NAMES = 4, 40, 1000
"""The first of the words that the vocabulary has, how many these are, and how many names there are beyond it."""
SHORTEST, LONGEST, WIDTH = 4, 7, 48
STEPS, ROWS, TEST, LEARNED = 2000, 64, 1000, 0.98


def sentences(rows: int, generator: Generator) -> list[list[int]]:
    """Random words, of which two are names; none twice in a sentence."""
    lines = []
    for length in torch.randint(SHORTEST, LONGEST + 1, (rows,), generator=generator).tolist():
        line = (FIRST + torch.randperm(WORDS, generator=generator)[:length]).tolist()
        places = torch.randperm(length, generator=generator)[:2].tolist()
        names = torch.randperm(NAMES, generator=generator)[:2].tolist()
        for place, name in zip(places, names, strict=True):
            line[place] = FIRST + WORDS + name
        lines.append(line)
    return lines


def in_order(line: Line) -> Line:
    """Word for word."""
    return line


def halves_exchanged(line: Line) -> Line:
    """The second half first."""
    middle = len(line) // 2
    return [*line[middle:], *line[:middle]]


LANGUAGES: dict[str, Callable[[Line], Line]] = {"in order": in_order, "halves exchanged": halves_exchanged}


def read(line: Line) -> list[int]:
    """What a model with a closed vocabulary sees of a sentence."""
    return [word if word < FIRST + WORDS else UNK for word in line]


def measure(generator: Generator, progress: Progress) -> Findings:
    """Learns both languages, and puts names in the place of unknown words in two ways."""
    found: Findings = {}
    for done, (name, translated) in enumerate(LANGUAGES.items()):
        for what, value in learned(translated, generator, share(progress, done, len(LANGUAGES))).items():
            found[f"{name}, {what}"] = value
    return found


def learned(translated: Callable[[Line], Line], generator: Generator, progress: Progress) -> Findings:
    """One language: how many unknown words become the right names, and how many words are right before that."""
    model = RNNsearch(RNNsearchConfig(width=WIDTH, deviation=0.1), FIRST + WORDS, FIRST + WORDS)

    def draw(rows: int) -> list[list[int]]:
        return [read(line) for line in sentences(rows, generator)]

    def loss() -> Tensor:
        source, target = pairs(draw(ROWS), translated)
        return cross_entropy(model.decode(target.reads, model.encode(source))[target.mask], target.tokens[target.mask])

    validation = pairs(draw(TEST), translated)
    steps = learn_until(model, loss, lambda: words_right(model, validation) >= LEARNED, STEPS, progress)
    lines = sentences(TEST, generator)
    source, target = pairs([read(line) for line in lines], translated)
    with torch.no_grad():
        written = model.decode(target.reads, model.encode(source)).argmax(dim=-1)
        looked_at = model.align(target, model.encode(source)).argmax(dim=-1)
    by_attention = by_order = 0
    for row, line in enumerate(lines):
        names = [word for word in line if word >= FIRST + WORDS]
        reference = translated(line)
        unknown = [place for place, word in enumerate(reference) if word >= FIRST + WORDS]
        for name, place in zip(names, unknown, strict=True):
            if written[row, place] == UNK:
                seen = int(looked_at[row, place])
                by_attention += seen < len(line) and line[seen] == reference[place]
                by_order += name == reference[place]
    return {
        "steps": float(steps),
        "by attention": by_attention / (2 * TEST),
        "by order": by_order / (2 * TEST),
        "words right": words_right(model, (source, target)),
    }


def judge(measured: Measured) -> Judgement:
    """Most names must be right, and more than without attention where the order changes."""
    names = [f"{language}, {way}" for language in LANGUAGES for way in ("by attention", "by order")]
    exchanged = measured.each("halves exchanged, by attention")
    because = (
        f"unknown words that become the right name: {stated(measured, names)}. By attention, where halves are "
        f"exchanged, {min(exchanged):.2f} to {max(exchanged):.2f} from seed to seed."
    )
    if any(measured.largest(f"{language}, steps") > STEPS for language in LANGUAGES):
        return Judgement(Verdict.UNDECIDED, f"{because} Not all seeds learned the language.")
    required = [
        above(measured, "halves exchanged, by attention", 0.9),
        clearly(measured, "halves exchanged, by attention", over="halves exchanged, by order", by=0.1),
    ]
    no_worse = clearly(measured, "in order, by attention", over="in order, by order", by=-0.05)
    return Judgement(verdict(required, [no_worse]), because)


def plot(figure: Figure, measured: Measured) -> None:
    """Both ways in both languages."""
    axes = figure.subplots()
    for place, way in enumerate(("by attention", "by order")):
        heights = [measured.mean(f"{language}, {way}") for language in LANGUAGES]
        axes.bar([number + 0.4 * place for number in range(len(LANGUAGES))], heights, width=0.35, label=way)
    axes.set_xticks([number + 0.2 for number in range(len(LANGUAGES))], list(LANGUAGES))
    axes.set(ylabel="unknown words that become the right name", ylim=(0, 1.05))
    axes.legend()


CLAIM = Claim(
    id="A35",
    title="Unknown words through attention",
    said="Luong et al. 2015, section 4.1, after Jean et al. 2015",
    claim="A word that the vocabulary lacks is put right by the source word that attention is on.",
    expected=Verdict.HOLDS,
    rule="In an invented language with two names in each sentence that no vocabulary has, and whose halves change "
    "places, learned until 0.98 of next words are right (2,000 steps at most, else undecided), more than 0.9 of "
    "the unknown words become the right name through the largest weight, and at least 0.1 more than if the names are "
    "taken in the order of the source, by three standard errors over the seeds; a caveat unless it is clearly less "
    "than 0.05 worse than that order in a language that keeps it.",
    cost="minutes",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
