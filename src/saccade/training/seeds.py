"""Dropout that can be repeated."""

import hashlib

import torch


def reseed(seed: int, step: int, micro_batch: int) -> None:
    """Sets torch's generators, on every device, from what identifies a micro-batch of a run.

    Dropout draws from torch's global generators. Seeding them anew for each micro-batch makes what it draws a
    function of (seed, step, micro-batch) and of nothing that happened before: not of validation, not of an
    interruption, not of how many processes share the step. So a checkpoint needs no generator states, and
    continuing is exact by construction.
    """
    digest = hashlib.sha256(f"{seed}/{step}/{micro_batch}".encode()).digest()
    torch.manual_seed(int.from_bytes(digest[:8], "big") >> 1)
