"""A training run as a person watches it: a live line on a terminal, plain lines in a log."""

import sys
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from saccade.counted import counted
from saccade.data.progress import estimate_in_words

Event = Mapping[str, Any]

FIRST_LINE = 5.0
"""Seconds after the start when a log gets its first line about speed and time left: soon, but not of one step alone."""
LONGEST_SILENCE = 60.0
"""Seconds between two such lines at most; each silence is twice the last."""


class Pace:
    """How fast the steps of this session are, and how long the rest will take, validations and checkpoints included.

    The first step counts only as long as it is alone: it also loads libraries and allocates memory.
    """

    def __init__(self) -> None:
        self.heard = 0

    def hear(self, event: Event) -> None:
        """Counts a step."""
        self.heard += 1
        if self.heard <= 2:
            self.began = event["seconds"] - event["step_seconds"]
            self.steps, self.tokens, self.training_seconds = 0, 0, 0.0
        self.steps += 1
        self.tokens += event["tokens"]
        self.training_seconds += event["step_seconds"]

    @property
    def tokens_per_second(self) -> float:
        """Target tokens a second while training."""
        return self.tokens / max(self.training_seconds, 1e-9)

    def seconds_left(self, event: Event) -> float:
        """From this step to the last one, or until the time is over if that comes first."""
        left = (event["steps"] - event["step"]) * (event["seconds"] - self.began) / self.steps
        if event["minutes"] is not None:
            left = min(left, 60 * event["minutes"] - event["seconds"])
        return max(float(left), 0.0)


class PlainDisplay:
    """A line on speed and time left within ten seconds and then ever more rarely, and one for every validation."""

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self.say = say
        self.clock = clock
        self.stage = ""
        self._begin()

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
                self._hear_step(event)
            case "preparing" if event["text"] != self.stage:
                self.stage = event["text"]
                self.say(self.stage)
            case "note" | "start" | "resume" | "validation" | "split" | "stop":
                if event["event"] in ("start", "resume"):
                    self._begin()
                self.say(sentence(event))

    def _begin(self) -> None:
        self.pace = Pace()
        self.silence = FIRST_LINE
        self._forget()

    def _forget(self) -> None:
        """Begins to count what the next line will be about."""
        self.spoke = self.clock()
        self.tokens, self.nll = 0, 0.0

    def _hear_step(self, event: Event) -> None:
        self.pace.hear(event)
        self.tokens += event["tokens"]
        self.nll += event["nll"] * event["tokens"]
        if self.clock() - self.spoke < self.silence:
            return
        left = estimate_in_words(self.pace.seconds_left(event))
        self.say(
            f"step {event['step']:,} of {event['steps']:,}, loss {self.nll / max(self.tokens, 1):.3f}, "
            f"{self.pace.tokens_per_second:,.0f} target tokens/s, {left} left"
        )
        self.silence = min(2 * self.silence, LONGEST_SILENCE)
        self._forget()


class LiveDisplay:
    """A bar with loss, learning rate, tokens per second and time left, below what is worth keeping."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self.pace = Pace()
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
                    self.pace = Pace()
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
        self.pace.hear(event)
        step, speed = event["step"], self.pace.tokens_per_second
        numbers = f"loss {event['nll']:.3f}  rate {event['learning_rate']:.2e}  {speed:,.0f} target tokens/s"
        done = step / event["steps"]
        if event["minutes"] is not None:  # whichever limit comes first
            done = max(done, event["seconds"] / (60 * event["minutes"]))
        self.bar.update(self.preparation, visible=False)
        self.bar.update(
            self.task,
            description=f"step {step:,}/{event['steps']:,}",
            completed=done,
            visible=True,
            numbers=numbers,
            left=f"{estimate_in_words(self.pace.seconds_left(event))} left",
        )


def display() -> PlainDisplay | LiveDisplay:
    """What suits standard error, a terminal or a file."""
    return LiveDisplay() if sys.stderr.isatty() else PlainDisplay(_print)


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


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
                f"step {step}  a batch of {event['sentences']:,} sentences did not fit into memory and was taken in "
                f"pieces ({_gib(event['peak_memory'])} at most); the run goes on"
            )
    return f"step {step}  {event['event']}"


def _choices(event: Event) -> str:
    """What was chosen for the machine, and why."""
    precision = "bfloat16 products" if event["bfloat16"] else "float32"
    on = "the GPU" if event["device"].startswith("cuda") else counted(event["threads"], "CPU thread")
    processes = f", {event['processes']} processes" if event["processes"] > 1 else ""
    several = f" x {event['accumulate']}" if event["accumulate"] > 1 else ""
    layout = "packed into one row: no padding" if event["layout"] == "packed" else "of similar length: little padding"
    shapes = "one shape" if event["layout"] == "packed" else "few shapes"
    captured = f"; steps replay CUDA graphs, since batches have {shapes}" if event["recorded"] else ""
    return (
        f"on {on}{processes} in {precision}; batches of {event['batch_tokens']:,}{several} tokens a side, sentences "
        f"{layout}{captured}"
    )


def _gib(count: int) -> str:
    return f"{count / 2**30:.2f} GiB"


def duration(seconds: float) -> str:
    """Minutes and seconds, and hours when there are any."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
