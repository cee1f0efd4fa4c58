"""T24: trees from sentences, with few examples and with many."""

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from torch import Generator

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import Answer, above, clearly, opposite, stated, verdict, verdict_of_several
from saccade.claims.measuring.toy_training import share
from saccade.claims.measuring.trained_arms import TrainedArms
from saccade.data.synthetic_treebank import derive
from saccade.data.trees import Tree
from saccade.evaluation.bracket_score import bracket_counts
from saccade.serving.loading import load

SIZES = (1_000, 40_000)
HELD_OUT, LONGEST = 500, 24
GAIN, ILL_FORMED = 0.5, 1.0
"""Points of F1 by which the Transformer must lead, and percent of outputs that may be no tree over the words."""
TRANSFORMER, RNN = "Transformer", "RNNsearch"


def treebank(folder: Path) -> dict[str, str]:
    """Files of trees, no sentence twice: a small and a large part to learn from, and what is held out."""
    chance = random.Random(2017)
    found: dict[tuple[str, ...], Tree] = {}
    while len(found) < max(SIZES) + 2 * HELD_OUT:
        tree = derive(chance)
        if len(tree.words) <= LONGEST:
            found.setdefault(tree.words, tree)
    trees = [str(tree) for tree in found.values()]
    parts = {"valid": trees[:HELD_OUT], "test": trees[HELD_OUT : 2 * HELD_OUT]}
    parts |= {f"{size}": trees[2 * HELD_OUT : 2 * HELD_OUT + size] for size in SIZES}
    names = {}
    for name, lines in parts.items():
        path = folder / f"{name}.txt"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        names[name] = str(path)
    return names


def ill_formed(run: Path, trees: Path) -> Mapping[str, float]:
    """Percent of outputs that are no tree over the words of the sentence, where nothing keeps them from it."""
    references = trees.read_text(encoding="utf-8").splitlines()
    sentences = [" ".join(Tree.read(line).words) for line in references]
    written = load(run / "model", device="cpu").translate(sentences, constrained=False)
    bad = sum(not bracket_counts(text, tree).well_formed for text, tree in zip(written, references, strict=True))
    return {"ill-formed": 100 * bad / len(references)}


ARMS = TrainedArms(
    "tiny-parsing",
    {
        TRANSFORMER: {"dropout": 0.1},
        RNN: {
            "architecture": "rnnsearch",
            "width": 88,
            "embedding_width": 64,
            "deviation": 0.1,
            "dropout": 0.1,
            "maximum_length": 256,
        },
    },
    metric="bracket_f1",
    training={"steps": 3000, "warmup": 300, "validate_every": 3000, "checkpoint_every": 3000, "keep_checkpoints": None},
    otherwise_trained={RNN: {"learning_rate": 3e-3, "learning_rate_factor": None, "clip": 1.0}},
)
"""Of equal parameters, but for a few percent."""


def measure(generator: Generator, progress: Progress) -> Findings:
    """Both learn from a thousand trees and from forty thousand."""
    found: Findings = {}
    with TemporaryDirectory(prefix="saccade-claim-") as name:
        files = treebank(Path(name))
        held_out = {"valid_source": files["valid"], "test_source": files["test"]}
        for done, size in enumerate(SIZES):
            arms = replace(
                ARMS,
                data={"corpus": None, "source": files[f"{size}"], **held_out},
                look=lambda run: ill_formed(run, Path(files["test"])),
            )
            part = arms.measure(generator, share(progress, done, len(SIZES)))
            found |= {f"{size} trees, {what}": value for what, value in part.items()}
    return found


def judge(measured: Measured) -> Judgement:
    """Better at both sizes, or at one; and what it writes must be trees."""
    names = [f"{size} trees, {arm}" for size in SIZES for arm in ARMS.arms]
    because = f"F1 of labelled brackets: {stated(measured, names, 2)}; percent that is no tree over the words: " + (
        stated(measured, [f"{name}, ill-formed" for name in names], 2) + "."
    )
    better = [clearly(measured, f"{size} trees, {TRANSFORMER}", over=f"{size} trees, {RNN}", by=GAIN) for size in SIZES]
    decided = verdict_of_several(better)
    if decided == Verdict.HOLDS:
        trees: list[Answer] = [
            opposite(above(measured, f"{size} trees, {TRANSFORMER}, ill-formed", ILL_FORMED)) for size in SIZES
        ]
        decided = verdict([], trees)
    return Judgement(decided, because)


def plot(figure: Figure, measured: Measured) -> None:
    """F1 against the number of trees, seed by seed."""
    axes = figure.subplots()
    for arm in ARMS.arms:
        points = [(size, value) for size in SIZES for value in measured.each(f"{size} trees, {arm}")]
        axes.semilogx(*zip(*points, strict=True), "o", label=arm, alpha=0.7)
    axes.set(xlabel="trees to learn from", ylabel="F1 of labelled brackets")
    axes.legend(loc="lower right")


CLAIM = Claim(
    id="T24",
    title="Parsing with few trees and with many",
    said="Vaswani et al. 2017, section 6.3 and Table 4",
    claim="The Transformer carries over to parsing, with much training data and with little, and is better at it than "
    "a recurrent network that translates.",
    expected=Verdict.CAVEAT,
    rule="Trees of a small grammar from their words, written as text: a Transformer and an RNNsearch of equal "
    "parameters and steps learn from 1,000 trees and from 40,000. F1 of labelled brackets is higher by more than 0.5 "
    "with the Transformer at both sizes, by three standard errors over the seeds; with a caveat if that is so at one "
    "size and clearly not at the other, or if more than 1 % of what it writes freely is no tree over the words; it "
    "does not hold if it is so at neither.",
    cost="GPU",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
