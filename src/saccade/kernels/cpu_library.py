"""The C++ of this folder as a library: built when saccade is installed, loaded when first needed.

It needs a C++ compiler and nothing else. Where there is none, or none that can build it, saccade works the same in
plain torch, only more slowly. The name of a library holds a checksum of its sources, so that one built from others is
not loaded.

This file is also run by itself, by the build hook, before anything that saccade imports is installed.
"""

import ctypes
import os
import shlex
import shutil
import subprocess
import sys
import zlib
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
SOURCES = (
    *("cpu_library.cpp", "transformer_cpu.hpp", "beam_step_cpu.hpp", "constrained_step_cpu.hpp", "beam_steps_cpu.hpp"),
    *("varlen_attention_cpu.hpp", "varlen_attention_arithmetic.hpp"),
    *("cpu_layers.hpp", "cpu_arithmetic.hpp", "cpu_int8.hpp", "cpu_tiles.hpp", "cpu_threads.hpp", "cpu_calls.hpp"),
)
_CALLS = (
    *("encoder_states", "source_keys_values", "decoder_step", "beam_select", "constrained_select", "beam_steps"),
    *("packed_attention", "packed_attention_backward"),
)
"""What may run out of memory, and then returns `_NO_MEMORY`."""
_NO_MEMORY = -1
_OPTIONS = ("-std=c++17", "-O3", "-fno-math-errno", "-fno-trapping-math", "-fPIC", "-shared", "-pthread")


def path() -> Path:
    """Where the library lies that belongs to these sources, if it was built."""
    checksum = zlib.crc32(b"".join((HERE / name).read_bytes() for name in SOURCES))
    return HERE / f"kernels-{checksum:08x}.native"  # Python takes what ends in .so for a module


def build() -> str | None:
    """Builds the library beside its sources, in seconds. None where it is there then, otherwise why it is not."""
    if path().exists():
        return None
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    if shutil.which(compiler[0]) is None or sys.platform == "win32":
        return "no C++ compiler was found"
    unfinished = path().with_suffix(f".{os.getpid()}")
    command = [*compiler, *_OPTIONS, str(HERE / SOURCES[0]), "-o", str(unfinished)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        unfinished.unlink(missing_ok=True)
        return f"{compiler[0]} could not build it:\n{done.stderr}"
    for outdated in HERE.glob("*.native"):
        outdated.unlink()
    unfinished.replace(path())
    return None


@cache
def load() -> ctypes.CDLL | None:
    """The library, or None where it was not built."""
    if not path().exists():
        return None
    library = ctypes.CDLL(str(path()))
    for name in _CALLS:
        call = getattr(library, name)
        call.restype, call.errcheck = ctypes.c_int64, _checked
    return library


def _checked(result: int, _call: object, _arguments: object) -> int:
    if result == _NO_MEMORY:
        raise MemoryError
    return result
