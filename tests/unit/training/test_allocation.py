import platform
import subprocess
import sys

PROGRAM = "from saccade.training.allocation import keep_freed_memory; print(keep_freed_memory())"


def test_only_the_gnu_library_on_linux_is_told():
    """In a process of its own: what is told stays told."""
    told = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
    assert told.strip() == str(platform.libc_ver()[0] == "glibc")
