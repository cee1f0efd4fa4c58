"""Seeds of dropout: a function of seed, step and micro-batch, so that resuming is exact."""

import hashlib

import torch


def reseed(seed: int, step: int, micro_batch: int) -> None:
    """Seeds torch's random generators, on every device, for one micro-batch of a run.

    Dropout draws from torch's global generators. Seeding them for each micro-batch makes what it draws a function of
    (seed, step, micro-batch) and of nothing that happened before: not of validation, not of an interruption, not of
    how many processes share the step. So a checkpoint needs no generator states, and resuming is exact.
    """
    digest = hashlib.sha256(f"{seed}/{step}/{micro_batch}".encode()).digest()
    torch.manual_seed(int.from_bytes(digest[:8], "big") >> 1)
