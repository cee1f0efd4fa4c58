import platform

from saccade.training.allocation import keep_freed_memory


def test_only_the_gnu_library_on_linux_is_told():
    assert keep_freed_memory() == (platform.libc_ver()[0] == "glibc")
