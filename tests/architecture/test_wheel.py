"""What is installed is what is here: the page's files travel with the package."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "src" / "saccade" / "explorer" / "page"


def built(folder: Path, **environment: str) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env={**os.environ, **environment})
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


@pytest.fixture
def copied(tmp_path):
    """As much of the sources as a build looks at, and no library built before."""
    pytest.importorskip("hatchling", reason="hatchling, which builds the package, is not installed")
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "sbom.cdx.json", ".gitignore"):
        shutil.copy(ROOT / name, tmp_path)
    skipped = shutil.ignore_patterns("*.native", "shipped", "page", "__pycache__")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=skipped)
    return tmp_path


@pytest.mark.slow
def test_a_wheel_built_with_a_compiler_holds_the_library_and_is_for_this_machine(copied):
    if shutil.which(os.environ.get("CXX", "c++")) is None:
        pytest.skip("there is no C++ compiler")
    wheel = built(copied)
    libraries = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".native")]
    assert len(libraries) == 1
    assert re.search(r"-py3-none-(?!any)\w+\.whl$", wheel.name)


@pytest.mark.slow
def test_without_a_compiler_the_wheel_is_for_every_machine(copied):
    wheel = built(copied, CXX="no-such-compiler")
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".native")]
    assert wheel.name.endswith("-py3-none-any.whl")


def test_the_wheel_holds_every_file_of_the_page(tmp_path):
    pytest.importorskip("hatchling", reason="hatchling, which builds the package, is not installed")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    held = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("saccade/explorer/page/")}
    files = {f"saccade/explorer/page/{path.relative_to(PAGE).as_posix()}" for path in PAGE.rglob("*") if path.is_file()}
    assert held == files
