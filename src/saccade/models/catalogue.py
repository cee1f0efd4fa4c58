"""Every architecture saccade knows: one line each. The command line, checkpoints, tests and reports read this."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from saccade.errors import ConfigError, did_you_mean
from saccade.models.contract import Seq2Seq
from saccade.models.transformer import Transformer, TransformerConfig


@dataclass(frozen=True)
class Architecture:
    """A system of the lineage: what configures it, what builds it, where it comes from."""

    name: str
    config: type[Any]
    model: Callable[[Any, int, int], Seq2Seq[Any, Any]]
    paper: str
    summary: str


ARCHITECTURES = {
    architecture.name: architecture
    for architecture in (
        Architecture("transformer", TransformerConfig, Transformer, "vaswani2017", "attention alone, in both stacks"),
    )
}


def architecture(name: str) -> Architecture:
    """The architecture of that name."""
    if name not in ARCHITECTURES:
        raise ConfigError(
            f"`model.architecture` must be one of {', '.join(sorted(ARCHITECTURES))}, but is {name!r}."
            f"{did_you_mean(name, ARCHITECTURES)}"
        )
    return ARCHITECTURES[name]


def build(name: str, config: Any, source_vocabulary: int, target_vocabulary: int) -> Seq2Seq[Any, Any]:
    """A new model, its weights drawn from torch's global generator."""
    return architecture(name).model(config, source_vocabulary, target_vocabulary)
