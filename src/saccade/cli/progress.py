"""A training run as a person watches it: a live line on a terminal, plain lines in a log."""

import sys
import time
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

Event = Mapping[str, Any]

SECONDS_BETWEEN_LINES = 10.0


class PlainDisplay:
    """One line for a journal entry, at most every ten seconds, and one for every validation."""

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self.say = say
        self.clock = clock
        self.spoke = -float("inf")
        self.steps = 0
        self.stage = ""

    def __enter__(self) -> "PlainDisplay":
        """Nothing to set up."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to clean up."""

    def __call__(self, event: Event) -> None:
        """Hears an event of the run."""
        match event["event"]:
            case "step":
                self.steps = event["steps"]
            case "train" if self.clock() - self.spoke >= SECONDS_BETWEEN_LINES:
                self.spoke = self.clock()
                self.say(f"step {event['step']:,}/{self.steps:,}  {training_line(event)}")
            case "preparing" if event["text"] != self.stage:
                self.stage = event["text"]
                self.say(self.stage)
            case "note" | "start" | "resume" | "validation" | "split" | "stop":
                self.say(sentence(event))


class LiveDisplay:
    """A bar with loss, learning rate, tokens per second and time left, below what is worth keeping."""

    def __init__(self, folder: Path) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self.folder = folder
        self.minutes: float | None = None
        self.rate: float | None = None
        self.console = Console(stderr=True, highlight=False)
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[numbers]}"),
            TextColumn("{task.fields[left]}"),
            console=self.console,
            transient=True,
        )
        self.preparation = self.bar.add_task("", total=None, visible=False, numbers="", left="")
        self.task = self.bar.add_task("", total=1, visible=False, numbers="", left="")
        self.first: tuple[int, float] | None = None

    def __enter__(self) -> "LiveDisplay":
        """Starts drawing."""
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stops drawing, whatever happened, so that the terminal is left as it was."""
        self.bar.stop()

    def __call__(self, event: Event) -> None:
        """Hears an event of the run."""
        match event["event"]:
            case "step":
                self._draw(event)
            case "preparing":
                self._prepare(event)
            case "note" | "start" | "resume" | "validation" | "split" | "stop":
                if event["event"] in ("start", "resume"):
                    self.minutes = _minutes(self.folder)
                    self.bar.update(self.preparation, visible=False)
                if event["event"] == "stop":
                    self.bar.update(self.task, visible=False)
                self.say(sentence(event))

    def say(self, line: str) -> None:
        """Prints a line above the bar."""
        self.bar.console.print(line, markup=False)

    def _prepare(self, event: Event) -> None:
        share = f"{event['done'] / event['total']:.0%}" if event["total"] else f"{event['done']:,}"
        self.bar.update(self.preparation, visible=True, numbers=event["text"], left=share)

    def _draw(self, event: Event) -> None:
        step, seconds = event["step"], event["seconds"]
        if self.first is None:
            self.first = (step, seconds)
            return
        each = (seconds - self.first[1]) / max(step - self.first[0], 1)
        speed = event["tokens"] / max(each, 1e-9)
        self.rate = speed if self.rate is None else 0.98 * self.rate + 0.02 * speed
        numbers = f"loss {event['loss']:.3f}  rate {event['learning_rate']:.2e}  {self.rate:,.0f} tokens/s"
        done, left = step / event["steps"], (event["steps"] - step) * each
        if self.minutes is not None:  # whichever limit comes first
            done, left = max(done, seconds / (60 * self.minutes)), min(left, 60 * self.minutes - seconds)
        self.bar.update(self.preparation, visible=False)
        self.bar.update(
            self.task,
            description=f"step {step:,}/{event['steps']:,}",
            completed=done,
            visible=True,
            numbers=numbers,
            left=f"{duration(max(left, 0.0))} left",
        )


def display(folder: Path) -> PlainDisplay | LiveDisplay:
    """What suits standard error, a terminal or a file, for the run in this folder."""
    return LiveDisplay(folder) if sys.stderr.isatty() else PlainDisplay(_print)


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def training_line(event: Event) -> str:
    """The numbers of a journal entry."""
    return (
        f"loss {event['loss']:.3f}  rate {event['learning_rate']:.2e}  "
        f"{event['tokens_per_second']:,.0f} tokens/s, {event['of_floor']:.0%} of the products alone  "
        f"{duration(event['seconds'])}"
    )


def sentence(event: Event) -> str:
    """An event of the journal, in words."""
    if event["event"] == "note":
        return str(event["text"])
    step = f"{event['step']:,}"
    match event["event"]:
        case "start":
            return f"training starts {_choices(event)}"
        case "resume":
            return f"training goes on from step {step} {_choices(event)}"
        case "validation":
            known = ("event", "step", "loss", "perplexity", "score", "best", "seconds")
            measures = "".join(f"  {name} {value:.2f}" for name, value in event.items() if name not in known)
            best = "  best so far" if event["best"] else ""
            return f"step {step}  validation: loss {event['loss']:.3f}{measures}{best}"
        case "stop":
            # A run whose loss is not finite stops without telling how much memory it had.
            memory = f", with at most {_gib(event['peak_memory'])} of memory" if "peak_memory" in event else ""
            return f"training stops at step {step} ({event['reason']}) after {duration(event['seconds'])}{memory}"
        case "split":
            return (
                f"step {step}  a batch of {event['sentences']:,} pairs did not fit into memory and was taken in pieces "
                f"({_gib(event['peak_memory'])} at most); the run goes on"
            )
    return f"step {step}  {event['event']}"


def _choices(event: Event) -> str:
    """What was chosen for the machine, and why."""
    roofline = ""
    if event["parameters"]:  # a model that counts has none
        roofline = f"; the matrix products alone would take {event['floor_tokens_per_second']:,.0f} tokens/s"
    precision = "bfloat16 products" if event["bfloat16"] else "float32"
    on = "the GPU" if event["device"].startswith("cuda") else f"{event['threads']} CPU threads"
    processes = f", {event['processes']} processes" if event["processes"] > 1 else ""
    several = f" x {event['accumulate']}" if event["accumulate"] > 1 else ""
    layout = "packed into one row: no padding" if event["layout"] == "packed" else "of similar length: little padding"
    captured = "; every step replays one CUDA graph, since all have one shape" if event["recorded"] else ""
    return (
        f"on {on}{processes} in {precision}; batches of {event['batch_tokens']:,}{several} tokens a side, sentences "
        f"{layout}{captured}{roofline}"
    )


def _gib(count: int) -> str:
    return f"{count / 2**30:.2f} GiB"


def _minutes(folder: Path) -> float | None:
    """The time a run may take: its recipe stands in its folder before it starts."""
    limit = tomllib.loads((folder / "recipe.toml").read_text(encoding="utf-8"))["training"].get("minutes")
    return float(limit) if isinstance(limit, int | float) else None


def duration(seconds: float) -> str:
    """Minutes and seconds, and hours when there are any."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
