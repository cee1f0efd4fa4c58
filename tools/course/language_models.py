"""Figures of the chapters before translation: counting, perceptrons, recurrence, forgetting."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from tools.course.drawing import heat, lines
from torch import Tensor

from saccade.layers.cells import Cell, LSTMCell, TanhCell
from saccade.models.ngram import NGram, NGramConfig
from saccade.sequences import Pairs, Sequences
from saccade.special_tokens import EOS

SENTENCES = ("the cat sleeps", "the dog sleeps", "the cat eats the fish")
FIRST = 4
"""The number of the first word: padding, begin, end and unknown come before it."""


def counted(sentences: Sequence[str]) -> tuple[list[str], list[list[float]]]:
    """The words, and what may follow each: one of them, or the end. By saccade's own n-gram model of order two."""
    words = list(dict.fromkeys(" ".join(sentences).split()))
    numbered = [[FIRST + words.index(word) for word in sentence.split()] + [EOS] for sentence in sentences]
    size = FIRST + len(words)
    model = NGram(NGramConfig(order=2), size, size).eval()
    model.count(Pairs(Sequences.of([[EOS]] * len(numbered)), Sequences.of(numbered)))
    model.finish_counting()
    table = model.probabilities(torch.arange(FIRST, size).unsqueeze(1))
    shown = [*range(FIRST, size), EOS]
    return words, table[:, shown].tolist()


def counting() -> str:
    """What may follow a word."""
    words, table = counted(SENTENCES)
    return heat(
        "Probability of the next word, after smoothing",
        words,
        [*words, "end"],
        table,
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


def recurrence() -> str:
    """One word in one of three places, and the state after each word of eight: h' = tanh(x + h / 2)."""
    cell = TanhCell(input_width=1, width=1)
    with torch.no_grad():
        cell.inputs.weight.fill_(1.0)
        cell.recurrent.fill_(0.5)
        words = torch.eye(8).unsqueeze(-1)
        states = cell.read(cell.project(words), cell.initial_state(words)).squeeze(-1).tolist()
    series = {f"at word {place}": [(t, states[place - 1][t - 1]) for t in range(1, 9)] for place in (1, 3, 6)}
    return lines(
        "The state after each word, where one word is 1 and the others 0",
        series,
        across="words read",
        ticks=range(1, 9),
        heights=(0, 0.2, 0.4, 0.6, 0.8),
    )


def forgetting() -> str:
    """How much of the first state's gradient is left after each step, in four networks of 32 numbers."""
    generator = torch.Generator().manual_seed(1)
    words = torch.randn(1, 20, 8, generator=generator)
    tanh, half, open_, wide = (kind(8, 32) for kind in (TanhCell, LSTMCell, LSTMCell, LSTMCell))
    with torch.no_grad():
        for cell in (tanh, half, open_, wide):
            for parameter in cell.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.05)
            cell.inputs.bias.zero_()
        open_.inputs.bias[32:64] = 1.0
        wide.inputs.bias[32:64] = 3.0
    cells = {"tanh": tanh, "LSTM, bias 0": half, "LSTM, bias 1": open_, "LSTM, bias 3": wide}
    return lines(
        "Gradient of the first state, as a share of what it was",
        {name: _left(cell, words) for name, cell in cells.items()},
        across="steps",
        ticks=(0, 5, 10, 15, 20),
        heights=(0, 0.25, 0.5, 0.75, 1),
        digits=2,
    )


def _left(cell: Cell, words: Float[Tensor, "1 steps word"]) -> list[tuple[float, float]]:
    """The gradient of the sum of each state with respect to the first one, as a share of what it was at the start.

    Of an LSTM the state is its cell, which is carried last.
    """
    first = torch.zeros(1, cell.carries * cell.width, requires_grad=True)
    state, left = first, [(0.0, 1.0)]
    for step, word in enumerate(cell.project(words).unbind(1), 1):
        state = cell.step(word, state)
        (gradient,) = torch.autograd.grad(state[0, -cell.width :].sum(), first, retain_graph=True)
        left.append((float(step), float(gradient[0, -cell.width :].norm() / cell.width**0.5)))
    return left
