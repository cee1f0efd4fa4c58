import pytest
from bench.process import GIVE_UP, NOISE, Process, SubjectFailed
from bench.subjects import FLOOR, Subject


class Told(Process):
    """Measures nothing: how busy others were is told, in this order."""

    def __init__(self, others):
        self.others = iter(others)
        self.measured_again = self.in_vain = 0

    def _timed(self, do, **request):  # noqa: ARG002
        return {"others": next(self.others)}


def test_what_was_disturbed_is_measured_once_more():
    process = Told([NOISE + 0.1, 0.0])
    assert process.measure("step")["others"] == 0.0
    assert process.measured_again == 1


def test_what_was_not_disturbed_is_not():
    process = Told([NOISE - 0.1])
    assert process.measure("step")["others"] == NOISE - 0.1


def test_a_noise_that_stays_is_not_waited_for_for_ever():
    process = Told([2.0] * (2 * GIVE_UP + 5))
    for _ in range(GIVE_UP + 5):
        process.measure("step")
    assert process.measured_again == GIVE_UP


@pytest.mark.slow
def test_an_error_is_an_answer_and_the_worker_goes_on(tmp_path):
    process = Process(FLOOR, threads=1, logs=tmp_path)
    try:
        with pytest.raises(SubjectFailed, match="^KeyError: 'enormous'$"):
            process.ask("build", size="enormous", mode="train", threads=1)
        assert process.answers
        assert "torch" in process.ask("build", size="tiny", mode="train", threads=1)["info"]
    finally:
        process.close()
    assert not process.answers


def test_an_environment_that_cannot_be_made_is_a_reason(tmp_path, monkeypatch):
    from bench import environments

    monkeypatch.setattr(environments, "FOLDER", tmp_path)
    (tmp_path / "eole.failed").write_text("no wheel\n", encoding="utf-8")
    with pytest.raises(SubjectFailed, match="^no wheel$"):
        Process(Subject("eole", "eole", "", "eole"), threads=1, logs=tmp_path / "logs")
