"""The container and the systemd unit start a service that exists, with no more rights than it needs."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import typer
import yaml

from saccade.cli.main import app

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def served(arguments: list[str]) -> dict[str, object]:
    """What `saccade serve` understands; an option that it does not have is an error."""
    program = typer.main.get_command(app)
    command = program.get_command(None, arguments[0])
    return command.make_context(arguments[0], arguments[1:]).params


def instructions(name: str) -> list[str]:
    """What stands behind each instruction of that name."""
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    return re.findall(rf"^{name} +(.*)$", text, re.MULTILINE)


def test_the_container_serves_as_another_user_than_root():
    [entry], [models] = instructions("ENTRYPOINT"), instructions("CMD")
    program, *arguments = json.loads(entry) + json.loads(models)
    found = served(arguments)
    assert (program, found["host"], found["models"]) == ("saccade", "0.0.0.0", ["en-es"])
    assert instructions("USER")[-1].isdigit()
    assert int(instructions("USER")[-1]) > 0
    [health] = instructions("HEALTHCHECK")
    assert f"http://127.0.0.1:{found['port']}/ready" in health


def copied_into_the_container() -> list[str]:
    """The files and folders of the repository that the image is built from."""
    return [name for one in instructions("COPY") if "--from" not in one for name in one.split()[:-1]]


def test_what_the_container_is_built_from_is_there_and_not_ignored():
    allowed = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    assert sorted(copied_into_the_container()) == sorted(allowed)
    assert all((ROOT / name).exists() for name in copied_into_the_container())


def test_what_the_container_is_built_from_can_be_built(tmp_path):
    for name in copied_into_the_container():
        (tmp_path / name).symlink_to(ROOT / name)
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--hooks-only"]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_container_is_built_where_a_compiler_is_for_the_same_python():
    building, running = instructions("FROM")
    assert building == f"{running.removesuffix('-slim')} AS build"


def test_compose_gives_the_service_nothing_to_write_and_only_this_machine_to_listen_to():
    [service] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"].values()
    assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
    assert all(volume.endswith(":ro") for volume in service["volumes"])
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_the_unit_starts_the_service_without_rights(tmp_path):
    unit = DEPLOY / "saccade.service"
    parser = ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read(unit)
    program, *arguments = shlex.split(parser["Service"]["ExecStart"])
    assert program.endswith("/saccade")
    assert served(arguments)["host"] == "127.0.0.1"
    assert parser["Service"]["DynamicUser"] == parser["Service"]["NoNewPrivileges"] == "yes"
    assert parser["Service"]["CapabilityBoundingSet"] == ""
    if shutil.which("systemd-analyze"):
        here = tmp_path / unit.name  # the program need not be installed where the unit is checked
        here.write_text(unit.read_text().replace(program, shutil.which("true") or program))
        checked = subprocess.run(["systemd-analyze", "verify", here], capture_output=True, text=True, check=False)
        assert [line for line in checked.stderr.splitlines() if unit.name in line] == []
