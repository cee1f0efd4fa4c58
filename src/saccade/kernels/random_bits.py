"""Random decisions that need no memory: whether an element is kept is a function of a seed and of its number.

Dropout has to draw the same mask twice, forward and backward. Torch writes it to memory in between. A hash of
(seed, element number) can simply be computed again. The mixing steps are those of a well-known 32-bit finaliser,
applied once for each half of a 64-bit seed; a fair coin needs no more.
"""

import torch
import triton
import triton.language as tl
from jaxtyping import Bool, Int
from torch import Tensor

_FIRST, _SECOND = 0x7FEB352D, 0x846CA68B


def draw_seed(device: torch.device) -> Int[Tensor, "2"]:
    """Two 32-bit halves of a seed, from torch's generator of that device, so that seeding torch seeds this."""
    return torch.randint(0, 2**32, (2,), device=device)


def threshold_of(probability: float) -> int:
    """An element is dropped where its 32 random bits are below this."""
    return min(round(probability * 2**32), 2**32 - 1)


def keep_mask(seed: Int[Tensor, "2"], numbers: Int[Tensor, "*shape"], probability: float) -> Bool[Tensor, "*shape"]:
    """Which elements are kept, in torch: what the kernel below computes, in 64-bit integers cut to 32 bits."""
    bits = _mixed(_mixed(numbers & 0xFFFFFFFF ^ seed[0]) ^ seed[1])
    return bits >= threshold_of(probability)


def _mixed(bits: Int[Tensor, "*shape"]) -> Int[Tensor, "*shape"]:
    bits = bits ^ bits >> 16
    bits = bits * _FIRST & 0xFFFFFFFF
    bits = bits ^ bits >> 15
    bits = bits * _SECOND & 0xFFFFFFFF
    return bits ^ bits >> 16


@triton.jit
def mixed(bits):
    """One round of mixing 32 bits."""
    bits = bits ^ (bits >> 16)
    bits = bits * 0x7FEB352D
    bits = bits ^ (bits >> 15)
    bits = bits * 0x846CA68B
    return bits ^ (bits >> 16)


@triton.jit
def is_kept(seed, numbers, threshold):
    """Which elements stay; `seed` points to its two halves."""
    low = tl.load(seed).to(tl.uint32)
    high = tl.load(seed + 1).to(tl.uint32)
    return mixed(mixed(numbers.to(tl.uint32) ^ low) ^ high) >= threshold.to(tl.uint32)
