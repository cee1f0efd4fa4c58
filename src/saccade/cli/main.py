"""The program `saccade`: its verbs, and the one place where an error becomes a line.

Nothing here, nor in any file of this room at import, loads torch: asking for help costs a tenth of a second.
"""

import errno
import os
import sys
from typing import Annotated, NoReturn

import typer

from saccade import __version__
from saccade.cli import data, demo, evaluate, inspect, score, train, translate
from saccade.errors import SaccadeError

app = typer.Typer(
    name="saccade",
    help="Sequence transduction with attention: from two aligned text files to a model a person can trust.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command()(demo.demo)
app.command()(train.train)
app.command()(translate.translate)
app.command()(evaluate.evaluate)
app.command()(score.score)
app.add_typer(data.app, name="data")
app.command()(inspect.recipes)
app.command()(inspect.models)
app.command("verify-resume")(train.verify_resume)
app.command()(train.replay)


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
    try:
        app(prog_name="saccade")
    except SystemExit as stop:
        if stop.code == 130:
            _say("interrupted")
        raise
    except KeyboardInterrupt:
        _say("interrupted")
        sys.exit(130)
    except SaccadeError as error:
        _fail(str(error))
    except OSError as error:
        if error.errno == errno.EPIPE:
            # Whoever read our output has gone. Python would complain once more while closing it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        where = f"`{error.filename}`: " if error.filename else ""
        _fail(f"{where}{error.strerror or error}.")
    except (MemoryError, RuntimeError) as error:
        # torch is not imported here, and its error for a full GPU can be known by name.
        if not isinstance(error, MemoryError) and type(error).__name__ != "OutOfMemoryError":
            raise
        _fail("the memory is full. Use a smaller --batch-tokens, a smaller training.batch_tokens, or another --device.")


def _fail(message: str) -> NoReturn:
    _say("error: " + " ".join(message.split("\n")))
    sys.exit(2)


def _say(line: str) -> None:
    sys.stdout.flush()
    print(line, file=sys.stderr)


if __name__ == "__main__":
    main()
