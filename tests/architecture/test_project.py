"""The promises the project makes about itself: names, tree, help without torch, one direction of imports."""

import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import saccade

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "saccade"


def test_every_exported_name_can_be_had():
    assert sorted(saccade.__all__) == saccade.__all__
    for name in saccade.__all__:
        assert getattr(saccade, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(saccade, "transduce")


def test_importing_saccade_does_not_import_torch():
    code = "import saccade, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_module_can_be_imported():
    for module in pkgutil.walk_packages([str(PACKAGE)], "saccade."):
        importlib.import_module(module.name)


def test_the_readme_tree_names_every_room_and_only_what_exists():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    tree = re.search(r"```text\nsrc/saccade/\n(.*?)```", readme, re.DOTALL)
    assert tree is not None
    named = set(re.findall(r"^  ([a-z_0-9]+(?:/|\.py))", tree[1], re.MULTILINE))
    rooms = {f"{path.name}/" for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    files = {path.name for path in PACKAGE.glob("*.py")}
    assert named == rooms | files
    for room, listed in re.findall(r"^  ([a-z]+)/ +.*\n((?:    .*\n)*)", tree[1], re.MULTILINE):
        for name in re.findall(r"[a-z_0-9]+\.(?:py|toml)", listed):
            assert (PACKAGE / room / name).exists(), f"README names {room}/{name}"


def test_a_system_knows_the_contract_and_no_other_system():
    for path in (PACKAGE / "models").glob("*.py"):
        known = set(re.findall(r"^from saccade\.models\.(\w+) import", path.read_text(encoding="utf-8"), re.MULTILINE))
        match path.stem:
            case "catalogue":
                continue
            case "contract" | "checks" | "__init__":
                assert known == set(), path.name
            case "capabilities" | "language_model" | "classifier":
                assert known == {"contract"}, path.name
            case "transformer_stacks":  # what several systems are built from
                assert known == {"checks"}, path.name
            case "transformer_fast":
                assert known == {"transformer", "transformer_stacks"}, path.name
            case _:
                kinds = {"contract", "capabilities", "language_model", "classifier", "transformer_stacks"}
                assert "checks" in known, path.name
                assert known - {"checks"} <= kinds, path.name


def test_every_room_says_what_it_is():
    for room in PACKAGE.iterdir():
        if room.is_dir() and (room / "__init__.py").exists():
            assert importlib.import_module(f"saccade.{room.name}").__doc__
