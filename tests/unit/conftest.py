"""Small models with everything a model folder has, made from a seed and never trained."""

from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
import torch

from saccade.data.tokenizer import Tokenizer
from saccade.models.catalogue import ARCHITECTURES, build
from saccade.serving.bundle import Bundle

CASES = Path(__file__).parents[1] / "contracts" / "cases"
LINES = [
    "Two men are talking.",
    "A dog runs behind the old school.",
    "She reads a long book about the sea.",
    "The children play football on the grass this year.",
    "An old man drinks tea, and a young woman writes letters.",
]
TASKS = {"translation": "translation", "language-modelling": "language-modelling", "classification": "classification"}
DECODING = {"size": 3, "alpha": 0.6, "coverage": 0.0, "nbest": 1, "extra_length": 2}


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(LINES, pieces="bpe", size=330)


@pytest.fixture(scope="session")
def bundle(tokenizer: Tokenizer) -> Callable[..., Bundle]:
    """A model folder in memory, of any architecture in any of its variants."""

    def make(architecture: str, variant: str = "paper", **changes: Any) -> Bundle:
        known = run_path(str(CASES / f"{architecture.replace('-', '_')}.py"))
        settings = {**known["SIZES"], **known["VARIANTS"].get(variant, {}), **changes}
        config = ARCHITECTURES[architecture].config(**settings)
        torch.manual_seed(7)
        model = build(architecture, config, tokenizer.size, tokenizer.size).eval()
        return Bundle(
            model=model,
            architecture=architecture,
            model_config=config,
            source_tokenizer=tokenizer,
            target_tokenizer=tokenizer,
            task=TASKS[ARCHITECTURES[architecture].task],
            source_language="en",
            target_language="en",
            decoding=DECODING,
            storage="float32",
            digest="5" * 64,
        )

    return make
