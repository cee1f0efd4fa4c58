"""Figures of the chapters before translation: counting, perceptrons, recurrence, forgetting."""

import torch
from tools.course.drawing import heat

from saccade.models.ngram import NGram, NGramConfig
from saccade.sequences import EOS, Pairs, Sequences

SENTENCES = ("the cat sleeps", "the dog sleeps", "the cat eats the fish")
FIRST = 4
"""The number of the first word: padding, begin, end and unknown come before it."""


def counting() -> str:
    """What may follow a word, by saccade's own n-gram model of order two."""
    words = list(dict.fromkeys(" ".join(SENTENCES).split()))
    numbered = [[FIRST + words.index(word) for word in sentence.split()] + [EOS] for sentence in SENTENCES]
    size = FIRST + len(words)
    model = NGram(NGramConfig(order=2), size, size).eval()
    model.count(Pairs(Sequences.of([[EOS]] * len(numbered)), Sequences.of(numbered)))
    model.finish_counting()
    table = model.probabilities(torch.arange(FIRST, size).unsqueeze(1))
    shown = [*range(FIRST, size), EOS]
    return heat(
        "Probability of the next word, after smoothing",
        words,
        [*words, "end"],
        table[:, shown].tolist(),
        down="after",
        across="next word",
    )


def perceptron() -> str:
    """What two hidden units make of the four cases of the exclusive or."""
    cases = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    hidden = torch.relu(cases @ torch.tensor([[1.0, 1.0], [1.0, 1.0]]) + torch.tensor([0.0, -1.0]))
    answer = hidden @ torch.tensor([1.0, -2.0])
    table = torch.cat([cases, hidden, answer.unsqueeze(1)], dim=1)
    names = ["first", "second", "unit 1", "unit 2", "answer"]
    return heat(
        "Exclusive or: two units bend the plane, one sum reads it",
        ["neither", "second only", "first only", "both"],
        names,
        table.tolist(),
        digits=0,
    )
