"""What saccade depends on: pinned for every platform, with licences that are listed, and a list inside the wheel."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-cuda.lock")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PLATFORMS = [
    (platform, python)
    for platform in (
        "x86_64-manylinux_2_28",
        "aarch64-manylinux_2_28",
        "aarch64-apple-darwin",
        "x86_64-pc-windows-msvc",
    )
    for python in ("3.11", "3.12")
]


def locked(name: str) -> dict[str, list[Requirement]]:
    """The pins of a lock file by package."""
    found: dict[str, list[Requirement]] = {}
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            one = Requirement(line)
            found.setdefault(canonicalize_name(one.name), []).append(one)
    return found


def version(pin: Requirement) -> str:
    return str(pin.specifier).removeprefix("==")


@pytest.mark.parametrize("name", LOCKS)
def test_every_line_of_a_lock_file_names_one_version(name):
    pins = [pin for found in locked(name).values() for pin in found]
    assert pins
    for pin in pins:
        assert re.fullmatch(r"==[^*,+]+", str(pin.specifier)), pin
        assert not pin.extras, pin
        assert pin.url is None, pin


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("requirements.lock", PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["build"]),
        (
            "requirements-dev.lock",
            PROJECT["project"]["dependencies"] + PROJECT["project"]["optional-dependencies"]["dev"],
        ),
    ],
)
def test_what_the_project_asks_for_is_locked_in_a_version_that_fits(name, wanted):
    pins = locked(name)
    for line in wanted:
        asked = Requirement(line)
        for pin in pins[canonicalize_name(asked.name)]:
            assert asked.specifier.contains(version(pin)), (line, str(pin))


def test_the_lock_files_agree_with_each_other():
    dev = locked("requirements-dev.lock")
    for name, pins in locked("requirements.lock").items():
        assert dev[name] == pins
    assert locked("requirements-cuda.lock")["triton"][0] in dev["triton"]  # as torch wants it


def test_what_only_a_gpu_needs_is_a_constraint():
    for name in LOCKS[:2]:
        assert not [package for package in locked(name) if package.startswith(("nvidia-", "cuda-"))]


def test_torch_stays_where_the_project_pins_it():
    [pinned] = PROJECT["tool"]["uv"]["constraint-dependencies"]
    assert [str(pin) for pin in locked("requirements.lock")["torch"]] == [pinned]


def test_licences_are_listed_for_what_is_locked():
    document = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| \[?([a-z0-9.-]+)[^|]* \| (\d[^ |]*) \| [^|]+ \|$", document, re.MULTILINE))
    dev = locked("requirements-dev.lock")
    linux = {
        "sys_platform": "linux",
        "platform_system": "Linux",
        "python_version": "3.11",
        "python_full_version": "3.11.0",
    }
    needed = {
        name: version(pin)
        for name, pins in dev.items()
        for pin in pins
        if pin.marker is None or pin.marker.evaluate(linux | {"platform_machine": "x86_64"})
    }
    assert listed == needed


def test_the_list_of_components_is_that_of_the_lock_file():
    components = json.loads((ROOT / "sbom.cdx.json").read_text(encoding="utf-8"))["components"]
    pins = locked("requirements.lock")
    assert {one["name"]: one["version"] for one in components} == {name: version(pin) for name, [pin] in pins.items()}


def test_the_wheel_holds_the_list_of_components(tmp_path):
    pytest.importorskip("hatchling", reason="hatchling, which builds the package, is not installed")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        [inside] = [name for name in archive.namelist() if ".dist-info/sboms/" in name]
        assert archive.read(inside) == (ROOT / "sbom.cdx.json").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(("platform", "python"), PLATFORMS)
def test_the_lock_files_can_be_installed(platform, python, tmp_path):
    """Asks the package index whether there is a build of every package; downloads nothing."""
    options = [
        "--dry-run",
        "--only-binary",
        ":all:",
        "--python-platform",
        platform,
        "--python-version",
        python,
    ]
    files = ["-r", str(ROOT / "requirements-dev.lock"), "-c", str(ROOT / "requirements-cuda.lock")]
    asked = subprocess.run(
        [Path(sys.executable).with_name("uv"), "pip", "install", *options, "--target", str(tmp_path), *files],
        env=os.environ | {"MACOSX_DEPLOYMENT_TARGET": "14.0"},
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode and re.search("connect|network|dns|offline|timed out", asked.stderr, re.IGNORECASE):
        pytest.skip("the package index cannot be reached")
    assert asked.returncode == 0, asked.stderr
    wanted = set(re.findall(r"^ \+ (\S+)==", asked.stderr, re.MULTILINE))
    known = locked("requirements-dev.lock").keys() | locked("requirements-cuda.lock").keys()
    assert "torch" in wanted
    assert wanted <= known  # nothing comes in that is not pinned
