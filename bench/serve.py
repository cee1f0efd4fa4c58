"""`saccade serve` under load: how many requests, how long they take, and whether its memory grows.

    python -m bench.serve en-es test.en --requests 200000 --clients 64 --out serve.json

The lines of the file are translated without a server first; every answer is compared with these. Then the server runs
as a process of its own, and locust asks it: as fast as it answers, with a share of hostile requests, which gives its
capacity; then at 10, 50 and 90 % of that, without hostile ones; then one client alone, beside direct calls of the same
translator and a plain loop around CTranslate2. Memory is what the process tells at /metrics, with its slope over the
first part. With `--libretranslate PROGRAM`, LibreTranslate with the same model (`serve_peers.py`) and this server are
then asked by the same clients, in turns: first LibreTranslate as it comes, then tuned by hand.

The rules, fixed before the first run:
    one client    the 99th percentile is at most 1.3 times that of direct calls
    all clients   at least 5 times as many requests per second as LibreTranslate, three standard errors beyond it
                  (until 18 November 2026 it was measured tuned by hand alone, and the rule failed, 1.75 to 1.99 times;
                  since then the rule is asked of both, and both answers are told)
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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import saccade
from bench.environments import python_of
from bench.machine import description
from bench.serve_peers import agreement, libretranslate, plain_loop, write_package
from bench.server_process import serving

ALLOWED = 1.3
"""The 99th percentile of one client, as a multiple of that of direct calls."""
REQUIRED = 5.0
"""Requests per second, as a multiple of LibreTranslate's."""
TURNS = 4
"""How often each of the two is asked."""
PEERS = {"LibreTranslate as it comes": False, "LibreTranslate tuned": True}


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


def direct(translate: Callable[[str], object], texts: Sequence[str]) -> dict[str, float]:
    """A plain loop: one text after another in this process."""
    times = []
    for text in texts:
        began = time.perf_counter()
        translate(text)
        times.append(1000 * (time.perf_counter() - began))
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return {
        "requests": len(times),
        "per_second": 1000 * len(times) / sum(times),
        "p50_ms": cuts[49],
        "p99_ms": cuts[98],
    }


def beside(
    name: str, ours: str, theirs: str, settings: dict[str, Any], clients: int
) -> tuple[dict[str, Any], list[float]]:
    """Both servers asked in turns: every load, and our requests per second as multiples of theirs."""
    loads: dict[str, Any] = {}
    ratios = []
    for turn in range(1, TURNS + 1):
        other = load(theirs, settings | {"compare": False}, clients)
        own = load(ours, settings, clients)
        ratios.append(own["per_second"] / other["per_second"])
        loads |= {f"{name}, turn {turn}": other, f"saccade, beside turn {turn} of {name}": own}
    return loads, ratios


def verdict(ratios: Sequence[float]) -> str:
    """Whether the ratio is above what is required, three standard errors beyond it."""
    error = statistics.stdev(ratios) / len(ratios) ** 0.5
    distance = statistics.mean(ratios) - REQUIRED
    return "undecided" if abs(distance) < 3 * error else "holds" if distance > 0 else "fails"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("lines", type=Path, help="one text on each line; the realistic mix of lengths")
    parser.add_argument("--different", type=int, default=2000, help="lines of the file that are used, evenly spaced")
    parser.add_argument("--requests", type=int, default=200_000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--hostile", type=float, default=0.1, help="the share of hostile requests in the first part")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--libretranslate", type=Path, metavar="PROGRAM", help="asked too, with the same model")
    parser.add_argument("--peer-requests", type=int, default=2000, help="requests in each turn beside LibreTranslate")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(given, Path(folder))
    if given.out:
        given.out.write_text(json.dumps(found, indent=1), encoding="utf-8")
    print(_table(found))
    failures = sum(one.get("failures", 0) for one in found.values() if isinstance(one, dict))
    ratio = found["one client"]["p99_beside_direct"]
    print(f"\n{failures} failures; one client's 99th percentile is {ratio:.2f} times that of direct calls.")
    print(f"Memory: {found['full']['megabytes_per_minute']} MB more each minute under full load.")
    peers = found.get("peers", {})
    for name, peer in peers.items():
        ratios = " ".join(f"{one:.2f}" for one in peer["times"])
        print(f"Requests per second as a multiple of {name}: {ratios}; at least 5: {peer['at_least_5_times']}.")
    missed = any(peer["at_least_5_times"] != "holds" for peer in peers.values())
    return int(failures > 0 or ratio > ALLOWED or missed)


def measure(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Everything, by the name of the load."""
    translator = saccade.load(given.model, engine=given.engine)
    every = [line for line in given.lines.read_text(encoding="utf-8").splitlines() if line.strip()]
    lines = list(dict.fromkeys(every[:: max(1, len(every) // given.different)]))[: given.different]
    languages = {"source": str(translator.bundle.source_language), "target": str(translator.bundle.target_language)}
    expected = dict(zip(lines, translator.translate(lines), strict=True))
    (folder / "expected.json").write_text(json.dumps(expected), encoding="utf-8")
    settings = {"expected": str(folder / "expected.json"), "texts": 1, "hostile": 0.0, "per_second": 0.0}
    settings |= {"compare": True, **languages}
    found: dict[str, Any] = {"machine": description(), "engine": translator.engines[0].description}
    alone = min(given.requests, 2000)
    with serving("serve", given.model, "--engine", given.engine) as address:
        found |= _loads(address, settings, given)
        found["one client"] = load(address, settings | {"requests": alone}, 1)
        some = (lines * (alone // len(lines) + 1))[:alone]
        found["direct calls"] = direct(translator.translate, some)
        ratio = found["one client"]["p99_ms"] / found["direct calls"]["p99_ms"]
        found["one client"]["p99_beside_direct"] = ratio
        if given.libretranslate:
            beam = translator.beam_search(size=None).size
            package = folder / "packages" / "saccade"
            write_package(translator.bundle, given.libretranslate.with_name("python"), package)
            found["plain loop around CTranslate2"] = direct(plain_loop(translator.bundle, package, beam), some)
            asked = settings | {"requests": given.peer_requests}
            found["peers"] = {}
            for name, tuned in PEERS.items():
                with libretranslate(given.libretranslate, beam, folder, tuned) as other:
                    agrees = agreement(other, expected, languages, lines[:200])
                    loads, ratios = beside(name, address, other, asked, given.clients)
                found |= loads
                found["peers"][name] = {"agrees": agrees, "times": ratios, "at_least_5_times": verdict(ratios)}
    return found


def _loads(address: str, settings: dict[str, Any], given: argparse.Namespace) -> dict[str, Any]:
    """As fast as it answers, then at shares of that."""
    found: dict[str, Any] = {}
    with Memory(address) as memory:
        found["full"] = load(address, settings | {"requests": given.requests, "hostile": given.hostile}, given.clients)
    found["full"]["megabytes_per_minute"] = memory.megabytes_per_minute()
    for share in (0.1, 0.5, 0.9):
        rate = share * found["full"]["per_second"]
        asked = settings | {"requests": int(60 * rate) + 1, "per_second": rate / given.clients}
        found[f"{share:.0%} of capacity"] = load(address, asked, given.clients)
    return found


def _table(found: dict[str, Any]) -> str:
    rows = ["| load | requests | per second | p50 ms | p99 ms |", "|---|---|---|---|---|"]
    for name, one in found.items():
        if isinstance(one, dict) and "per_second" in one:
            numbers = f"{one['requests']:,} | {one['per_second']:.1f} | {one['p50_ms']:.0f} | {one['p99_ms']:.0f}"
            rows.append(f"| {name} | {numbers} |")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
