"""The program `saccade`: its verbs, and the one place where an error becomes a line.

Nothing here, nor in any file of this room at import, loads torch: asking for help costs a tenth of a second.
"""

import os
import signal
import sys
from contextlib import suppress
from typing import Annotated, Any

import typer

from saccade import __version__
from saccade.cli import (
    attention,
    augment,
    bulk,
    claims,
    compare,
    data,
    demo,
    distill,
    evaluate,
    explore,
    export,
    import_model,
    improve,
    inspect,
    score,
    serve,
    train,
    translate,
)
from saccade.errors import SaccadeError
from saccade.memory import does_not_fit, ran_out_of_memory

app = typer.Typer(
    name="saccade",
    help="Sequence transduction with attention: from two aligned text files to a model a person can trust.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# Each in few enough words that the list of verbs fits 80 columns uncut.
app.command(short_help="Train a small model, then translate with another.")(demo.demo)
app.command(short_help="Train from a recipe, or from two text files alone.")(train.train)
app.command(short_help="Translate texts, a file or standard input.")(translate.translate)
app.add_typer(bulk.app, name="bulk", short_help="Translate or score files of any size.")
app.command(short_help="Translate over HTTP, as LibreTranslate does.")(serve.serve)
app.command(short_help="Score a model, or outputs, against references.")(evaluate.evaluate)
app.command(short_help="Back-translate text, to train on it.")(augment.augment)
app.command(short_help="Train a small model on what a large one writes.")(distill.distill)
app.command(short_help="Back-translate and train again, in rounds.")(improve.improve)
app.command(short_help="See a model attend, in a page on this machine.")(explore.explore)
app.command(short_help="Train systems under one budget, and report.")(compare.compare)
app.command(short_help="Log-probabilities of given pairs.")(score.score)
app.command(short_help="Whether a model's attention aligns, and matters.")(attention.attention)
app.add_typer(data.app, name="data", short_help="Corpora: list, fetch, clean, prepare.")
app.command(short_help="List the shipped recipes, or print one.")(inspect.recipes)
app.command(short_help="List the shipped models and the architectures.")(inspect.models)
app.add_typer(claims.app, name="claims", short_help="What is said about attention, measured.")
app.command(short_help="Write a model for another program.")(export.export)
app.command("import", short_help="Read a model of another program.")(import_model.import_model)
app.command(short_help="Learn a shortlist, for faster searching.")(export.shortlist)
app.command(short_help="Learn how sure a model may be of its outputs.")(export.calibrate)
app.command("verify-resume", short_help="Check that continuing a training is exact.")(train.verify_resume)
app.command(short_help="Find the operation that made a loss not finite.")(train.replay)


def _version(asked: bool) -> bool:
    if asked:
        typer.echo(f"saccade {__version__}")
        raise typer.Exit
    return asked


@app.callback()
def _program(
    version: Annotated[  # noqa: ARG001 the callback answers it
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Sequence transduction with attention: from two aligned text files to a model a person can trust."""


def main() -> None:
    """Runs the command line; whatever a user can cause ends as one line on standard error."""
    if "OMP_WAIT_POLICY" not in os.environ:
        # Threads of OpenMP wait for each other by spinning, for milliseconds unless told otherwise. Where something
        # else also uses the CPU (measured: one other process on two cores), that made a step 30 times slower.
        os.environ.setdefault("GOMP_SPINCOUNT", "5000")
    # On ARM, torch's oneDNN leaves a file for a profiler in /tmp, one for every process, unless told otherwise.
    os.environ.setdefault("ONEDNN_JIT_PROFILE", "0")
    sys.unraisablehook = _interrupt_again
    _open_closed_streams()
    try:
        try:
            code = app(prog_name="saccade", standalone_mode=False)
            sys.stdout.flush()
        except SystemExit as stop:
            # The parser turns a closed pipe into its own ending; every other one it leaves to us.
            if not isinstance(stop.__context__, BrokenPipeError):
                raise
            raise stop.__context__ from None
        except (KeyboardInterrupt, typer.Abort):
            code = 130
        if code == 130:
            _say("interrupted")
        _leave(code)
    except BrokenPipeError:
        # Whoever read our output has gone. Python would complain once more while closing it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
        sys.exit(0)
    except Exception as error:
        line = _in_one_line(error)
        if line is None:
            raise
        _say(f"error: {' '.join(line.split())}")
        _leave(2)


def _open_closed_streams() -> None:
    """A program that is started without standard input, output or errors (`>&-`) reads nothing, and writes nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 open until the program ends


def _in_one_line(error: Exception) -> str | None:
    """What a user is told about a mistake of theirs or of their machine; None for a mistake of ours."""
    match error:
        case SaccadeError():
            return str(error)
        case OSError(filename=None):
            return f"reading or writing failed: {error.strerror or error}. Make room, or choose another place."
        case OSError():
            return f"`{error.filename}` cannot be used: {error.strerror}. Check the path, its rights and the disk."
        case UnicodeEncodeError():
            return f"text must be UTF-8, but {ascii(error.object[error.start : error.end])[:40]} is not. Change it."
    # Neither torch nor the parser's own classes are imported here; their errors are known by name and by shape.
    if ran_out_of_memory(error):
        return does_not_fit("what was asked")
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(str(error))
        sys.exit(2)
    if hasattr(error, "format_message"):
        context = getattr(error, "ctx", None)
        message = error.format_message()
        stop = "" if message.endswith((".", "?")) else "."
        return f"{message}{stop} See `{context.command_path if context else 'saccade'} --help`."
    return None


def _leave(code: int | None) -> None:
    """Ends the process; one of several at once, without taking apart what is loaded.

    Torch's shared tensors keep the group of processes for ever, and with it threads that talk to the others. If one of
    them is at work when Python takes everything apart, the process is aborted, and its run counts as failed.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        with suppress(OSError):
            sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)
    sys.exit(code)


def _interrupt_again(unraisable: Any) -> None:
    """Python drops what is raised while an object is taken apart, Ctrl-C included: that is sent once more."""
    if unraisable.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(unraisable)
        return
    from threading import Timer

    Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()  # when the object is gone


def _say(line: str) -> None:
    """Speaks to the user after what was written so far; a reader who has gone must not hide what is said."""
    with suppress(OSError):
        sys.stdout.flush()
    with suppress(OSError):  # no room where errors go: the exit code still tells
        print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
