"""What every test shares: shape checks, hypothesis profiles, a device, corpora where there are any, a seeded generator.

And a summary at the end of what was not run, grouped by reason.
"""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules

import jaxtyping
import pytest
import tests.shape_checks  # the import hook calls it by this name
from hypothesis import settings

# How long an example takes says more about the machine and its other work than about what is tested. The usual examples
# are the same everywhere, as hypothesis has it for CI: what passes here passes there. Others are found by
# `pytest --hypothesis-profile thorough`.
settings.register_profile("fast", settings.get_profile("ci"), max_examples=40)
settings.register_profile(
    "thorough", settings.get_profile("default"), deadline=None, derandomize=False, max_examples=200
)
settings.load_profile("fast")

# CTranslate2 reads this once, when it is first imported, which may be by a test: interop/ctranslate2.py.
os.environ.setdefault("CT2_USE_MKL", "0")

# Before anything imports saccade: every annotated shape is checked while tests run. Triton reads the source of its
# kernels and cannot work with functions that have been wrapped, so the tests of kernels check what they call.
CHECKER = f"{tests.shape_checks.__name__}.{tests.shape_checks.checked_when_called.__name__}"
tests.shape_checks.check_some_calls()
_rooms = [room.name for room in iter_modules(find_spec("saccade").submodule_search_locations)]
jaxtyping.install_import_hook([f"saccade.{room}" for room in _rooms if room != "kernels"], CHECKER)

TESTS = Path(__file__).parent
UNCHECKED = {
    *(TESTS / part for part in ("browser", "system", "tasks", "unit/bench", "unit/cli", "unit/improving", "unit/runs")),
    TESTS / "unit" / "server",
    *(path for path in (TESTS / "unit" / "serving").glob("test_*.py") if path.stem != "test_word_alignment"),
    *(TESTS / "unit" / "explorer" / f"test_{name}.py" for name in ("server", "session", "side_by_side")),
    *(TESTS / "unit" / part for part in ("comparison/test_compare.py", "tracing/test_what_if.py")),
    TESTS / "differential" / "test_onnx.py",  # in a graph that is being traced, a length is no number
    *(TESTS / "unit" / "training" / f"test_{name}.py" for name in ("loop", "step_eager", "ddp", "fsdp", "nonfinite")),
}
"""Here whole trainings, translations and servers run and no function has a shape of its own. The shapes they pass
through are checked by all other tests; checking them again would take as long as the rest."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", default="cpu", choices=("cpu", "cuda"), help="where tests that have a choice run")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell has what it runs in the background ignore Ctrl-C, and so would every program that a test starts.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--device") == "cpu":
        # Triton kernels run in Triton's interpreter, which looks here when triton is first imported.
        os.environ["TRITON_INTERPRET"] = "1"
    else:
        # Some tests switch on torch's deterministic mode, in which matrix products want this from the start.
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    config.pluginmanager.register(NotRun(config), "not-run")


class NoBrowser(pytest.Module):
    """A file of browser tests where the packages it imports are not installed."""

    def collect(self) -> list[pytest.Item]:
        pytest.skip("playwright and axe-playwright-python are not installed", allow_module_level=True)


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: tests wait for browsers, servers and commands, and others run meanwhile."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + 1


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Browser tests are skipped, file by file, where their packages are not installed."""
    if TESTS / "browser" not in module_path.parents or all(map(find_spec, ("playwright", "axe_playwright_python"))):
        return None
    return NoBrowser.from_parent(parent, path=module_path)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Shape checks are on or off for a test and the fixtures made for it."""
    jaxtyping.config.update("jaxtyping_disable", not UNCHECKED.isdisjoint((item.path, *item.path.parents)))
    tests.shape_checks.begin_test()
    return (yield)


class NotRun:
    """Counts the slow tests that were left out, also in the processes of pytest-xdist, and sums up what was skipped."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.slow = 0

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.slow += sum(item.get_closest_marker("slow") is not None for item in items)

    def pytest_sessionfinish(self) -> None:
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["slow"] = self.slow

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        self.slow = max(self.slow, getattr(node, "workeroutput", {}).get("slow", 0))  # every process collects all tests

    def pytest_terminal_summary(self, terminalreporter) -> None:
        skipped = terminalreporter.stats.get("skipped", [])
        reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
        if reasons or self.slow:
            terminalreporter.section("not run")
        for reason, count in reasons.most_common():
            terminalreporter.line(f"{count:5} skipped: {reason}")
        if self.slow:
            terminalreporter.line(f"{self.slow:5} slow tests: make test-all runs them")


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest):
    """The CPU, or with `--device cuda` the GPU."""
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
