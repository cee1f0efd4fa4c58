"""A tiny model with untrained weights and a real tokenizer: everything but good translations."""

from pathlib import Path

import pytest
import torch

from saccade.data.tokenizer import Tokenizer
from saccade.models.catalogue import build
from saccade.models.transformer import TransformerConfig
from saccade.serving.bundle import Bundle

SENTENCES = (
    "Two men are talking in the street.",
    "A dog runs.",
    "The children of the town play football on the grass behind the old school.",
    "She reads.",
    "Nobody knows why the birds came back so early this year.",
)
CONFIG = TransformerConfig(
    encoder_layers=2, decoder_layers=2, width=24, inner_width=40, heads=3, dropout=0.1, maximum_length=64
)
DECODING = {"size": 3, "alpha": 0.6, "extra_length": 7}


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    """Matrices this small lose more to threads waiting for each other than they gain."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(SENTENCES * 3, pieces="bpe", size=330)


@pytest.fixture(scope="session")
def make_bundle(tokenizer):
    def make(folder: Path, seed: int = 4, card: str = "# An untrained model\n", **changes) -> Path:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = build("transformer", CONFIG, tokenizer.size, tokenizer.size).eval()
        options = {
            "model": model,
            "architecture": "transformer",
            "model_config": CONFIG,
            "source_tokenizer": tokenizer,
            "target_tokenizer": tokenizer,
            "task": "translation",
            "source_language": "en",
            "target_language": "xx",
            "decoding": DECODING,
        }
        Bundle(**(options | changes)).save(folder, card)
        return folder

    return make


@pytest.fixture(scope="session")
def folder(make_bundle, tmp_path_factory) -> Path:
    return make_bundle(tmp_path_factory.mktemp("models") / "tiny")
