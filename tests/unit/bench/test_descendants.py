import os
import subprocess
import sys

from bench.descendants import cpu_seconds


def test_only_descendants_count():
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        try:
            while cpu_seconds(os.getpid()) == 0.0:
                assert busy.poll() is None
            assert cpu_seconds(busy.pid) == 0.0
        finally:
            busy.kill()
