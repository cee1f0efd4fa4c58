"""The campaign in short: the same cases every time. `python -m tests.faults --minutes N` looks for others."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.faults import arguments, campaign
from tests.faults.sandbox import Outcome, Sandbox
from tests.faults.verdict import Failed, judge

SEED = 272


def assert_all_hold(cases: int, seed: int) -> None:
    command = [sys.executable, "-m", "tests.faults", f"--cases={cases}", f"--seed={seed}", "--jobs=1"]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert f"{cases} cases" in done.stdout


def test_a_few_cases_of_every_kind_hold():
    assert_all_hold(12, SEED)


@pytest.mark.slow
def test_thirty_times_as_many_hold():
    assert_all_hold(400, SEED + 12)


def test_the_few_cases_are_of_every_kind_but_the_rarest():
    kinds = {kind for _, kind, _ in campaign.cases(Path(), SEED, None, 12)}
    assert kinds >= set(campaign.KINDS) - {"processes"}


def test_every_verb_has_hostile_arguments():
    import typer

    from saccade.cli.main import app

    assert len(arguments.verbs()) >= 15
    assert {verb.words[0] for verb in arguments.verbs()} == set(typer.main.get_command(app).commands)


def test_a_command_can_start_python_itself(tmp_path):
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)  # pytest closes its folders to other users

    def start_python():
        subprocess.run([sys.executable, "-c", "import sys; print(sys.base_prefix)"], check=True)

    (tmp_path / "materials").mkdir()
    outcome = Sandbox(tmp_path / "box", tmp_path / "materials").run("--version", fault=start_python)
    assert (outcome.code, outcome.stderr) == (0, "")
    assert outcome.stdout.decode().splitlines()[0] == sys.base_prefix


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"stderr": "Traceback (most recent call last):\nValueError"}, "traceback"),
        ({"code": 1, "stderr": "error: x\n"}, "exit code 1"),
        ({"code": -11}, "exit code -11"),
        ({"stderr": ""}, "0 lines of error"),
        ({"stderr": "error: one\nerror: two\n"}, "2 lines of error"),
        ({"stderr": "error: one\nand more\n"}, "and more"),
        ({"code": 130}, "without an interruption"),
        ({"hung": True}, "hung"),
        ({"left_behind": True}, "left behind"),
    ],
)
def test_what_must_not_be_is_noticed(change, said):
    harmless = {
        "arguments": [],
        "code": 2,
        "stdout": b"",
        "stderr": "error: `x` must be 1, but is 2.\n",
        "seconds": 0.1,
    }
    judge(Outcome(**harmless))
    with pytest.raises(Failed, match=said):
        judge(Outcome(**(harmless | change)))
