"""Convolutions whose kernels grow: the sentence and n-gram models of Kalchbrenner and Blunsom 2013, section 3.

    E_1 = E,  E_i = sigma(K^i * E_{i-1}),  i = 2, 3, ...

A sentence is a matrix with a column for each word. The kernel K^i is i columns wide and is applied to each row of the
matrix by itself, only where it fits: i - 1 columns become fewer with it, and a column of E_i has seen
1 + 1 + 2 + ... + (i - 1) words.

    sentence model   goes on until fewer columns are left than the next kernel is wide; if that is more than one, a
                     kernel L^j just as wide as what is left makes one column of them
    n-gram model     stops where a column has seen n words
    its inverse      from n-grams back to words: every column spreads over i columns, i falling to 2

Rows of a batch have lengths of their own. A kernel that only goes where it fits makes real columns of real columns, so
padding is harmless as long as each row stops when its own columns are used up.
"""

import math
from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.recording import watcher

GAIN = 4.0
"""A logistic unit passes on a quarter of what varies in its input; weights must be so much larger than for tanh."""


class GrowingKernels(nn.Module):
    """A kernel of each width from 2 to `widest`, side by side in one table.

    Which of them a batch needs depends on its lengths. The table as a whole is always needed. The first kernel of a
    sentence reads words, which vary around zero; all others read logistic units.
    """

    def __init__(self, width: int, widest: int, reads_words: bool) -> None:
        super().__init__()
        self.widest = widest
        self.table = nn.Parameter(torch.empty(width, self._place(widest + 1)))
        for size in range(2, widest + 1):
            kernel = self.table.data[:, self._place(size) : self._place(size + 1)]
            if reads_words and size == 2:
                nn.init.uniform_(kernel, -math.sqrt(3 / size), math.sqrt(3 / size))
            else:
                for_logistic_units(kernel)

    @staticmethod
    def _place(size: int) -> int:
        return size * (size - 1) // 2 - 1

    def of(self, size: int) -> Float[Tensor, "width 1 size"]:
        """The kernel so many columns wide."""
        return self.table[:, self._place(size) : self._place(size + 1)].unsqueeze(1)

    def padded(self) -> Float[Tensor, "sizes width widest"]:
        """All kernels, each filled up with zeros; the one of width j at place j, and none at 0 and 1."""
        kernels = [functional.pad(self.of(size)[:, 0], (0, self.widest - size)) for size in range(2, self.widest + 1)]
        nothing = self.table.new_zeros(len(self.table), self.widest)
        return torch.stack([nothing, nothing, *kernels])


def for_logistic_units(weights: Float[Tensor, "units inputs"]) -> None:
    """Starts the weights of logistic units whose inputs are logistic units.

    Such inputs vary around a half. With weights that sum to zero the half has no effect, and every unit starts where
    it is most sensitive; with so much variance, as much varies after it as before. Otherwise little would be left of
    a sentence after the handful of units that one is led through here.
    """
    inputs = weights.shape[1]
    reach = GAIN * math.sqrt(3 / max(inputs - 1, 1))
    nn.init.uniform_(weights, -reach, reach)
    with torch.no_grad():
        weights -= weights.mean(dim=1, keepdim=True)


def narrowed(
    columns: Float[Tensor, "batch width columns"], kernel: Float[Tensor, "width 1 size"]
) -> Float[Tensor, "batch width fewer"]:
    """sigma(K * E), only where the kernel fits."""
    return functional.conv1d(columns, kernel, groups=len(kernel)).sigmoid()


class SentenceModel(nn.Module):
    """A sentence of at most `longest` words as one vector."""

    def __init__(self, width: int, longest: int) -> None:
        super().__init__()
        widest = math.ceil(math.sqrt(2 * max(longest, 2)))
        self.narrowing = GrowingKernels(width, widest, reads_words=True)
        self.closing = GrowingKernels(width, widest, reads_words=False)

    def forward(
        self, words: Float[Tensor, "batch length width"], lengths: Int[Tensor, " batch"]
    ) -> Float[Tensor, "batch width"]:
        """The last column of every row."""
        columns = words.transpose(1, 2)
        left = lengths
        widest = self.narrowing.widest
        ends = _first(columns, widest)
        for size in range(2, widest + 1):
            if columns.shape[2] < size:
                break
            columns = narrowed(columns, self.narrowing.of(size))
            if watch := watcher(self):
                watch(kernel=size, reaches_back=0)
            goes_on = left >= size
            left = torch.where(goes_on, left - (size - 1), left)
            ends = torch.where(goes_on.view(-1, 1, 1), _first(columns, widest), ends)
        closing = self.closing.padded().index_select(0, left)
        closed = (ends * closing).sum(-1).sigmoid()
        return torch.where((left == 1).unsqueeze(1), ends[:, :, 0], closed)

    if TYPE_CHECKING:
        __call__ = forward


class NgramModel(nn.Module):
    """The sentence model, stopped where a column has seen `ngram` words.

    A sentence of fewer words is read as if zeros followed it.
    """

    def __init__(self, width: int, ngram: int) -> None:
        super().__init__()
        self.ngram = ngram
        self.kernels = GrowingKernels(width, widest_of(ngram), reads_words=True)

    def forward(
        self, words: Float[Tensor, "batch length width"], real: Bool[Tensor, "batch length"]
    ) -> Float[Tensor, "batch ngrams width"]:
        """A column for each n-gram; those of a row that has fewer are followed by what means nothing."""
        missing = max(self.ngram - words.shape[1], 0)
        columns = functional.pad(words.masked_fill(~real.unsqueeze(-1), 0.0).transpose(1, 2), (0, missing))
        for size in range(2, self.kernels.widest + 1):
            columns = narrowed(columns, self.kernels.of(size))
            if watch := watcher(self):
                watch(kernel=size, reaches_back=0)
        return columns.transpose(1, 2)

    if TYPE_CHECKING:
        __call__ = forward


class InverseNgramModel(nn.Module):
    """From n-grams to words: sigma of every column spread by K^i over i columns, overlaps added, i falling to 2."""

    def __init__(self, width: int, ngram: int) -> None:
        super().__init__()
        self.kernels = GrowingKernels(width, widest_of(ngram), reads_words=False)

    def forward(
        self, ngrams: Float[Tensor, "batch ngrams width"], counts: Int[Tensor, " batch"]
    ) -> Float[Tensor, "batch words width"]:
        """A few columns more than there are, n - 1 in all; `counts` says how many n-grams each row has."""
        columns = ngrams.transpose(1, 2)
        for size in range(self.kernels.widest, 1, -1):
            places = torch.arange(columns.shape[2], device=columns.device)
            real = (places < counts.unsqueeze(1)).unsqueeze(1)
            kernel = self.kernels.of(size)
            spread = functional.conv_transpose1d(columns.masked_fill(~real, 0.0), kernel, groups=len(kernel))
            columns, counts = spread.sigmoid(), counts + size - 1
        return columns.transpose(1, 2)

    if TYPE_CHECKING:
        __call__ = forward


def widest_of(ngram: int) -> int:
    """How wide the last kernel is where a column has seen `ngram` words; 0 if no column ever sees just so many."""
    widest = (1 + math.isqrt(8 * ngram - 7)) // 2
    return widest if widest >= 2 and widest * (widest - 1) // 2 + 1 == ngram else 0


def _first(columns: Float[Tensor, "batch width columns"], count: int) -> Float[Tensor, "batch width count"]:
    """The first `count` columns, zeros where there are fewer."""
    return functional.pad(columns[:, :, :count], (0, max(count - columns.shape[2], 0)))
