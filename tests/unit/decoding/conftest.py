"""Small real models, in double precision so that a comparison means what it says."""

from collections.abc import Callable

import pytest
import torch

from saccade.models.transformer import Transformer, TransformerConfig

TinyModel = Callable[..., Transformer]


@pytest.fixture(scope="session")
def tiny() -> TinyModel:
    """A factory of Transformers with random weights, sharp enough to have opinions."""

    def build(seed: int, vocabulary: int = 11, maximum_length: int = 23) -> Transformer:
        config = TransformerConfig(
            encoder_layers=1,
            decoder_layers=2,
            width=6,
            inner_width=13,
            heads=3,
            dropout=0.1,
            tie="none",
            maximum_length=maximum_length,
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = Transformer(config, vocabulary, vocabulary).double().eval()
        with torch.no_grad():
            model.output.weight.mul_(2)
        return model

    return build
