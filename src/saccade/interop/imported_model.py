"""What an import makes of a model of another program: all that a model folder of ours holds."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from saccade.data.language_tokens import in_languages
from saccade.data.tokenizer import Tokenizer
from saccade.data.vocabulary_tokenizer import Vocabulary, VocabularyTokenizer
from saccade.errors import ConfigError, did_you_mean
from saccade.layers.initialisation import skip_init
from saccade.memory import FOR_A_MODEL, memory_is_enough
from saccade.models.catalogue import ARCHITECTURES, build
from saccade.models.contract import IMPOSSIBLE, Transducer
from saccade.special_tokens import BOS
from saccade.weights import restore_weights

ARCHITECTURE = "transformer"
"""What every import becomes, by its name in the catalogue."""
LARGEST_POSITION = 1 << 16
"""The longest table of positions that a description may ask for."""


@dataclass(frozen=True)
class ImportedModel:
    """A model with its tokenizers, and the search it is meant to be used with.

    `origin` names the kind of model it was. `left_out` says, a line each, what its description asks for and we do not.
    `note` is what else a user should know, in a sentence or two.
    """

    model: Transducer[Any, Any]
    model_config: Any
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    decoding: Mapping[str, Any]
    source_language: str | None
    target_language: str | None
    origin: str
    left_out: tuple[str, ...] = ()
    note: str = ""

    def with_prefix(self, piece: str) -> "ImportedModel":
        """The same model with this piece before every source."""
        tokenizer = self.source_tokenizer
        if not isinstance(tokenizer, VocabularyTokenizer):
            raise ConfigError(f"`prefix` must be left out for a model that saccade trained, but is {piece!r:.40}.")
        if tokenizer.vocabulary.language_codes:
            raise ConfigError("`prefix` must be left out for a model whose texts begin with their language. Name that.")
        vocabulary = tokenizer.vocabulary
        if piece not in vocabulary.ids:
            raise ConfigError(
                f"`prefix` must be a piece of the source vocabulary, but is {piece!r:.40}."
                f"{did_you_mean(vocabulary.language_names.get(piece, piece), vocabulary.languages)}"
            )
        return replace(self, source_tokenizer=tokenizer.beginning_with(piece))

    def between(self, source_language: str | None, target_language: str | None) -> "ImportedModel":
        """The same model with these languages to read and to write where no others are named."""
        tokenizers = self.source_tokenizer, self.target_tokenizer
        source, target = in_languages(tokenizers, source_language, target_language)
        return replace(
            self,
            source_tokenizer=source,
            target_tokenizer=target,
            source_language=source_language or self.source_language,
            target_language=target_language or self.target_language,
        )

    def card(self) -> str:
        """A model card: only what is known."""
        languages = " to ".join(code for code in (self.source_language, self.target_language) if code)
        missing = "".join(f"- {line}\n" for line in self.left_out)
        note = f"\n{self.note}\n" if self.note else ""
        return (
            f"# {languages or 'Imported model'}\n\nImported from {self.origin} by saccade. Who trained it, on what, "
            "and under which licence stands in the card of the original.\n" + note
        ) + (f"\nIts settings also ask for what saccade does not do:\n\n{missing}" if missing else "")


def transformer_config(**settings: Any) -> Any:
    """The config of a Transformer with these settings."""
    return ARCHITECTURES[ARCHITECTURE].config(**settings)


def built(
    config: Any, weights: Mapping[str, Tensor], vocabularies: tuple[int, int], where: str
) -> Transducer[Any, Any]:
    """The model of this config with these weights, in evaluation mode; every wrong shape is named at once."""
    with memory_is_enough(f"the model in `{where}`", FOR_A_MODEL), torch.random.fork_rng(devices=[]):
        with skip_init():
            model = build(ARCHITECTURE, config, *vocabularies).eval()
        restore_weights(model, weights, f"the weights in `{where}`", assign=True)
    return model


def with_start(rows: Tensor, vocabulary: Vocabulary, start: int) -> Tensor:
    """Rows in the order of our token ids; BOS, which is new, gets the row of what the decoder began with."""
    return rows[[start if number is None else number for number in vocabulary.original_ids]].contiguous()


def output_bias(bias: Tensor, vocabulary: Vocabulary) -> Tensor:
    """The bias of every token in the order of our ids, where BOS is impossible."""
    ours = with_start(bias, vocabulary, 0)
    ours[BOS] = IMPOSSIBLE
    return ours
