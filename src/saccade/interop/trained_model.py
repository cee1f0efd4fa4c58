"""What an export needs to know about a model; `serving.bundle.Bundle` provides it."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from torch import nn

from saccade.data.shortlist import Shortlist
from saccade.data.tokenizer import Tokenizer


@runtime_checkable
class TrainedModel(Protocol):
    """A model, its vocabularies, and how it is meant to be searched."""

    @property
    def model(self) -> nn.Module:
        """The weights."""
        ...

    @property
    def architecture(self) -> str:
        """Its name in the catalogue of models."""
        ...

    @property
    def model_config(self) -> Any:
        """The config the model was built with."""
        ...

    @property
    def source_tokenizer(self) -> Tokenizer:
        """The source vocabulary."""
        ...

    @property
    def target_tokenizer(self) -> Tokenizer:
        """The target vocabulary."""
        ...

    @property
    def source_language(self) -> str | None:
        """The code of the language it reads, if it was said."""
        ...

    @property
    def target_language(self) -> str | None:
        """The code of the language it writes, if it was said."""
        ...

    @property
    def decoding(self) -> Mapping[str, Any]:
        """The fields of `BeamConfig` that it is searched with, where they differ from the defaults."""
        ...

    @property
    def shortlist(self) -> Shortlist | None:
        """Which target tokens a source token calls for, if that was learned."""
        ...
