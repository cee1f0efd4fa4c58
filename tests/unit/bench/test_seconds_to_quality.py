import json
import sys

import pytest
from bench.seconds_to_quality import main, timed_run, told

WRITER = """
import json, sys, time
from pathlib import Path
folder = Path(sys.argv[1])
folder.mkdir()
with (folder / "journal.jsonl").open("w") as journal:
    for event in json.loads(sys.argv[2]):
        journal.write(json.dumps(event) + "\\n")
        journal.flush()
        time.sleep(0.1)
sys.exit(int(sys.argv[3]))
"""
EVENTS = [
    {"event": "start", "step": 0},
    {"event": "train", "step": 5},
    {"event": "validation", "step": 5, "bleu": 12.0},
    {"event": "validation", "step": 10, "bleu": 39.0},
    {"event": "validation", "step": 15, "bleu": 41.0},
]


def run(folder, goal, code=0):
    return timed_run([sys.executable, "-c", WRITER, str(folder), json.dumps(EVENTS), str(code)], folder, goal)


def test_the_first_of_each_kind_counts(tmp_path):
    found = run(tmp_path / "run", 38.0)
    assert [one["bleu"] for one in found["validations"]] == [12.0, 39.0, 41.0]
    assert found["goal"] == found["validations"][1]["seconds"]
    assert found["begins"] <= found["first_steps"] <= found["goal"] <= found["ends"]
    assert found["cpu_seconds"] >= 0
    assert "39.0 at" in told("seed-1", found)
    assert "CPU until then" in told("seed-1", found)


def test_a_goal_that_is_not_reached_is_told(tmp_path):
    found = run(tmp_path / "run", 50.0)
    assert found["goal"] is None
    assert "goal not reached" in told("seed-1", found)


def test_a_command_that_fails_is_no_measurement(tmp_path):
    with pytest.raises(SystemExit, match="exit code 3"):
        run(tmp_path / "run", 38.0, code=3)


def test_a_folder_that_is_there_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit) as refused:
        main(["tiny", str(tmp_path)])
    assert refused.value.code == 2
    assert "must not exist" in capsys.readouterr().err


@pytest.mark.slow
def test_from_end_to_end(tmp_path):
    steps = ["--set", "training.steps=4", "--set", "training.validate_every=2"]
    main(["tiny", str(tmp_path / "out"), "--goal", "0", "--seeds", "1", "--no-warm-up", "--device", "cpu", *steps])
    found = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))
    assert found["reached"] == 1
    assert found["seconds_to_goal"] == found["runs"][0]["goal"] > found["runs"][0]["begins"]
