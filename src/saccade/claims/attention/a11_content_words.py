"""A11: a noun looks at verb and object, and hardly at articles."""

import torch
from torch import Generator, Tensor

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.masked_words import learn_to_fill_in, looks
from saccade.claims.measuring.toy_networks import Answering, AttentiveReader

SENTENCE = ("the", "dog", "chased", "the", "ball")
SUBJECT, CONTENT, FUNCTION = 1, (2, 4), (0, 3)
SCENES, WORDS = 4, 3
"""So many kinds of scene, each with so many subjects, verbs and objects of its own."""
THE, SUBJECTS = 0, 1
EACH = SCENES * WORDS
MASK = SUBJECTS + 3 * EACH
VOCABULARY = MASK + 1
WIDTH, LAYERS, HEADS, STEPS, ROWS, TEST = 32, 2, 4, 300, 32, 500


def sentences(rows: int, generator: Generator) -> Tensor:
    """Who does what with what belongs together; the articles say nothing."""
    scene = torch.randint(SCENES, (rows, 1), generator=generator)
    words = WORDS * scene + torch.randint(WORDS, (rows, 3), generator=generator)
    content = SUBJECTS + words + EACH * torch.arange(3)
    the = torch.full((rows, 1), THE)
    return torch.cat([the, content[:, :2], the, content[:, 2:]], dim=1)


def measure(generator: Generator, progress: Progress) -> Findings:
    """Learns to fill in hidden words; then looks at whole sentences from the subject."""
    network = Answering(AttentiveReader(VOCABULARY, WIDTH, layers=LAYERS, heads=HEADS), WIDTH, VOCABULARY)
    tokens = sentences(TEST, generator)
    found: Findings = {}
    _look(network, tokens, "at the start", found)
    places = (SUBJECT, *CONTENT)
    learn_to_fill_in(network, lambda: sentences(ROWS, generator), places, MASK, generator, STEPS, progress)
    _look(network, tokens, "after learning", found)
    heads = looks(network, tokens, SUBJECT).mean(dim=0).flatten(0, 1)
    found["weights"] = heads.tolist()
    found["heads that prefer content"] = float((heads[:, CONTENT].sum(dim=1) > heads[:, FUNCTION].sum(dim=1)).sum())
    # What can be known of a hidden word is its scene.
    hidden = tokens.clone()
    hidden[:, SUBJECT] = MASK
    with torch.no_grad():
        best = network(hidden)[:, SUBJECT].argmax(dim=-1)
    scene, asked = (tokens[:, SUBJECT] - SUBJECTS) // WORDS, torch.div(best - SUBJECTS, WORDS, rounding_mode="floor")
    found["scene right"] = (scene == asked).double().mean().item()
    return found


def _look(network: Answering, tokens: Tensor, when: str, found: Findings) -> None:
    """The weight of the two content words and of the two articles, mean over sentences, layers and heads."""
    mean = looks(network, tokens, SUBJECT).mean(dim=(0, 1, 2))
    found[f"content {when}"], found[f"function {when}"] = (
        mean[list(CONTENT)].sum().item(),
        mean[list(FUNCTION)].sum().item(),
    )


def judge(measured: Measured) -> Judgement:
    """On average, or in some heads, or in none."""
    content, function = measured.each("content after learning"), measured.each("function after learning")
    heads = measured.each("heads that prefer content")
    because = (
        f"“dog” gives “chased” and “ball” {listed(content, 2)} and the two “the” {listed(function, 2)}, mean over "
        f"heads, seed by seed; before learning {listed(measured.each('content at the start'), 2)} and "
        f"{listed(measured.each('function at the start'), 2)}. Of {LAYERS * HEADS} heads "
        f"{', '.join(f'{count:.0f}' for count in heads)} prefer the content words. A hidden “dog” is a word of the "
        f"right scene in {listed(measured.each('scene right'))} of sentences."
    )
    if all(one > other for one, other in zip(content, function, strict=True)):
        return Judgement(Verdict.HOLDS, because)
    return Judgement(Verdict.CAVEAT if min(heads) > 0 else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """What the subject looks at, head by head."""
    axes = figure.subplots()
    image = axes.imshow(measured.matrix("weights"), cmap="viridis", vmin=0)
    axes.set_xticks(range(len(SENTENCE)), SENTENCE)
    axes.set_yticks(
        range(LAYERS * HEADS),
        [f"layer {layer + 1}, head {head + 1}" for layer in range(LAYERS) for head in range(HEADS)],
    )
    figure.colorbar(image, ax=axes, label="mean weight from “dog”")


CLAIM = Claim(
    id="A11",
    title="Content words",
    said="an introduction to the Transformer",
    claim="In “the dog chased the ball”, “dog” attends to “chased” and “ball”, and little to “the”.",
    expected=Verdict.CAVEAT,
    rule="Trained to fill in hidden content words, the subject of a whole sentence gives verb and object together more "
    "weight than the two articles, averaged over heads and sentences, with every seed; a caveat if that is so only in "
    "some heads of every seed.",
    cost="seconds",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
