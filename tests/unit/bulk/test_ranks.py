import pytest

from saccade.bulk.processes import visible_gpus
from saccade.bulk.ranks import Rank, rank

TORCHRUN = {"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1"}
ARRAY = {"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "1"}
STEP = {"SLURM_PROCID": "2", "SLURM_STEP_NUM_TASKS": "3", "SLURM_LOCALID": "0"}


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, Rank(0, 1)),
        (TORCHRUN, Rank(5, 8, 1)),
        (STEP, Rank(2, 3, 0)),
        (ARRAY | {"SLURM_ARRAY_TASK_STEP": "2"}, Rank(3, 4)),
        (ARRAY | {"SLURM_ARRAY_TASK_STEP": "2"} | STEP, Rank(3 * 3 + 2, 12, 0)),
        ({"RANK": "9", "WORLD_SIZE": "8", "LOCAL_RANK": "1"}, Rank(0, 1)),
        ({"RANK": "x", "WORLD_SIZE": "", "LOCAL_RANK": "-1"}, Rank(0, 1)),
    ],
    ids=["alone", "torchrun", "srun", "array", "srun in an array", "impossible", "no numbers"],
)
def test_a_launcher_tells_which_of_how_many_this_process_is(environment, expected):
    assert rank(environment) == expected


def test_each_process_sees_a_gpu_of_its_own(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert visible_gpus(Rank(), 3, 2) == ["0", "1", "0"]
    assert visible_gpus(Rank(5, 8, 1), 1, 4) == ["1"]
    assert visible_gpus(Rank(5, 8, 1), 2, 4) == ["2", "3"]
    assert visible_gpus(Rank(3, 4), 1, 4) == [None]
    assert visible_gpus(Rank(), 2, 1) == [None, None]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,GPU-7")
    assert visible_gpus(Rank(), 2, 2) == ["3", "GPU-7"]
