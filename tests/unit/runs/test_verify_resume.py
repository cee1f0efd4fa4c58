import pytest
import torch
from safetensors.torch import save_file

from saccade.errors import ConfigError
from saccade.runs.verify_resume import VerifyReport, _compare_tensors, verify_resume


def run_folder(folder, weights):
    for name in ("checkpoints/step-000003/weights", "checkpoints/step-000003/optimizer", "model/weights"):
        path = folder / f"{name}.safetensors"
        path.parent.mkdir(parents=True, exist_ok=True)
        save_file(weights, path)
    return folder


def test_equal_runs_have_no_difference(tmp_path):
    weights = {"a": torch.tensor([1.0, float("nan")]), "b": torch.arange(3)}
    one, other = run_folder(tmp_path / "one", weights), run_folder(tmp_path / "other", weights)
    assert _compare_tensors(one, other) == (6, None)


@pytest.mark.parametrize("value", [1.0 + 2**-23, -1.0, 2.0])
def test_a_difference_of_one_bit_is_named(tmp_path, value):
    one = run_folder(tmp_path / "one", {"a": torch.tensor([1.0])})
    other = run_folder(tmp_path / "other", {"a": torch.tensor([value])})
    assert _compare_tensors(one, other)[1] == "tensor a of checkpoints/step-000003/weights"


def test_minus_zero_is_not_zero(tmp_path):
    one = run_folder(tmp_path / "one", {"a": torch.tensor([0.0])})
    other = run_folder(tmp_path / "other", {"a": torch.tensor([-0.0])})
    assert _compare_tensors(one, other)[1] is not None


def test_a_report_names_the_first_difference():
    assert "tensor a" in str(VerifyReport(8, 5, 4, 3, 2, "tensor a"))


def test_too_few_steps_are_refused():
    with pytest.raises(ConfigError, match="at least 8"):
        verify_resume("tiny", steps=7)
