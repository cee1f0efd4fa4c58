"""What every test shares: shape checks switched on, a device, corpora where there are any, a seeded generator."""

import os
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules

import pytest
from hypothesis import settings
from jaxtyping import install_import_hook

# How long an example takes says more about the machine and its other work than about what is tested.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# Before anything imports saccade: every annotated shape is checked while tests run. Triton reads the source of its
# programs and cannot work with functions that have been wrapped, so the tests of kernels check what they call.
_rooms = [room.name for room in iter_modules(find_spec("saccade").submodule_search_locations)]
install_import_hook([f"saccade.{room}" for room in _rooms if room != "kernels"], "beartype.beartype")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", default="cpu", choices=("cpu", "cuda"), help="where tests that have a choice run")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--device") == "cpu":
        # Triton's programs run in its interpreter; it looks here when it is imported, which nobody has done yet.
        os.environ["TRITON_INTERPRET"] = "1"
    else:
        # Some tests switch on torch's deterministic mode, in which matrix products want this from the start.
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest):
    """The processor, or with `--device cuda` the GPU."""
    import torch

    return torch.device(request.config.getoption("--device"))


@pytest.fixture(scope="session")
def gpu(device):
    """The GPU; tests that need one are skipped where the device is another."""
    if device.type != "cuda":
        pytest.skip("needs a GPU: run pytest with --device cuda")
    return device


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
