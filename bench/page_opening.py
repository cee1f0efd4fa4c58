"""How long a page takes to open in a browser that nobody watches.

A tool that drives a browser is told of every module of a page, and a browser that has just started loads pages of its
own: both together cost more than half of what opening a live page costs. So the browser gets time to settle, is told to
open the page, and is asked for the page's own clock when all is over.
"""

import os
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Playwright

from bench.descendants import cpu_seconds

QUIET = 0.02
"""CPU seconds of half a second in which a browser does nothing."""
MARK = "(name) => performance.getEntriesByName(name)[0].startTime / 1000"


def opening(driver: Playwright, path: str, address: str, mark: str) -> dict[str, float]:
    """Seconds until a page has made this mark, and CPU seconds of the whole browser until it is quiet again."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ["--headless", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
        browser = subprocess.Popen([path, *options, "about:blank"], stderr=subprocess.DEVNULL)
        try:
            port = Path(profile) / "DevToolsActivePort"
            _wait(lambda: port.is_file() and port.stat().st_size > 0)
            control = f"http://127.0.0.1:{port.read_text(encoding='utf-8').split()[0]}"
            before = _settled()
            urllib.request.urlopen(urllib.request.Request(f"{control}/json/new?{address}", method="PUT")).close()
            after = _settled()
            pages = driver.chromium.connect_over_cdp(control).contexts[0].pages
            seconds = next(page for page in pages if page.url.startswith(address)).evaluate(MARK, mark)
        finally:
            browser.terminate()
            browser.wait()
    return {"seconds": seconds, "cpu_seconds": after - before}


def _settled() -> float:
    """Waits until the browser is quiet; its CPU seconds then."""
    used = cpu_seconds(os.getpid())
    while True:
        time.sleep(0.5)
        before, used = used, cpu_seconds(os.getpid())
        if used - before <= QUIET:
            return used


def _wait(done: Callable[[], bool]) -> None:
    while not done():
        time.sleep(0.05)
