import resource
import subprocess
import sys
import warnings

import pytest
import torch

from saccade import hardware
from saccade.hardware import (
    emulated_bfloat16,
    fast_bfloat16_matmul,
    missing_device,
    native_bfloat16_matmul,
    peak_memory,
)

PEAK_MEMORY = """
import torch
from saccade.hardware import peak_memory
before = peak_memory(torch.device("cpu"))
held = torch.ones(3, 2**24)
print(peak_memory(torch.device("cpu")) - before)
"""

# A product large enough for oneDNN, in a process of its own: torch warns once per process.
EMULATED = """
import torch
from saccade.hardware import emulated_bfloat16
with emulated_bfloat16():
    torch.nn.functional.linear(torch.ones(1, 257, 22).bfloat16(), torch.ones(67, 22).bfloat16())
"""


def program(code):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.slow
def test_the_peak_of_a_process_grows_with_what_it_holds():
    assert 0.8 * 3 * 2**26 < int(program(PEAK_MEMORY)) < 1.5 * 3 * 2**26


def test_the_peak_is_in_bytes():
    assert peak_memory(torch.device("cpu")) >= resource.getpagesize() * 1000


def test_the_peak_is_known_where_the_system_does_not_tell_it(tmp_path, monkeypatch):
    (tmp_path / "status").write_text("Name:\tpython\nVmSize:\t  1234 kB\nVmRSS:\t   123 kB\n")  # as gVisor has it
    monkeypatch.setattr(hardware, "_STATUS", tmp_path / "status")
    assert peak_memory(torch.device("cpu")) >= resource.getpagesize() * 1000


@pytest.mark.parametrize("has_amx", [False, True])
def test_bfloat16_is_fast_where_there_is_amx(monkeypatch, has_amx):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"amx_bf16": has_amx}, raising=False)
    assert fast_bfloat16_matmul() == has_amx


def test_a_torch_that_cannot_tell_means_no(monkeypatch):
    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    assert not fast_bfloat16_matmul()


def test_what_is_fast_is_native():
    assert native_bfloat16_matmul() or not fast_bfloat16_matmul()


@pytest.mark.slow
def test_emulated_products_do_not_warn():
    program(EMULATED)


def test_other_warnings_are_still_given():
    with emulated_bfloat16(), pytest.warns(UserWarning, match="another"):
        warnings.warn("another", stacklevel=1)


@pytest.mark.parametrize(
    ("name", "gpus", "said"),
    [
        ("meta", 0, "It computes nothing. Use cpu"),
        ("tpu", 1, "This program runs on cpu and on cuda. Use cpu"),
        ("cuda", 0, "This machine has no GPU that torch can use. Use cpu"),
        ("cuda:1", 1, "This machine has one GPU, cuda:0. Use one"),
        ("cuda:9", 4, "This machine has 4 GPUs, cuda:0 to cuda:3. Use one"),
    ],
)
def test_what_is_said_about_a_missing_device_is_true_of_this_machine(monkeypatch, name, gpus, said):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    assert missing_device(name).startswith(said)


def test_a_torch_without_cuda_is_told_from_a_machine_without_a_gpu(monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.setattr(torch.version, "hip", None, raising=False)
    assert "is built for CPUs alone" in missing_device("cuda")
