import json
import os

import pytest
from bench.shipped import training

from saccade.bulk.folder import BulkFolder, Written


def test_targets_stay_where_the_teacher_has_not_come_to(tmp_path):
    source, own, taught = tmp_path / "train.en", tmp_path / "train.es", tmp_path / "taught.es"
    source.write_text("".join(f"source {number}\n" for number in range(10)))
    own.write_text("".join(f"own {number}\n" for number in range(10)))
    translations = tmp_path / "translations.txt"
    folder = BulkFolder([translations])
    shards = folder.begin({}, [source], iter([2] * 9), 4, print).shards
    folder.output(shards[1], 0).write_text("".join(f"taught {line}\n" for line in range(shards[1].lines)))
    folder.keep(shards[1], shards[1].lines, [Written(0, "")], {})
    share = training.write_taught(translations, own, taught)
    first, lines = shards[1].first - 1, shards[1].lines
    expected = [f"own {number}" for number in range(10)]
    expected[first : first + lines] = [f"taught {line}" for line in range(lines)]
    assert taught.read_text().splitlines() == expected
    assert share == pytest.approx(lines / 10)


def test_all_that_the_teacher_wrote_is_taken_when_it_is_whole(tmp_path):
    (tmp_path / "train.es").write_text("own\n")
    (tmp_path / "translations.txt").write_text("taught\n")
    assert training.write_taught(tmp_path / "translations.txt", tmp_path / "train.es", tmp_path / "taught.es") == 1
    assert (tmp_path / "taught.es").read_text() == "taught\n"


def test_speed_is_that_of_the_steps_after_the_first_ones(tmp_path):
    journal = tmp_path / "journal.jsonl"
    assert training.speed(journal) is None
    events = [{"event": "start", "step": 0}]
    last = training.TIMED_FROM + training.TIMED_STEPS
    for step in range(100, last, 100):  # the first steps are ten times as slow
        events.append({"event": "train", "step": step, "seconds": 90 + step / 50 if step >= 400 else step / 4})
    lines = [json.dumps(event) for event in events]
    journal.write_text("\n".join(lines) + os.linesep)
    assert training.speed(journal) is None
    lines.append(json.dumps({"event": "train", "step": last, "seconds": 90 + last / 50}))
    journal.write_text("\n".join(lines) + '\n{"event": "tra')
    assert training.speed(journal) == pytest.approx(50)
