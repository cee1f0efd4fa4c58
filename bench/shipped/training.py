"""A small model taught by a large one, in a given time on one GPU.

    SACCADE_DATA=... python -m bench.shipped.training english-spanish FOLDER --minutes 24

A large model learns from a corpus (the recipe english-spanish-teacher) and translates its sources; a small one (the
recipe english-spanish) learns from what it wrote. Every step is a command that `docs/improving.md` shows. What this
adds is the clock: the teacher takes so many steps, its translations end so many minutes before the end, and the student
takes the steps that fit into what is left, since its learning rate must have come down to nothing at the last one.
Sources that the teacher has not come to keep the corpus's own targets. The same command again goes on where it was
stopped, with a new clock. The model inside the package had no teacher (`docs/log.md`, 2026-11-17).
"""

import argparse
import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from saccade.bulk.folder import BulkFolder
from saccade.data.catalogue import fetch
from saccade.output_files import OutputFile
from saccade.recipes.recipe import load_recipe

SACCADE = (sys.executable, "-m", "saccade.cli.main")
TIMED_FROM = 400
"""The first step of a run whose time counts: before it, kernels are compiled and graphs captured."""
TIMED_STEPS = 1200
"""Steps that are timed."""
RESERVE = 60.0
"""Seconds kept for starting again, and for what comes after the last step: validation, averaging, the saved model."""


class Clock:
    """Seconds since the start, and how many are left."""

    def __init__(self, minutes: float) -> None:
        self._began = time.monotonic()
        self._seconds = 60 * minutes

    @property
    def left(self) -> float:
        """Seconds until the end."""
        return self._began + self._seconds - time.monotonic()

    def say(self, what: str) -> None:
        """Prints what begins now."""
        print(f"[{(self._seconds - self.left) / 60:5.1f} min] {what}", flush=True)


def main() -> int:
    """Trains teacher and student; the student's folder is FOLDER/student."""
    asked = _asked()
    clock, folder = Clock(asked.minutes), asked.folder
    folder.mkdir(parents=True, exist_ok=True)
    source, target = fetch(str(load_recipe(asked.recipe).data.corpus)).splits["train"].paths

    clock.say(f"the teacher, {asked.teacher_steps:,} steps")
    recipe = asked.teacher or f"{asked.recipe}-teacher"
    teacher = ["train", recipe, "--storage", "int8", "--out", str(folder / "teacher")]
    saccade(*teacher, "--set", f"training.steps={asked.teacher_steps}", *asked.training)

    seconds = clock.left - 60 * asked.student_minutes
    clock.say(f"its translations, at most {seconds:.0f} s")
    taught = folder / f"taught{target.suffix}"
    if not taught.exists():
        translations = folder / "translations.txt"
        search = ["--beam", "2", "--workers", str(asked.workers), *asked.options]
        translate(folder / "teacher", source, translations, seconds, search)
        share = write_taught(translations, target, taught)
        clock.say(f"{share:.1%} of the sources are translated")

    student = ["train", asked.recipe, "--target", str(taught), "--storage", "int8", "--out", str(folder / "student")]
    clock.say("the student's speed")
    rate = steps_per_second([*student, *asked.training], folder / "student" / "journal.jsonl")
    steps = int(rate * (clock.left - RESERVE))
    clock.say(f"the student, {steps:,} steps, {rate:.1f} a second")
    saccade(*student, "--set", f"training.steps={steps}", *asked.training)
    clock.say("done")
    return 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", help="of the student: english-spanish or german-english")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--teacher", help="the teacher's recipe; RECIPE-teacher by default")
    parser.add_argument("--minutes", type=float, default=24, help="for all of it")
    parser.add_argument("--teacher-steps", type=int, default=11_000)
    parser.add_argument("--student-minutes", type=float, default=9, help="kept for the student")
    parser.add_argument("--workers", type=int, default=8, help="processes that encode text, and that translate")
    parser.add_argument("--device", default="cuda")
    found = parser.parse_args()
    found.options = ["--device", found.device]
    found.training = [*found.options, "--workers", str(found.workers)]
    return found


def saccade(*arguments: str) -> None:
    """One command, which must succeed."""
    subprocess.run([*SACCADE, *arguments], check=True)


def translate(model: Path, source: Path, output: Path, seconds: float, search: Sequence[str]) -> None:
    """The model's translations of as many lines as it comes to in that time."""
    whole_lines = ["--no-protect", "--no-repair", "--no-split", "--on-error", "skip"]
    # Several processes share the card's memory, and each keeps a graph for every shape of a batch.
    sizes = ["--window", "8192", "--shard-lines", "8192", "--batch-tokens", "4096"]
    command = [*SACCADE, "bulk", "translate", str(model), str(source), "--output", str(output)]
    with subprocess.Popen([*command, *whole_lines, *sizes, *search]) as process:
        try:
            code = process.wait(max(seconds, 1.0))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            process.wait()
            return
    if code != 0:
        raise SystemExit(f"the translation must end with 0, but ended with {code}")


def write_taught(translations: Path, target: Path, taught: Path) -> float:
    """Writes the finished translations, and the corpus's own targets where there are none; the share of the former."""
    done = lines = 0
    with target.open(encoding="utf-8") as own, OutputFile.of(taught).writing() as file:
        if translations.exists():
            file.write(translations.read_bytes())
            return 1.0
        folder = BulkFolder([translations])
        for shard in folder.manifest().shards:
            kept = list(islice(own, shard.lines))
            lines += shard.lines
            if folder.is_done(shard):
                done += shard.lines
                file.write(folder.output(shard, 0).read_bytes())
            else:
                file.write("".join(kept).encode("utf-8"))
    return done / lines


def steps_per_second(command: Sequence[str], journal: Path) -> float:
    """Starts a run, and stops it when its speed is known."""
    with subprocess.Popen([*SACCADE, *command]) as process:
        while (found := speed(journal)) is None:
            if process.poll() is not None:
                raise SystemExit(f"the run must last {TIMED_FROM + TIMED_STEPS} steps, but ended before")
            time.sleep(0.5)
        process.send_signal(signal.SIGINT)
    return found


def speed(journal: Path) -> float | None:
    """Steps a second according to the journal; None while it is too short."""
    if not journal.exists():
        return None
    whole = journal.read_text(encoding="utf-8").rpartition("\n")[0].splitlines()  # the last may be half-written
    events = [json.loads(line) for line in whole]
    seconds = {event["step"]: event["seconds"] for event in events if event["event"] == "train"}
    first = min((step for step in seconds if step >= TIMED_FROM), default=None)
    if first is None or max(seconds) < first + TIMED_STEPS:
        return None
    return (max(seconds) - first) / (seconds[max(seconds)] - seconds[first])


if __name__ == "__main__":
    sys.exit(main())
