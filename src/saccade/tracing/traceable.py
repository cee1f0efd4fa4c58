"""What a trace needs to know of a saved model. `saccade.serving.bundle.Bundle` provides it."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from saccade.data.tokenizer import Tokenizer
from saccade.data.trees import Leaves
from saccade.models.contract import Transducer


@runtime_checkable
class Traceable(Protocol):
    """A model with its tokenizers and search settings."""

    @property
    def model(self) -> Transducer[Any, Any]:
        """The model itself."""

    @property
    def architecture(self) -> str:
        """Its name in the catalogue of models."""

    @property
    def model_config(self) -> Any:
        """The dataclass with its sizes."""

    @property
    def source_tokenizer(self) -> Tokenizer:
        """Cuts the source into tokens."""

    @property
    def target_tokenizer(self) -> Tokenizer:
        """Cuts the target into tokens."""

    @property
    def task(self) -> str:
        """The name of the task it was trained for."""

    @property
    def source_language(self) -> str | None:
        """The language it reads, if that is known."""

    @property
    def target_language(self) -> str | None:
        """The language it writes, if that is known."""

    @property
    def decoding(self) -> Mapping[str, Any]:
        """The settings of the beam search it was saved with."""

    @property
    def leaves(self) -> Leaves | None:
        """What a parser writes for each word; None for every other model."""

    @property
    def digest(self) -> str | None:
        """A checksum of the model folder; None for a model that was never saved."""
