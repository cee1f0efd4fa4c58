import os
import subprocess
import sys

from bench.live_page import cpu_seconds, rendered


def test_a_row_without_tokens_has_no_rate():
    rows = [
        {"what": "ready", "tokens": 0, "seconds": 2.0, "cpu_seconds": 1.5},
        {"what": "search, beam 1", "tokens": 900, "seconds": 3.0, "cpu_seconds": 2.0},
    ]
    assert "| ready | 2.00 | 1.50 |  |  |  |" in rendered(rows)
    assert "| search, beam 1 | 3.00 | 2.00 | 900 | 300 | 450 |" in rendered(rows)


def test_only_descendants_count():
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        try:
            while cpu_seconds(os.getpid()) == 0.0:
                assert busy.poll() is None
            assert cpu_seconds(busy.pid) == 0.0
        finally:
            busy.kill()
