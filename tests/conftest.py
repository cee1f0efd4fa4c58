"""What every test shares: shape checks switched on, corpora where there are any, a seeded generator."""

import os
from pathlib import Path

import pytest
from jaxtyping import install_import_hook

# Before anything imports saccade: every annotated shape is checked while tests run.
install_import_hook("saccade", "beartype.beartype")


@pytest.fixture
def generator():
    import torch

    return torch.Generator().manual_seed(17)


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of real corpora named by SACCADE_DATA; tests that need it are skipped when it is unset."""
    folder = os.environ.get("SACCADE_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("SACCADE_DATA is unset or no folder: no real corpora here")
    return Path(folder)
