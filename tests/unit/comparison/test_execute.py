import json
import os
import signal
import sys
import time

import pytest

from saccade.comparison.execute import PlannedRun, longest_first, pool, why_it_failed
from saccade.comparison.plan import base_recipe
from saccade.comparison.throughput import steps_per_second
from saccade.errors import ConfigError, InputError, RunError


def scores(out, label):
    report = json.loads((out / "report.json").read_text())
    (system,) = [one for one in report["systems"] if one["label"] == label]
    return system["score"]["values"]


@pytest.mark.slow
def test_side_by_side_gives_what_one_by_one_gives(comparison, asked, comparing, tmp_path):
    _, said = comparing(asked("transformer"), tmp_path, parallel=2)
    assert scores(tmp_path, "transformer") == scores(comparison, "transformer")
    assert json.loads((tmp_path / "report.json").read_text())["speed_is_shared"]
    assert sum("of 2 after" in line for line in said) == 2


def test_side_by_side_the_longest_run_of_each_seed_begins_first(planned_for_time, tmp_path):
    plan = planned_for_time
    some = [PlannedRun(entry, seed, tmp_path) for seed in (1, 2) for entry in plan.entries]
    work = {
        entry.spec.label: entry.recipe.training.steps * entry.tokens_per_step * entry.operations.training
        for entry in plan.entries
    }
    started = longest_first(some[::-1])
    assert [run.seed for run in started] == sorted(run.seed for run in some)
    for seed in (1, 2):
        costs = [work[run.entry.spec.label] for run in started if run.seed == seed]
        assert costs == sorted(work.values(), reverse=True)
    assert len(set(work.values())) > 1


@pytest.mark.slow
def test_a_run_that_fails_does_not_stop_the_others(asked, comparing, tmp_path):
    models = "transformer:training.learning_rate_factor=1e38,transformer"
    with pytest.raises(RunError, match="1 did not: transformer:training"):
        comparing(asked(models, seeds=1), tmp_path)
    report = json.loads((tmp_path / "report.json").read_text())
    assert [system["label"] for system in report["systems"]] == ["transformer"]
    assert list(report["failures"]) == ["transformer:training.learning_rate_factor=1e38, seed 1"]
    assert "must be finite" in (tmp_path / "report.html").read_text()


def test_a_test_file_without_text_is_refused_before_anything_is_planned(asked, comparing, tmp_path):
    text, empty = tmp_path / "text", tmp_path / "empty"
    text.write_text("a b\nb a\n", encoding="utf-8")
    empty.touch()
    files = {"source": text, "target": text, "test_source": empty, "test_target": empty}
    own = ("data.corpus=none", *(f"data.{name}={path}" for name, path in files.items()))
    with pytest.raises(InputError, match="empty` must hold at least one line"):
        comparing(asked("transformer", overrides=(*asked().overrides, *own)), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_no_processes_at_all_are_refused(asked, comparing, tmp_path):
    with pytest.raises(ConfigError, match="`--parallel` must be 1"):
        comparing(asked(), tmp_path, parallel=0)


@pytest.mark.slow
def test_a_throughput_measurement_tells_the_speed_and_leaves_nothing_behind(asked, tmp_path):
    request = asked()
    recipe = base_recipe(request.recipe, request.overrides)
    assert steps_per_second(recipe, tmp_path / "rehearsal", 0.05, "cpu") > 0
    assert not (tmp_path / "rehearsal").exists()


CTRL_C_THEN = "import os, signal; os.kill(os.getppid(), signal.SIGINT); "


def ended(tmp_path, parallel, *programs):
    """The exit codes of Python programs that a pool has run, in their order."""
    logs = [tmp_path / f"{number}.log" for number in range(len(programs))]
    commands = [[sys.executable, "-c", program] for program in programs]
    codes = dict(pool(commands, logs, parallel))
    return [codes[number] for number in range(len(programs))]


def test_an_exit_code_is_that_of_the_command(tmp_path):
    assert ended(tmp_path, 2, "exit(3)", "pass", "exit(130)") == [3, 0, 130]


def test_what_ends_badly_after_ctrl_c_was_interrupted(tmp_path):
    """A process that is hit while it imports ends with a signal, a traceback or an abort."""
    by_signal = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); signal.raise_signal(signal.SIGINT)"
    assert ended(tmp_path, 1, f"{CTRL_C_THEN}exit(1)") == [130]
    assert ended(tmp_path, 1, CTRL_C_THEN + by_signal) == [130]
    assert ended(tmp_path, 1, CTRL_C_THEN) == [0]


def test_what_was_never_started_was_interrupted(tmp_path):
    assert ended(tmp_path, 1, f"{CTRL_C_THEN}exit(1)", "pass", "pass") == [130, 130, 130]
    assert not (tmp_path / "1.log").exists()


def test_of_a_process_that_was_killed_the_signal_is_told(tmp_path):
    """What it said last was no reason; often it is only the line of its command."""
    (code,) = ended(tmp_path, 1, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert "must end by itself, but was ended by signal 9 (Killed)" in why_it_failed(code, tmp_path / "0.log")


def test_why_a_process_failed_is_what_it_said_and_not_one_before_it(tmp_path):
    ended(tmp_path, 1, "exit('error: it is too late')")
    assert why_it_failed(1, tmp_path / "0.log") == "it is too late"
    ended(tmp_path, 1, "exit(1)")
    assert why_it_failed(1, tmp_path / "0.log") == "no message"


def test_sigterm_is_passed_on_and_nothing_else_is_started(tmp_path):
    waits = (
        "import os, signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: (print('saved'), sys.exit(130)));"
        "os.kill(os.getppid(), signal.SIGTERM); time.sleep(600)"
    )
    assert ended(tmp_path, 1, waits, "pass") == [130, 130]
    assert (tmp_path / "0.log").read_text().endswith("saved\n")
    assert not (tmp_path / "1.log").exists()


def test_no_process_outlives_whoever_reads_the_exit_codes(tmp_path):
    number = tmp_path / "number"
    program = f"import os, time; open({str(number)!r}, 'w').write(str(os.getpid())); time.sleep(600)"

    def fail():
        for _ in pool([[sys.executable, "-c", program], [sys.executable, "-c", "pass"]], [tmp_path / "log"] * 2, 2):
            while not (number.is_file() and number.read_text()):
                time.sleep(0.01)
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    with pytest.raises(ProcessLookupError):
        os.kill(int(number.read_text()), signal.SIGTERM)
