import pytest

from saccade.errors import FormatError, RunError
from saccade.training.journal import Journal, read_journal, repeatable


def test_what_is_cut_off_is_forgotten(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.write({"event": "train", "step": 1})
    length = journal.length
    journal.write({"event": "train", "step": 2})
    journal.cut(length)
    journal.write({"event": "train", "step": 3})
    assert [event["step"] for event in read_journal(journal.path)] == [1, 3]


def test_a_line_a_kill_left_unfinished_is_passed_over(tmp_path):
    path = tmp_path / "journal.jsonl"
    path.write_text('{"event": "train", "step": 1}\n{"event": "tra')
    assert read_journal(path) == [{"event": "train", "step": 1}]


def test_only_losses_and_scores_are_repeatable():
    events = [
        {"event": "start", "step": 0},
        {"event": "train", "step": 5, "loss": 2.5, "seconds": 9.1, "tokens_per_second": 7.0},
        {"event": "validation", "step": 5, "score": 31.0, "seconds": 9.5},
        {"event": "stop", "step": 5},
    ]
    assert repeatable(events) == [
        {"event": "train", "step": 5, "loss": 2.5},
        {"event": "validation", "step": 5, "score": 31.0},
    ]


def test_a_journal_that_cannot_be_written_is_a_run_error(tmp_path):
    (tmp_path / "journal.jsonl").mkdir()
    with pytest.raises(RunError, match="could not be written"):
        Journal(tmp_path / "journal.jsonl").write({"event": "start"})


@pytest.mark.parametrize("line", [b"{", b"[]", b"\xff", b"[" * 100_000, b'{"event": "train"}', b'{"step": 3}'])
def test_a_damaged_line_is_named_by_its_number(tmp_path, line):
    (tmp_path / "journal.jsonl").write_bytes(b'{"event": "start", "step": 0}\n' + line + b"\n")
    with pytest.raises(FormatError, match=r"journal\.jsonl:2` is damaged or altered"):
        read_journal(tmp_path / "journal.jsonl")
