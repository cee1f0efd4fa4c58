"""Sentences as padded matrices, for libraries that take those."""

import torch

from bench import work


def padded(rows, pad, dtype=torch.long):
    """Rows of unequal length as one matrix, padded on the right."""
    matrix = torch.full((len(rows), max(map(len, rows))), pad, dtype=dtype)
    for index, row in enumerate(rows):
        matrix[index, : len(row)] = torch.tensor(row, dtype=dtype)
    return matrix


def teacher_forcing(batch):
    """Source, what the decoder reads, and what it must write, with the ids of `work`."""
    source = padded([[*source, work.EOS] for source, _ in batch], work.PAD)
    reads = padded([[work.BOS, *target] for _, target in batch], work.PAD)
    writes = padded([[*target, work.EOS] for _, target in batch], work.PAD)
    return source, reads, writes


def adam(parameters):
    """The paper's betas and epsilon, a fixed rate; as a user writes it, not fused."""
    return torch.optim.Adam(parameters, lr=3e-4, betas=(0.9, 0.98), eps=1e-9)


def size_of(model):
    """How many parameters a model has."""
    return sum(parameter.numel() for parameter in model.parameters())
