"""A11: a noun looks at verb and object, and hardly at articles."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Generator, Tensor

from saccade.attention.recording import recording
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import clearly, verdict, with_error
from saccade.claims.measuring.masked_words import learn_to_fill_in, looks
from saccade.claims.measuring.toy_networks import Answering, AttentiveReader
from saccade.models.contract import Transducer
from saccade.sequences import Sequences
from saccade.serving.loading import load
from saccade.special_tokens import EOS

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


SUBJECTS_SAID, VERBS_SAID = ("dog", "cat", "boy", "man", "girl", "bird"), ("saw", "found", "lost", "wants", "bought")
OBJECTS_SAID = ("ball", "book", "car", "house", "money", "water")
"""Words that are single pieces of the shipped model, for the sentences it is shown."""


def measure(generator: Generator, progress: Progress) -> Findings:
    """A small network that learns to fill in words, and the encoder of the shipped translator."""
    return {**small_network(generator, progress), **translator(generator)}


def translator(generator: Generator) -> Findings:
    """The same weights of the shipped English-Spanish model, over sentences of the same form."""
    held = load("en-es", device="cpu", engine="torch")
    said = [
        f"The {subject} {verb} the {thing}."
        for subject in SUBJECTS_SAID
        for verb in VERBS_SAID
        for thing in OBJECTS_SAID
    ]
    chosen = [said[place] for place in torch.randperm(len(said), generator=generator)[: len(said) // 2].tolist()]
    content, function, count = 0.0, 0.0, 0
    for tokens in held.source_tokenizer.encode(chosen):
        if len(tokens) != len(SENTENCE) + 1:  # and a full stop; where there are more, a word has several pieces
            continue
        weights = _encoder_weights(held.model, tokens)[:, :, SUBJECT].mean(dim=(0, 1))
        content += weights[list(CONTENT)].sum().item()
        function += weights[list(FUNCTION)].sum().item()
        count += 1
    assert count, "no sentence has a piece for each word"
    return {"translator, content": content / count, "translator, function": function / count}


def _encoder_weights(model: Transducer[Any, Any], tokens: Sequence[int]) -> Tensor:
    """The weights of every layer and head of the encoder over one sentence."""
    with torch.no_grad(), recording(model) as record:
        model.encode(Sequences.of([[*tokens, EOS]]))
    return torch.stack([weights[0][0] for name, weights in record.items() if "encoder" in name])


def small_network(generator: Generator, progress: Progress) -> Findings:
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
    """In both, in one of them, or in neither."""
    figures = {
        "a small network": ("content after learning", "function after learning"),
        "the translator": ("translator, content", "translator, function"),
    }
    because = "“dog” gives “chased” and “ball”, and the two “the”, mean over heads: " + "; ".join(
        f"{name} {with_error(measured.each(content), 2)} and {with_error(measured.each(function), 2)}"
        for name, (content, function) in figures.items()
    )
    heads = measured.mean("heads that prefer content")
    because += (
        f" (± over draws of its sentences: it is one model). Of the {LAYERS * HEADS} heads of the small "
        f"network {heads:.1f} prefer the content words; a hidden “dog” is "
        f"a word of the right scene in {with_error(measured.each('scene right'))} of sentences."
    )
    small, large = (clearly(measured, content, over=function, by=0.05) for content, function in figures.values())
    return Judgement(verdict([large], [small]), because)


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
    expected=Verdict.FAILS,
    rule="Averaged over heads, layers and sentences, the subject gives verb and object together at least 0.05 more "
    "weight than the two articles, by three standard errors, in the encoder of the shipped translator, else "
    "the claim does not hold (or is undecided within three standard errors); a caveat if that is not clearly "
    "so in a small network that has learned to fill in hidden content words.",
    changed="Rule and experiment. In the small network articles got more (0.46 to 0.49) than content words (0.34 "
    "to 0.37) with every seed, and yet it was called a caveat, because some heads do otherwise. Now that "
    "does not count, and a trained translator is looked into; in a first look, without the token that ends "
    "a sentence, it gave 0.290 and 0.285.",
    cost="seconds",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
