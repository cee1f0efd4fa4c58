"""What an earlier version saved still loads, and a run that it began continues to the same bits.

`saved/<version>/` was written by that version of saccade:

    models/<architecture>/   a model folder of every architecture, with drawn weights; made.json has its scores
    interrupted/             a run stopped after step 17 of 29
    finished/                the end of that run, continued by the version that began it
    made.json                the machine and the torch version it was made with

The bits of floating-point results belong to a machine, a version of torch, and the compiled kernels. Version 0.1.0 had
no kernels for training on a CPU, so its run is continued to the same bits without them, and with them within rounding.
Where machine or torch differ from made.json, scores are compared within rounding, and of the continued run only the
losses, loosely: torch draws other dropout masks on another kind of CPU.
"""

import functools
import json
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from saccade.kernels import library_name
from saccade.training.journal import read_journal, repeatable

ROOT = Path(__file__).parents[2]
VERSIONS = sorted(path for path in Path(__file__).with_name("saved").iterdir())
MADE = {version.name: json.loads((version / "made.json").read_text(encoding="utf-8")) for version in VERSIONS}
MODELS = [(version, name) for version in VERSIONS for name in MADE[version.name]["models"]]


def cpu_name() -> str:
    """The model name of the CPU as Linux tells it: x86 has it in /proc/cpuinfo, ARM only the number of its part."""
    parts = {"0xd0c": "Neoverse-N1"}
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    facts = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    return facts.get("model name") or parts.get(facts.get("CPU part", ""), "unknown")


NO_CHARACTER = "\ufffd"
"""What version 0.1.0 wrote for bytes that spell no character; they are left out now."""


def same_machine(made: dict) -> bool:
    here = {"torch": torch.__version__, "machine": platform.machine(), "cpu": cpu_name()}
    return all(made[key] == value for key, value in here.items())


def fresh_process(*arguments: object) -> str:
    command = [sys.executable, "-m", "tests.compatibility.fresh_process", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@functools.cache
def found_in(version: Path) -> dict:
    return json.loads(fresh_process("score", version))


@pytest.mark.parametrize(("version", "name"), MODELS, ids=[f"{version.name}-{name}" for version, name in MODELS])
def test_a_saved_model_gives_the_scores_it_gave(version, name):
    made = MADE[version.name]
    expected, found = made["models"][name], found_in(version)[name]
    if same_machine(made):
        assert found == {
            "scores": expected["scores"],
            "translations": [" ".join(text.replace(NO_CHARACTER, "").split()) for text in expected["translations"]],
        }
    else:
        for ours, theirs in zip(found["scores"], expected["scores"], strict=True):
            assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_an_interrupted_run_continues_to_the_end_it_would_have_had(version, tmp_path):
    made, finished, out = MADE[version.name], version / "finished", tmp_path / "run"
    shutil.copytree(version / "interrupted", out)
    printed = fresh_process("continue-without-kernels", out)
    assert json.loads((out / "result.json").read_text())["steps"] == 29
    journals = [repeatable(read_journal(path)) for path in (out / "journal.jsonl", finished / "journal.jsonl")]
    exact = same_machine(made)
    if exact:
        assert "last digits" not in printed
        assert [without_texts(event) for event in journals[0]] == [without_texts(event) for event in journals[1]]
        results = [json.loads((folder / "result.json").read_text()) for folder in (out, finished)]
        assert {key: results[0][key] for key in ("steps", "ending")} == {
            key: results[1][key] for key in ("steps", "ending")
        }
    else:
        assert losses(journals[0]) == pytest.approx(losses(journals[1]), rel=0.05)
    for name in ("checkpoints/step-000029/weights", "checkpoints/step-000029/optimizer", "model/weights"):
        found = load_file(out / f"{name}.safetensors")
        expected = load_file(finished / f"{name.replace('/', '-')}.safetensors")
        assert found.keys() == expected.keys()
        for key, tensor in expected.items():
            assert found[key].shape == tensor.shape
            assert not exact or torch.equal(found[key], tensor), f"{name}: {key}"


@pytest.mark.slow
@pytest.mark.skipif(library_name() is None, reason="no C++ library was built")
@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_a_run_that_kernels_continue_says_so_and_ends_where_it_would_have_within_rounding(version, tmp_path):
    made, out = MADE[version.name], tmp_path / "run"
    shutil.copytree(version / "interrupted", out)
    assert f"kernels was None, is {library_name()}" in fresh_process("continue", out)
    found, expected = (losses(read_journal(folder / "journal.jsonl")) for folder in (out, version / "finished"))
    assert found == pytest.approx(expected, rel=1e-4 if same_machine(made) else 0.05)


def without_texts(event: dict) -> dict:
    """What was not computed from outputs: a model that has hardly learned writes bytes that spell nothing."""
    return {key: value for key, value in event.items() if key not in ("score", "bleu", "chrf", "best")}


def losses(events) -> list[float]:
    return [event["loss"] for event in events if event["event"] in ("train", "validation")]
