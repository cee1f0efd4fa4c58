"""The fast search and the readable one agree on the trained model that ships, outputs and scores.

They round otherwise, so candidates that tie within rounding can change places: such a difference must be gone in
double precision, and is counted.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROUNDING = 5e-5


def sooner(*arguments: object) -> dict:
    program = [sys.executable, str(Path(__file__).with_name("fast_search_program.py"))]
    done = subprocess.run([*program, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["rounding"] < ROUNDING
    assert [each for each in report["different"] if not each["equal_in_double_precision"]] == []
    return report


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 16])
def test_built_in_sentences(size):
    report = sooner(Path(__file__).with_name("sentences.txt"), f"--size={size}")
    assert (report["sentences"], report["outputs"]) == (50, 200)
    assert len(report["different"]) <= 1


@pytest.mark.slow
def test_real_sentences(corpora, tmp_path):
    lines = (corpora / "tatoeba-en-es" / "test.en").read_text(encoding="utf-8").splitlines()
    chosen = [lines[place * len(lines) // 300] for place in range(300)]
    (tmp_path / "chosen").write_text("".join(f"{line}\n" for line in chosen), encoding="utf-8")
    report = sooner(tmp_path / "chosen")
    assert report["sentences"] == 300
    assert len(report["different"]) <= 2
