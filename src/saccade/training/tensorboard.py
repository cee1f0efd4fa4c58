"""TensorBoard curves from the events of the journal."""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from saccade.errors import ConfigError
from saccade.training.journal import Event, Listener

_UNPLOTTED = {"event", "step", "steps", "tokens"}


def tensorboard(folder: Path) -> Listener:
    """A listener that writes each number of `train` and `validation` events as a curve over steps.

    The folder is made with the first of them, so that a run which is refused leaves none behind.
    """
    try:
        from torch.utils.tensorboard.writer import SummaryWriter
    except ImportError as problem:
        raise ConfigError(
            "TensorBoard must be installed, but is not. Run `pip install 'tensorboard>=2.18'`."
        ) from problem
    return partial(_write, cache(lambda: SummaryWriter(str(folder))))


def _write(opened: Callable[[], Any], event: Event) -> None:
    if event["event"] not in {"train", "validation"}:
        return
    writer = opened()
    for name, value in event.items():
        if name not in _UNPLOTTED and isinstance(value, int | float):
            writer.add_scalar(f"{event['event']}/{name}", value, event["step"])
    writer.flush()
