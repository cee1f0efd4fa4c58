import pytest
from bench.implementations import ROOFLINE, Implementation
from bench.worker_process import GIVE_UP, NOISE, CpuWorker, WorkerFailed


class Told(CpuWorker):
    """Measures nothing: how busy others were is told, in this order."""

    def __init__(self, others):
        self.others = iter(others)
        self.repeated = self.repeated_in_vain = 0

    def _timed(self, do, **request):  # noqa: ARG002
        return {"others": next(self.others)}


def test_what_was_disturbed_is_measured_once_more():
    process = Told([NOISE + 0.1, 0.0])
    assert process.measure("step")["others"] == 0.0
    assert process.repeated == 1


def test_what_was_not_disturbed_is_not():
    process = Told([NOISE - 0.1])
    assert process.measure("step")["others"] == NOISE - 0.1


def test_a_noise_that_stays_is_not_waited_for_for_ever():
    process = Told([2.0] * (2 * GIVE_UP + 5))
    for _ in range(GIVE_UP + 5):
        process.measure("step")
    assert process.repeated == GIVE_UP


@pytest.mark.slow
def test_an_error_is_an_answer_and_the_worker_goes_on(tmp_path):
    process = CpuWorker(ROOFLINE, threads=1, logs=tmp_path)
    try:
        with pytest.raises(WorkerFailed, match="^KeyError: 'enormous'$"):
            process.ask("build", size="enormous", mode="train", threads=1)
        assert process.alive
        assert "torch" in process.ask("build", size="tiny", mode="train", threads=1)["info"]
    finally:
        process.close()
    assert not process.alive


def test_an_environment_that_cannot_be_made_is_a_reason(tmp_path, monkeypatch):
    from bench import environments

    monkeypatch.setattr(environments, "FOLDER", tmp_path)
    (tmp_path / "eole.failed").write_text("no wheel\n", encoding="utf-8")
    with pytest.raises(WorkerFailed, match="^no wheel$"):
        CpuWorker(Implementation("eole", "eole", "", "eole"), threads=1, logs=tmp_path / "logs")
