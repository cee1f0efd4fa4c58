"""Source words per second of one CPU core, in a process of its own that may use no other.

    python -m bench.shipped.speed MODEL FILE LINES      one JSON object on standard output

The first lines are translated before the clock starts. What counts is CPU time, so that others on the machine do not;
on an idle core the time of the clock is the same, and is told as well.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import saccade
    from saccade.serving.translation_options import TranslateSettings

WARM_UP = 20


def words_per_second(model: str, file: Path, lines: int) -> dict[str, float | str]:
    """Measured in another process."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-m", "bench.shipped.speed", model, str(file), str(lines)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the process that measures speed failed: {done.stderr[-2000:]}")
    found: dict[str, float | str] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Measures here."""
    model, file, count = sys.argv[1:]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import torch

    import saccade

    torch.set_num_threads(1)
    translator = saccade.load(model, device="cpu", engine="auto")
    lines = [line for line in Path(file).read_text(encoding="utf-8").split("\n") if line.strip()][: int(count)]
    words = sum(len(line.split()) for line in lines)
    cpu, clock = _seconds(translator, lines, plain=False)
    search, _ = _seconds(translator, lines, plain=True)
    engine = f"{translator.engine().description}, beam {translator.search.size}"
    found = {"words": words, "cpu": words / cpu, "clock": words / clock, "search alone": words / search}
    print(json.dumps({**found, "engine": engine}))


def _seconds(translator: "saccade.Translator", lines: list[str], *, plain: bool) -> tuple[float, float]:
    """CPU time and time of the clock; `plain` protects no spans and repairs nothing."""
    settings: TranslateSettings = {"on_error": "copy"}
    if plain:
        settings |= {"protect": False, "repair": False}
    translator.translate(lines[:WARM_UP], **settings)
    cpu, clock = time.process_time(), time.perf_counter()
    translator.translate(lines, **settings)
    return time.process_time() - cpu, time.perf_counter() - clock


if __name__ == "__main__":
    main()
