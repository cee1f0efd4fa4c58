"""The fault campaign: `python -m tests.faults --minutes 60`, or `--case KIND:SEED` to see one case again."""

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice
from pathlib import Path

# Without the third, torch starts CUDA to find that there is no device.
os.environ.update(OMP_NUM_THREADS="1", CUDA_VISIBLE_DEVICES="", PYTORCH_NVML_BASED_CUDA_CHECK="1")

from tests.faults import campaign  # noqa: E402 torch must find the environment as it is to be


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--cases", type=int, help="how many cases; default 200")
    parser.add_argument("--minutes", type=float, help="how long to go on")
    parser.add_argument("--seed", type=int, default=None, help="of the first case; default: another each time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="cases at the same time")
    parser.add_argument("--kind", choices=sorted(campaign.KINDS), help="one kind of fault only")
    parser.add_argument("--case", metavar="KIND:SEED", help="one case, with everything it printed")
    given = parser.parse_args()
    seed = int.from_bytes(os.urandom(3)) if given.seed is None else given.seed
    with tempfile.TemporaryDirectory(prefix="saccade-faults-") as root:
        os.chmod(root, 0o755)
        campaign.prepare(Path(root))
        if given.case:
            kind, _, number = given.case.partition(":")
            result = campaign.run_case((Path(root), kind, int(number)))
            print(result.report)
            return int(result.failure is not None)
        return _campaign(Path(root), seed, given)


def _campaign(root: Path, seed: int, given: argparse.Namespace) -> int:
    cases = campaign.cases(root, seed, given.kind, given.cases or (None if given.minutes else 200))
    until = time.monotonic() + 60 * given.minutes if given.minutes else None
    print(f"seed {seed}, {given.jobs} at a time", flush=True)
    counted: Counter[str] = Counter()
    failed = 0
    began = time.monotonic()
    for result in _results(cases, given.jobs, until):
        counted[result.kind] += 1
        if result.failure is not None:
            failed += 1
            print(f"FAILED {result.failure}\n    python -m tests.faults --case {result.name}", flush=True)
        if counted.total() % 500 == 0:
            print(f"{counted.total():,} cases, {failed} failed, {time.monotonic() - began:.0f} s", flush=True)
    told = ", ".join(f"{kind} {count:,}" for kind, count in sorted(counted.items()))
    print(f"{counted.total():,} cases in {time.monotonic() - began:.0f} s ({told}): {failed} failed")
    return int(failed > 0)


def _results(cases: Iterator[tuple[Path, str, int]], jobs: int, until: float | None) -> Iterator[campaign.Result]:
    """Runs so many cases at a time, until there are no more or the time is over."""
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("fork")) as pool:
        running = {pool.submit(campaign.run_case, case) for case in islice(cases, 2 * jobs)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            if until is None or time.monotonic() < until:
                running |= {pool.submit(campaign.run_case, case) for case in islice(cases, len(done))}
            yield from (one.result() for one in done)


if __name__ == "__main__":
    sys.exit(main())
