import json
import signal
import subprocess
import sys

import pytest
from bench import train
from bench.__main__ import main
from bench.implementations import ROOFLINE, Implementation


@pytest.mark.slow
def test_training_beside_a_peer_from_end_to_end(tmp_path, capsys):
    path = tmp_path / "results.json"
    words = ["train", "--size", "tiny", "--peers", "torch_nn", "--threads", "1", "--results", str(path)]
    assert main(words) == 0
    piece = json.loads(path.read_text(encoding="utf-8"))["pieces"]["train tiny"]
    rows = {row["implementation"]: row for row in piece["rows"]}
    ours = {"saccade", "saccade@attention_dropout", "saccade@float32", "saccade@float32_attention_dropout"}
    assert set(rows) == {"roofline", *ours, "torch_nn"}
    assert not [row["error"] for row in rows.values() if "error" in row]
    assert len(rows["torch_nn"]["seconds"]) == piece["settings"]["steps"]
    # Random words: whoever computes it, the first loss is about log 512, and smoothing changes little of that.
    assert all(5 < rows[name]["losses"][0] < 8 for name in ("saccade", "torch_nn"))
    shown = capsys.readouterr().out
    assert "| nn.Transformer, attention dropout |" in shown

    # The same again measures nothing, and shows the same.
    before = path.read_bytes()
    assert main(words) == 0
    assert path.read_bytes() == before
    assert capsys.readouterr().out == shown


@pytest.mark.slow
def test_decoding_from_end_to_end(tmp_path, capsys):
    path = tmp_path / "results.json"
    words = ["decode", "--size", "tiny", "--peers", "torch_nn", "--threads", "1", "--results", str(path)]
    assert main(words) == 0
    (piece,) = json.loads(path.read_text(encoding="utf-8"))["pieces"].values()
    assert not [row["error"] for row in piece["rows"] if "error" in row]
    assert "| **saccade** |" in capsys.readouterr().out


@pytest.mark.slow
def test_an_implementation_that_cannot_be_built_is_a_row_with_its_reason(tmp_path):
    nobody = Implementation("nobody", "nobody")
    piece = train.measure(train.PIECES["tiny"], [ROOFLINE, nobody], 1, tmp_path)
    reasons = {row["implementation"]: row.get("error") for row in piece["rows"]}
    assert reasons == {
        "roofline": None,
        "nobody": "ModuleNotFoundError: No module named 'bench.adapters.nobody'",
    }


def test_a_peer_nobody_knows_is_named(capsys):
    assert main(["train", "--peers", "hugging_face"]) == 2
    assert "hugging_face" in capsys.readouterr().out


def test_a_row_compares_on_the_same_batches():
    made = [[([8] * 4, [9] * 4)], [([8] * 4, [9] * 9)]]
    timed = {"roofline": [0.5, 1.0], "saccade": [1.0, 2.0], "slow": [3.0, 6.0]}
    row = train.row(train.PIECES["tiny"], made, Implementation("slow", "slow"), timed)
    assert row["saccade_is_faster"]["median"] == 3.0
    assert row["of_roofline"]["median"] == pytest.approx(1 / 6)
    assert row["tokens_per_second"]["median"] == pytest.approx(5 / 3)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent")
def test_an_interrupted_bench_ends_in_one_line():
    program = "import os, signal, bench; os.kill(os.getpid(), signal.SIGINT); import time; time.sleep(30)"
    command = [sys.executable, "-c", f"import signal; signal.signal(2, signal.default_int_handler); {program}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == "interrupted\n"
    assert done.returncode == -signal.SIGINT
