"""From the config to a placement: DDP, FSDP or a single process, with activation checkpointing where asked for."""

from saccade.training.activation_checkpointing import checkpoint_layers
from saccade.training.config import TrainingConfig
from saccade.training.ddp import Replicated
from saccade.training.distributed import World
from saccade.training.objective import Objective
from saccade.training.placement import Placement


def parallelize(objective: Objective, config: TrainingConfig, world: World) -> Placement:
    """The placement that the config asks for; a single process holds all weights in any case."""
    placement: Placement
    if config.placement == "sharded" and world.size > 1:
        from saccade.training.fsdp import Sharded  # its import takes seconds, and most runs do not need it

        placement = Sharded(objective, world)
    else:
        placement = Replicated(objective, world)
    if config.recompute == "layers":
        checkpoint_layers(placement.model)
    return placement
