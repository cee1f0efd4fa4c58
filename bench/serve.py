"""`saccade serve` under load: how many requests, how long they take, and whether its memory grows.

    python -m bench.serve en-es test.en --requests 200000 --clients 64 --out serve.json

The lines of the file are translated without a server first; every answer is compared with these. Then the server runs
as a process of its own, and locust asks it: as fast as it answers, with a share of hostile requests, which gives its
capacity; then at 10, 50 and 90 % of that, without hostile ones; then one client alone, beside direct calls of the same
translator. Memory is what the process tells at /metrics, with its slope over the first part.

The rule for one client, fixed before the first run: the 99th percentile is at most 1.3 times that of direct calls.
"""

import argparse
import csv
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import saccade
from bench.environments import python_of
from bench.machine import description

ALLOWED = 1.3
"""The 99th percentile of one client, as a multiple of that of direct calls."""


@contextmanager
def server(model: str, engine: str) -> Iterator[str]:
    """The address of a server of its own."""
    command = [sys.executable, "-m", "saccade.cli.main", "serve", model, "--port", "0", "--engine", engine]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield next(line for line in process.stdout if line.startswith("http")).split()[0].rstrip("/")
        finally:
            process.terminate()


class Memory:
    """Samples the resident memory of a server, once a second."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.samples: list[tuple[float, float]] = []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Memory":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(1):
            with urlopen(f"{self.address}/metrics", timeout=60) as answer:
                told = re.search(r"^process_resident_memory_bytes (\S+)", answer.read().decode(), re.MULTILINE)
            if told:
                self.samples.append((time.monotonic(), float(told[1]) / 1e6))

    def megabytes_per_minute(self) -> float | None:
        """The slope over the second half of the samples: at first, what is needed for good is still being made."""
        later = self.samples[len(self.samples) // 2 :]
        if len(later) < 3:
            return None
        slope, _ = statistics.linear_regression(*zip(*later, strict=True))
        return 60 * slope


def load(address: str, settings: dict[str, Any], clients: int) -> dict[str, float]:
    """What locust measures of the good requests; how many of any kind failed."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(python_of("locust")), "-m", "locust", "-f", str(Path(__file__).with_name("serve_clients.py"))]
        command += ["--headless", "--host", address, "-u", str(clients), "-r", str(clients), "--csv", f"{folder}/load"]
        environment = os.environ | {"SACCADE_BENCH_CLIENTS": json.dumps(settings)}
        subprocess.run([*command, "--only-summary"], env=environment, check=False, stdout=sys.stderr)
        with open(f"{folder}/load_stats.csv", encoding="utf-8") as file:
            rows = {row["Name"]: row for row in csv.DictReader(file)}
    good, every = rows["translate"], rows["Aggregated"]
    return {
        "requests": int(every["Request Count"]),
        "failures": int(every["Failure Count"]),
        "per_second": float(every["Requests/s"]),
        "p50_ms": float(good["50%"]),
        "p99_ms": float(good["99%"]),
    }


def direct(translator: Any, texts: Sequence[str]) -> dict[str, float]:
    """A plain loop: one text after another in this process."""
    times = []
    for text in texts:
        began = time.perf_counter()
        translator.translate(text)
        times.append(1000 * (time.perf_counter() - began))
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return {
        "requests": len(times),
        "per_second": 1000 * len(times) / sum(times),
        "p50_ms": cuts[49],
        "p99_ms": cuts[98],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("lines", type=Path, help="one text on each line; the realistic mix of lengths")
    parser.add_argument("--different", type=int, default=2000, help="lines of the file that are used")
    parser.add_argument("--requests", type=int, default=200_000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--hostile", type=float, default=0.1, help="the share of hostile requests in the first part")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    translator = saccade.load(given.model, engine=given.engine)
    lines = [line for line in given.lines.read_text(encoding="utf-8").splitlines() if line.strip()][: given.different]
    lines = list(dict.fromkeys(lines))
    languages = {"source": translator.bundle.source_language, "target": translator.bundle.target_language}
    found: dict[str, Any] = {"machine": description(), "engine": translator.engines[0].description}
    with tempfile.TemporaryDirectory() as folder:
        expected = Path(folder) / "expected.json"
        expected.write_text(json.dumps(dict(zip(lines, translator.translate(lines), strict=True))), encoding="utf-8")
        settings = {"expected": str(expected), "texts": 1, "hostile": 0.0, "per_second": 0.0, **languages}
        with server(given.model, given.engine) as address:
            with Memory(address) as memory:
                asked = settings | {"requests": given.requests, "hostile": given.hostile}
                found["full"] = load(address, asked, given.clients)
            found["full"]["megabytes_per_minute"] = memory.megabytes_per_minute()
            for share in (0.1, 0.5, 0.9):
                rate = share * found["full"]["per_second"]
                asked = settings | {"requests": int(60 * rate) + 1, "per_second": rate / given.clients}
                found[f"{share:.0%} of capacity"] = load(address, asked, given.clients)
            alone = min(given.requests, 2000)
            found["one client"] = load(address, settings | {"requests": alone}, 1)
        found["direct calls"] = direct(translator, (lines * (alone // len(lines) + 1))[:alone])
    ratio = found["one client"]["p99_ms"] / found["direct calls"]["p99_ms"]
    found["one client"]["p99_beside_direct"] = ratio
    if given.out:
        given.out.write_text(json.dumps(found, indent=1), encoding="utf-8")
    print(_table(found))
    failures = sum(one.get("failures", 0) for one in found.values() if isinstance(one, dict))
    print(f"\n{failures} failures; one client's 99th percentile is {ratio:.2f} times that of direct calls.")
    return int(failures > 0 or ratio > ALLOWED)


def _table(found: dict[str, Any]) -> str:
    rows = ["| load | requests | per second | p50 ms | p99 ms |", "|---|---|---|---|---|"]
    for name, one in found.items():
        if isinstance(one, dict):
            numbers = f"{one['requests']:,} | {one['per_second']:.1f} | {one['p50_ms']:.0f} | {one['p99_ms']:.0f}"
            rows.append(f"| {name} | {numbers} |")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
