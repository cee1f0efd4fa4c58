"""What is installed is what is here: the page's files travel with the package."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "src" / "saccade" / "explorer" / "page"


def test_the_wheel_holds_every_file_of_the_page(tmp_path):
    pytest.importorskip("hatchling", reason="hatchling, which builds the package, is not installed")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    held = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("saccade/explorer/page/")}
    files = {f"saccade/explorer/page/{path.relative_to(PAGE).as_posix()}" for path in PAGE.rglob("*") if path.is_file()}
    assert held == files
