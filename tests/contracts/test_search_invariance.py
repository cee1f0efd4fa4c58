"""What a sentence becomes does not depend on its batch mates, their number or order, nor on padding.

The model is the trained one that ships. `batch_invariance_program.py` searches every sentence by itself and
in batches and compares whole n-best lists. Rounding differs between the two, so candidates
that tie within it can change places, and at the
edge of the beam one is then lost: such a difference must be gone in double precision, and is counted.
"""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

SENTENCES = Path(__file__).with_name("sentences.txt")
# Measured: scores of one output differ by up to 1e-5 between batches, in float32.
ROUNDING = 5e-5


def company(*arguments: object) -> dict:
    program = [sys.executable, str(Path(__file__).with_name("batch_invariance_program.py"))]
    done = subprocess.run([*program, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["rounding"] < ROUNDING
    assert [each for each in report["different"] if not each["equal_in_double_precision"]] == []
    return report


@pytest.mark.slow
def test_beam_search_of_built_in_sentences():
    report = company(SENTENCES)
    assert (report["sentences"], report["outputs"]) == (50, 200)
    assert len(report["different"]) <= 1


@pytest.mark.slow
def test_beam_search_of_built_in_sentences_in_small_batches_with_more_padding():
    report = company(SENTENCES, "--every=2", "--size=7", "--padding=31", "--nbest=1")
    assert report["sentences"] == 25
    assert len(report["different"]) <= 1


@pytest.mark.slow
def test_samples_of_built_in_sentences():
    report = company(SENTENCES, "--sample", "--padding=5")
    assert report["sentences"] == 50
    assert len(report["different"]) <= 1


@pytest.fixture
def thousand(corpora, tmp_path) -> Path:
    lines = (corpora / "tatoeba-en-es" / "test.en").read_text(encoding="utf-8").splitlines()
    chosen = [lines[place * len(lines) // 1000] for place in range(1000)]
    (tmp_path / "thousand").write_text("".join(f"{line}\n" for line in chosen), encoding="utf-8")
    return tmp_path / "thousand"


@pytest.mark.slow
def test_beam_search_of_a_thousand_real_sentences_alone_and_in_shuffled_batches_of_sixty_four(thousand):
    with ThreadPoolExecutor(2) as halves:
        reports = list(halves.map(lambda start: company(thousand, f"--start={start}", "--every=2"), range(2)))
    different = [difference for report in reports for difference in report["different"]]
    assert sum(report["sentences"] for report in reports) == 1000
    # Measured: no best output of the thousand, and in one of them the fourth. Other processors round otherwise.
    assert len([each for each in different if each["lists"][0][0][1] != each["lists"][1][0][1]]) <= 1
    assert len(different) <= 3, f"ties within rounding, but more than chance explains: {different}"


@pytest.mark.slow
def test_samples_of_real_sentences_alone_and_in_shuffled_batches_of_sixty_four(thousand):
    report = company(thousand, "--sample", "--every=4")
    assert report["sentences"] == 250
    assert len(report["different"]) <= 1
