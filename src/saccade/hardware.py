"""What this machine is and can do: its devices, bfloat16 on its CPU, and how much memory a run has taken.

Products in bfloat16 are worth it only on a CPU built for them. Intel's since 2023 multiply whole tiles of them (AMX:
measured at four to six times the speed of float32). A CPU without any bfloat16 instructions takes many times as long as
for float32, and torch says so in a warning the first time.
"""

import os
import platform
import resource
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import torch

from saccade.errors import ConfigError

_RSS_UNIT = 1 if sys.platform == "darwin" else 1024
"""What `ru_maxrss` counts in: bytes on macOS, KiB elsewhere."""
_STATUS = Path("/proc/self/status")


def fast_bfloat16_matmul() -> bool:
    """Whether matrix products on this CPU are faster in bfloat16 than in float32, as measured with AMX."""
    return _capability("amx_bf16")


@cache
def native_bfloat16_matmul() -> bool:
    """Whether this CPU multiplies matrices of bfloat16 in hardware, fast or not; elsewhere it is emulated.

    oneDNN asks for AVX-512 on x86 and for the BF16 extension on ARM.
    """
    supported = getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", None)  # not every build of torch has oneDNN
    return bool(supported()) if supported is not None else fast_bfloat16_matmul() or _capability("bf16")


@contextmanager
def emulated_bfloat16() -> Iterator[None]:
    """Within it, torch does not warn that this CPU has to emulate products of bfloat16: somebody asked for them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "mkldnn_matmul failed, switching to BLAS gemm", UserWarning)
        yield


def choose_device(name: str | None) -> torch.device:
    """The device of that name; without one, a GPU if there is one."""
    if name is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
        usable = device.type != "meta"
    except (RuntimeError, AssertionError, ImportError, ValueError):
        usable = False
    if not usable:
        raise ConfigError(f"`device` must be one that is here, but is {name!r}. {missing_device(name)}")
    return device


def missing_device(name: str) -> str:
    """Why a device of this name cannot be used here, and what can."""
    kind, count = name.partition(":")[0], torch.cuda.device_count()
    if kind != "cuda":
        why = "It computes nothing." if kind == "meta" else "This program runs on cpu and on cuda."
        return f"{why} Use cpu, or leave it out."
    if torch.version.cuda is None and torch.version.hip is None:
        return f"The installed torch ({torch.__version__}) is built for CPUs alone. Use cpu, or install another build."
    if count == 0:
        return "This machine has no GPU that torch can use. Use cpu, or leave it out."
    gpus = "one GPU, cuda:0" if count == 1 else f"{count} GPUs, cuda:0 to cuda:{count - 1}"
    return f"This machine has {gpus}. Use one that it has, or leave it out."


def machine(device: str | None) -> str:
    """The GPU, if it is to compute, and the CPU, as a report names them."""
    cores = f"{os.cpu_count()} cores ({platform.machine()})"
    chosen = choose_device(device)
    return f"{torch.cuda.get_device_name(chosen)}, {cores}" if chosen.type == "cuda" else cores


def peak_memory(device: torch.device) -> int:
    """The most memory taken so far, in bytes: by tensors on a GPU, by the whole process on a CPU."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    # On Linux, what `getrusage` reports starts from the memory of the process that started this one. Not every sandbox
    # gives the better figure.
    status = _STATUS.read_bytes().splitlines() if _STATUS.exists() else []
    for line in status:
        if line.startswith(b"VmHWM:"):
            return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT


def _capability(name: str) -> bool:
    capabilities = getattr(torch.cpu, "get_capabilities", None)  # not every torch can tell
    return capabilities is not None and bool(capabilities().get(name))
