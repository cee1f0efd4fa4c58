"""How recurrent networks of 2014 and 2015 begin: every parameter drawn uniformly from a narrow range around zero."""

import math

from torch import nn

PUBLISHED_WIDTH = 1000
"""The width of the networks whose authors stated a range."""


def scaled_range(width: int, published: float, published_width: int = PUBLISHED_WIDTH) -> float:
    """The range that makes sums over this width vary as they did over the published one."""
    return published * math.sqrt(published_width / width)


def init_uniform(model: nn.Module, largest: float) -> None:
    """Draws every parameter between minus this and this.

    torch adds two biases where the equations have one; with the second at zero their sum is as the papers'.
    """
    for name, parameter in model.named_parameters():
        if "bias_hh" in name:
            nn.init.zeros_(parameter)
        else:
            nn.init.uniform_(parameter, -largest, largest)
