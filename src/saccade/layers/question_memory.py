"""A memory network that answers a question about a story: Sukhbaatar et al. 2015, sections 2 and 4.1.

    m_i = sum_j l_j * A x_ij + T_A(i),  c_i = sum_j l_j * C x_ij + T_C(i),  u = sum_j l_j * B q_j
    p = softmax(u^T m_i),  o = sum_i p_i c_i,  u <- u + o                      a hop; there are several
    softmax(W u)                                                               over the words that may be the answer

The memory holds a vector for each sentence, and T says how many sentences ago it was. l weighs the words of a sentence
by their places, so that their order counts (position encoding): l_kj = (1 - j/J) - (k/d) (1 - 2 j/J), for unit k of d
and word j of J. Weights are adjacent: the values of a hop are the keys of the next, B is the first A and W the last C.
"""

from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.layers.memory_hop import Hop
from saccade.special_tokens import PAD


class QuestionMemory(nn.Module):
    """Several looks at the sentences of a story, one after the other; `memory_size` sentences at most."""

    def __init__(
        self, vocabulary: int, width: int, hops: int, memory_size: int, initial_deviation: float = 0.1
    ) -> None:
        super().__init__()
        self.hops = nn.ModuleList(Hop() for _ in range(hops))
        self.words = nn.ParameterList(torch.empty(vocabulary, width) for _ in range(hops + 1))
        self.times = nn.ParameterList(torch.empty(memory_size, width) for _ in range(hops + 1))
        """Row i: for a sentence that i others followed."""
        for parameter in self.parameters():
            nn.init.normal_(parameter, std=initial_deviation)

    def forward(
        self, story: Int[Tensor, "batch sentence word"], question: Int[Tensor, "batch word_of_question"]
    ) -> Float[Tensor, "batch vocabulary"]:
        """The scores of the words as answers. Sentences are padded behind; a shorter story begins with empty ones."""
        sentences = story.shape[1]
        ages = torch.arange(sentences - 1, -1, -1, device=story.device).unsqueeze(0)
        seen = (story != PAD).any(dim=2).unsqueeze(1)
        known = [sentence_vectors(story, table) for table in self.words]
        inner = sentence_vectors(question.unsqueeze(1), self.words[0])
        for place, hop in enumerate(self.hops):
            times = self.times[place], self.times[place + 1]
            inner = inner + hop(inner, known[place], known[place + 1], times, ages, seen)
        return functional.linear(inner.squeeze(1), self.words[-1])

    if TYPE_CHECKING:
        __call__ = forward


def sentence_vectors(
    words: Int[Tensor, "batch sentence word"], table: Float[Tensor, "vocabulary width"]
) -> Float[Tensor, "batch sentence width"]:
    """The sum of the vectors of the words of each sentence, weighted by their places; padding counts for nothing."""
    real = words != PAD
    total = real.sum(dim=2).clamp(min=1)[..., None, None].to(table)
    place = torch.arange(1, words.shape[2] + 1).to(table).view(1, 1, -1, 1)
    unit = torch.arange(1, table.shape[1] + 1).to(table).view(1, 1, 1, -1)
    weights = (1 - place / total) - (unit / table.shape[1]) * (1 - 2 * place / total)
    return (functional.embedding(words, table) * weights * real.unsqueeze(3)).sum(dim=2)
