"""Sentences as padded matrices, for libraries that take those."""

import torch

from bench import workload


def padded(rows, pad, dtype=torch.long):
    """Rows of unequal length as one matrix, padded on the right."""
    matrix = torch.full((len(rows), max(map(len, rows))), pad, dtype=dtype)
    for index, row in enumerate(rows):
        matrix[index, : len(row)] = torch.tensor(row, dtype=dtype)
    return matrix


def teacher_forcing(batch):
    """Source, what the decoder reads, and what it must write, with the ids of `work`."""
    source = padded([[*source, workload.EOS] for source, _ in batch], workload.PAD)
    reads = padded([[workload.BOS, *target] for _, target in batch], workload.PAD)
    writes = padded([[*target, workload.EOS] for _, target in batch], workload.PAD)
    return source, reads, writes


def adam(parameters):
    """The paper's betas and epsilon, a fixed rate; as a user writes it, not fused."""
    return torch.optim.Adam(parameters, lr=3e-4, betas=(0.9, 0.98), eps=1e-9)


def parameter_count(model):
    """How many parameters a model has."""
    return sum(parameter.numel() for parameter in model.parameters())
