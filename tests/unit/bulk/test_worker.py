"""Shards done by processes that are killed; the work is lines in reverse, so that a shard costs next to nothing."""

import os
import random
import signal
import time
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import pytest

from saccade.bulk.folder import BulkFolder
from saccade.bulk.joining import join
from saccade.bulk.process_worker import work_until_finished
from saccade.bulk.worker import Left, Worker
from saccade.data.text_lines import read_lines
from saccade.errors import FormatError, RunError
from saccade.serving.problems import Problems


@dataclass(frozen=True)
class Reversing:
    path: Path
    pause: float = 0.0
    settings = {"work": "reversing"}
    device = None

    @property
    def inputs(self):
        return (self.path,)

    def window_sizes(self):
        return repeat(5)

    def load(self, _):
        return self

    def process(self, shard, outputs, watch):
        problems = Problems()
        for number, line in enumerate(read_lines(self.path, shard.ranges[0]), start=shard.first):
            outputs[0].write(f"{line[::-1]}\n".encode())
            if number % 50 == 0:
                problems.add(number, "round")
                outputs[1].write(f"{number}\n".encode())
            watch(1)
            time.sleep(self.pause)
        return problems


@pytest.fixture
def text(tmp_path) -> Path:
    path = tmp_path / "in.txt"
    path.write_text("".join(f"{number:,} = {number:b}\n" for number in range(1, 404)))
    return path


@pytest.fixture
def folder(tmp_path) -> BulkFolder:
    return BulkFolder([tmp_path / "out.txt", tmp_path / "report.txt"])


def worker(folder, text, pause=0.0, place=0.0) -> Worker:
    return Worker(Reversing(text, pause), folder, 20, lambda _: None, place)


def finish(folder, text):
    work_until_finished(worker(folder, text), lambda _: None)
    return join(folder, folder.places(overwrite=False))


def check(folder, text, record):
    lines = text.read_text().splitlines()
    assert folder.outputs[0].read_text() == "".join(f"{line[::-1]}\n" for line in lines)
    assert folder.outputs[1].read_text() == "".join(f"{number}\n" for number in range(50, 401, 50))
    assert record.lines == len(lines)
    problems = Problems(**record.problems)
    assert (
        problems.summary(record.lines, "done")
        == "8 of 403 lines could not be done: 8 round (50, 100, 150, 200, 250, ...)."
    )


# A fork of a process with several threads is safe where the child only computes and is killed.
FORKED = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


def killed_at_random(folder, text, random) -> dict[str, tuple[int, int]]:
    """Starts three processes, kills them one after the other, and tells the records that are there then."""
    children = []
    for place in (0.0, 0.3, 0.6):
        child = os.fork()
        if not child:
            try:
                work_until_finished(worker(folder, text, 0.0005, place), lambda _: None)
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        time.sleep(random.uniform(0, 0.05))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.path.glob("0*.json")}


@FORKED
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 14))])
def test_workers_killed_at_any_moment_lose_and_double_nothing(folder, text, seed):
    draw, before = random.Random(seed), {}
    for _ in range(4):
        found = killed_at_random(folder, text, draw)
        assert {name: found[name] for name in before} == before  # what is finished is not done again
        before = found
    check(folder, text, finish(folder, text))
    assert {path.name for path in folder.path.iterdir()} == {"lock", "manifest.json", "finished.json"}


def test_a_shard_that_somebody_is_doing_is_left_to_them(folder, text):
    one, other = worker(folder, text), worker(folder, text)
    begun = []

    def meanwhile(shard: int) -> None:
        begun.append(shard)
        taken = other.step(lambda _: None, begun.append)
        assert taken.number == 1

    assert one.step(lambda _: None, meanwhile).number == 0
    assert begun == [0, 1]
    while not isinstance(found := one.step(lambda _: None), Left):
        begun.append(found.number)
    assert begun == list(range(len(one.manifest.shards)))
    assert found is other.step(lambda _: None) is Left.NOTHING


def test_a_finished_job_is_not_done_again_and_a_late_worker_finds_nothing_to_do(folder, text):
    late = worker(folder, text)
    check(folder, text, finish(folder, text))
    assert late.step(lambda _: None) is Left.NOTHING
    written = folder.outputs[0].stat().st_ino
    check(folder, text, finish(folder, text))
    assert folder.outputs[0].stat().st_ino == written
    folder.outputs[0].unlink()
    with pytest.raises(RunError, match="Bring it back"):
        finish(folder, text)


@FORKED
def test_a_kill_while_shards_are_joined_costs_nothing(folder, text, monkeypatch):
    places = folder.places(overwrite=False)
    work_until_finished(worker(folder, text), lambda _: None)
    with monkeypatch.context() as patch:
        patch.setattr(BulkFolder, "remove_shards", lambda _: os._exit(0))
        child = os.fork()
        if not child:
            join(folder, places)
        os.waitpid(child, 0)
    folder.outputs[0].unlink()  # as if the kill had come between the two names
    check(folder, text, finish(folder, text))


def test_a_damaged_shard_is_refused_and_then_done_again(folder, text):
    work_until_finished(worker(folder, text), lambda _: None)
    damaged = folder.path / "0000003.0"
    damaged.write_bytes(damaged.read_bytes().replace(b"=", b"-", 1))
    with pytest.raises(FormatError, match=r"0000003\.0"):
        join(folder, folder.places(overwrite=False))
    assert not folder.outputs[0].exists()
    check(folder, text, finish(folder, text))
