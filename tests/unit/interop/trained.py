"""A small model with random weights, and all that an export may read of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from saccade.data.shortlist import Shortlist
from saccade.data.tokenizer import Tokenizer
from saccade.models.catalogue import build
from saccade.models.contract import Transducer

SENTENCES = ("Two men are talking in the street.", "A dog runs.", "Nobody knows why the birds came back so early.")
OTHERS = ("Zwei Männer reden auf der Straße.", "Ein Hund läuft.", "Niemand weiß, warum die Vögel früh zurückkamen.")


def small_tokenizers():
    """One for each language."""
    return (
        Tokenizer.train(SENTENCES * 3, pieces="bpe", size=330),
        Tokenizer.train(OTHERS * 3, pieces="bpe", size=341),
    )


@dataclass(frozen=True)
class Trained:
    """As much of a model folder as an export reads."""

    model: Transducer
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    shortlist: Shortlist | None = None
    architecture: str = "transformer"
    source_language: str | None = None
    target_language: str | None = None
    decoding: Mapping[str, Any] = field(default_factory=dict)

    @property
    def model_config(self):
        return self.model.config


def make(config, tokenizers):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        model = build("transformer", config, *(tokenizer.size for tokenizer in tokenizers)).eval()
        for parameter in model.parameters():  # biases and norms begin as zeros and ones, where a mix-up does not show
            parameter.data += 0.1 * torch.randn_like(parameter)
    return model
