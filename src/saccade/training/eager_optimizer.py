"""The base of the optimizers whose steps are written here: torch's own, but for what imports torch's compiler.

torch marks the methods below as not to be compiled. The mark imports the compiler at the first call, which takes as
long as importing torch itself, and nothing here is ever compiled. A method that is no longer marked is the same.
"""

from inspect import unwrap

import torch


class EagerOptimizer(torch.optim.Optimizer):
    """Parameters and what is remembered of each. An optimizer gives it a `step`, which is not to be torch's."""

    add_param_group = unwrap(torch.optim.Optimizer.add_param_group)
    state_dict = unwrap(torch.optim.Optimizer.state_dict)
    load_state_dict = unwrap(torch.optim.Optimizer.load_state_dict)
