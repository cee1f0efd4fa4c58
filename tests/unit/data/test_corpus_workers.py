"""Several processes prepare what one prepares, byte for byte."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from saccade.data import corpus_encoding, corpus_workers
from saccade.data.config import DataConfig
from saccade.data.corpus_encoding import PairEncoder
from saccade.data.corpus_report import CorpusReport
from saccade.data.corpus_workers import encoding_processes, worthwhile_processes
from saccade.data.prepare import prepare
from saccade.data.tokenizer import Tokenizer
from saccade.errors import RunError
from saccade.runs.run import train

WORDS = ["Anna", "Bert", "Carla", "Dora", "Emil", "Fritz", "Greta", "sieht", "hört", "ruft", "und", "dann", "so", "nie"]


def lines(side: int, count: int) -> list[str]:
    """Some empty, some too long, some out of proportion: every reason to leave a pair out, again and again."""
    made = [" ".join(WORDS[(number * (3 + side) + place) % 14] for place in range(1 + number % 9)) + f" {number}"
            for number in range(count)]  # fmt: skip
    for number in range(11, count, 23):
        made[number] = "" if side else made[number]
    for number in range(3, count, 17):
        made[number] = " ".join(WORDS * 2)
    return made


@pytest.fixture
def config(tmp_path) -> DataConfig:
    for name, count in (("train", 400), ("more", 90)):
        for side, language in enumerate(("de", "en")):
            (tmp_path / f"{name}.{language}").write_text("".join(f"{line}\n" for line in lines(side, count)))
    return DataConfig(
        source=str(tmp_path / "train.de"),
        target=str(tmp_path / "train.en"),
        mix_source=(str(tmp_path / "more.de"),),
        mix_target=(str(tmp_path / "more.en"),),
        vocabulary=330,
        maximum_length=30,
    )


class ReadsAhead:
    """Encodes nothing before everything is read: the most that workers could be ahead."""

    def __init__(self, encoder: PairEncoder) -> None:
        self.encoder = encoder

    def in_order(self, chunks, work):
        for chunk in list(chunks):
            yield chunk, self.encoder.encode_chunk(work(chunk))


def test_the_report_does_not_depend_on_how_far_was_read_ahead(monkeypatch):
    monkeypatch.setattr(corpus_encoding, "CHUNK", 7)
    tokenizer = Tokenizer.train(lines(0, 60), pieces="bpe", size=330)
    encoder = PairEncoder(tokenizer, tokenizer, 15)

    def encoded(workers):
        report = CorpusReport(read=5, kept=4)
        report.leave_out("first", "x:1")

        def pairs():
            for number, pair in enumerate(zip(lines(0, 60), lines(1, 60), strict=True), start=1):
                report.read += 1
                if number % 9 == 4 or number > 55:
                    report.leave_out("late" if number > 30 else "too long", f"x:{number}")
                else:
                    report.kept += 1
                    yield number, *pair

        return list(encoder.encode(pairs(), report, "x", workers=workers)), report

    alone, ahead = encoded(None), encoded(ReadsAhead(encoder))
    assert alone == ahead
    assert list(alone[1].left_out) == list(ahead[1].left_out) == ["first", "too long", "late"]
    assert alone[1].read == 65
    assert alone[1].read == alone[1].kept + sum(one.count for one in alone[1].left_out.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [{}, {"sampled_copies": 2, "noise": 0.5}, {"sampled_copies": 2, "sampling": 0.2}],
    ids=["plain", "noisy", "sampled"],
)
def test_what_processes_prepare_is_that_of_one_byte_for_byte(config, changes, tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_encoding, "CHUNK", 31)
    made = {}
    for workers in (1, 3):
        out = tmp_path / f"with-{workers}"
        prepare(replace(config, **changes), out, workers=workers)
        made[workers] = {path.relative_to(out): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
    assert made[1] == made[3]
    assert Path("train-0/source.ids") in made[1]


@pytest.mark.slow
def test_a_run_has_its_text_encoded_by_processes(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_encoding, "CHUNK", 500)
    stores = []
    for workers in (1, 2):
        train("tiny", tmp_path / str(workers), stop_at=1, workers=workers)
        stores.append((tmp_path / str(workers) / "data/train-0/source.ids").read_bytes())
    assert stores[0] == stores[1]


@pytest.mark.slow
def test_a_process_that_ends_is_told_in_one_line(monkeypatch):
    monkeypatch.setattr(corpus_encoding, "CHUNK", 2)
    tokenizer = Tokenizer.train(lines(0, 60), pieces="bpe", size=330)
    encoder = PairEncoder(tokenizer, tokenizer, 99)

    def pairs():
        for number in range(1, 40):
            if number == 20:
                for process in workers._pool._processes.values():
                    os.kill(process.pid, signal.SIGKILL)
            yield number, "Anna sieht Bert", "Bert sieht Anna"

    with encoding_processes(encoder, 2) as workers, pytest.raises(RunError, match="Use fewer of them"):
        list(encoder.encode(pairs(), CorpusReport(), "x", workers=workers))


@pytest.mark.parametrize(
    ("sizes", "copies", "expected"),
    [
        ({"a.de": 10, "a.en": 10}, 1, 1),
        ({"a.de": 20, "a.en": 12}, 1, 2),
        ({"a.de.xz": 5, "a.en.gz": 3}, 1, 2),
        ({"a.tsv": 17}, 3, 3),
        ({"a.tsv": 17}, 7, 5),
        ({"a.tsv": 0}, 7, 1),
    ],
)
def test_as_many_processes_as_text_and_cores_call_for(sizes, copies, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_workers, "usable_cores", lambda: 5)
    for name, size in sizes.items():
        with (tmp_path / name).open("wb") as file:
            file.truncate(size << 20)  # a hole, not bytes
    assert worthwhile_processes([tmp_path / name for name in sizes], copies) == expected


def test_small_text_is_read_by_one_process_unasked(config, tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_workers, "ProcessPoolExecutor", None)
    prepare(config, tmp_path / "out", workers=None)


PREPARES = """
import signal
import sys
from pathlib import Path
from saccade.data.config import DataConfig
from saccade.data.prepare import prepare

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a test that runs in the background ignores Ctrl-C
    here = Path(sys.argv[1])
    names = {"source": "train.de", "target": "train.en", "valid_source": "train.de", "valid_target": "train.en"}
    config = DataConfig(**{key: str(here / name) for key, name in names.items()}, vocabulary=330)
    print("begins", file=sys.stderr, flush=True)
    try:
        prepare(config, here / "work" / "out", workers=2)
    except KeyboardInterrupt:
        sys.exit("interrupted")
"""


@pytest.mark.slow
def test_ctrl_c_at_any_time_leaves_nothing_and_processes_say_nothing(tmp_path):
    for side, language in enumerate(("de", "en")):
        (tmp_path / f"train.{language}").write_text("".join(f"{line}\n" for line in lines(side, 40_000)) * 5)
    (tmp_path / "work").mkdir()
    (tmp_path / "script.py").write_text(PREPARES)
    for delay in (0.1, 0.3, 0.9):
        command = [sys.executable, str(tmp_path / "script.py"), str(tmp_path)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
            assert process.stderr is not None
            assert process.stderr.readline() == "begins\n"
            time.sleep(delay)
            os.killpg(process.pid, signal.SIGINT)
            assert process.stderr.read() == "interrupted\n"
        assert not list((tmp_path / "work").iterdir())
