"""`saccade explore`: a page that shows how a model turns one sentence into another."""

import json
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saccade.cli.options import Alpha, Beam, Host, SourceLanguage, TargetLanguage
from saccade.errors import ConfigError, did_you_mean
from saccade.output_files import OutputFile

if TYPE_CHECKING:
    import saccade.explorer.session

_ANOTHER = "Choose another name; only a file that this command wrote is replaced."


def explore(
    models: Annotated[
        list[str] | None, typer.Argument(metavar="MODEL...", help="Model folders, run folders or shipped names.")
    ] = None,
    sentence: Annotated[list[str] | None, typer.Option(help="What to show first; repeatable.")] = None,
    force: Annotated[str | None, typer.Option(help="A translation to read instead of searching for one.")] = None,
    export: Annotated[Path | None, typer.Option(help="Write the page as one HTML file, and stop.")] = None,
    live: Annotated[bool, typer.Option("--live", help="The model goes into the page and answers offline.")] = False,
    trace: Annotated[Path | None, typer.Option(help="Write the numbers as JSON, and stop.")] = None,
    open_file: Annotated[Path | None, typer.Option("--open", help="Show a file that --trace wrote.")] = None,
    detail: Annotated[
        list[str] | None, typer.Option(help="What a file holds: weights, block:ID, all; repeatable.")
    ] = None,
    view: Annotated[str, typer.Option(help="The view to begin with.")] = "home",
    beam: Beam = None,
    alpha: Alpha = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    host: Host = "127.0.0.1",
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="0 is any free one.")] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
) -> None:
    """See a trained model attend: every step, layer and head of your own sentences, in a page on this machine."""
    if not models and open_file is None:
        raise ConfigError(
            "`MODEL` must be given, but is not. `saccade explore en-es` shows the model inside the package, "
            "`saccade explore runs/NAME` one of yours."
        )
    if open_file is not None and (models or sentence or force):
        raise ConfigError("`--open` must come alone, but a model or a sentence is given too. Leave one of them out.")
    if live and (export is None or not models):
        raise ConfigError("`--live` must come with a model and `--export`, but does not. Add --export page.html.")
    if (trace or (export and not live)) and not sentence and open_file is None:
        raise ConfigError("`--sentence` must be given for a file, but is not. Add --sentence '...'.")
    from saccade.explorer.page import is_exported_page, is_trace, opened, view_names
    from saccade.explorer.session import Session

    page_file = None if export is None else OutputFile.of(export, ours=is_exported_page, advice=_ANOTHER)
    trace_file = None if trace is None else OutputFile.of(trace, ours=is_trace, advice=_ANOTHER)
    views = view_names()
    if view not in views:
        raise ConfigError(f"`--view` must be one of {', '.join(views)}, but is {view!r}.{did_you_mean(view, views)}")

    if open_file is not None:
        session = Session({})
        shown = opened(open_file.read_bytes(), str(open_file))
    else:
        from saccade.explorer.notebook import models_by_name
        from saccade.explorer.side_by_side import page_document
        from saccade.tracing.options import TraceOptions

        known = models_by_name(*(models or []))
        session = Session({name: one.between(source_language, target_language) for name, one in known.items()})
        options = TraceOptions(size=beam, alpha=alpha, force=force)
        shown = page_document(session, sentence or [], options, detail or (), f"#/{view}")
        if page_file and shown["traces"]:
            shown["cost"] = _measured(session, shown)
    if page_file or trace_file:
        _write(shown, page_file, trace_file, _live(session) if live else None)
        return
    _serve(session, shown, host, port, browser=not no_browser)


def _measured(session: "saccade.explorer.session.Session", shown: dict[str, Any]) -> dict[str, Any]:
    """What a layer takes on the machine that writes the file: the one that opens it has no model to measure."""
    from datetime import datetime
    from time import perf_counter

    first = shown["traces"][0]
    length = len(first["axes"]["source"]["tokens"])
    return session.cost(first["model"]["id"], length, perf_counter, datetime.now().date().isoformat())


def _live(session: "saccade.explorer.session.Session") -> dict[str, Any]:
    from saccade.explorer.live_page import live_content

    return live_content(session.models)


def _write(
    shown: dict[str, Any], page_file: OutputFile | None, trace_file: OutputFile | None, live: dict[str, Any] | None
) -> None:
    from saccade.explorer.page import exported_page

    if page_file:
        size = page_file.write(exported_page(shown, live))
        _say(f"{page_file.named}: {size / 1e6:.1f} MB. Open it in a browser; it needs nothing else.", page_file)
    if trace_file:
        one = shown["traces"][0] if len(shown["traces"]) == 1 else shown
        size = trace_file.write(json.dumps(one, ensure_ascii=False, allow_nan=False))
        name = trace_file.named
        _say(f"{name}: {size / 1e6:.1f} MB. Show it: saccade explore --open {name}", trace_file)


def _say(line: str, written: OutputFile) -> None:
    """On standard output, unless that may be where the file itself went."""
    print(line, file=sys.stdout if written.target else sys.stderr)


def _serve(
    session: "saccade.explorer.session.Session", shown: dict[str, Any], host: str, port: int | None, *, browser: bool
) -> None:
    import webbrowser

    from saccade.explorer.server import application, serve
    from saccade.web.listening import allowed_hosts

    def say(address: str) -> None:
        print(f"{address}  (Ctrl-C stops it)", flush=True)
        if browser:
            webbrowser.open(address)

    preparing = threading.Thread(target=session.prepare)
    preparing.start()  # while the browser opens
    with suppress(KeyboardInterrupt):  # the way to stop it, and no accident
        serve(application(session, allowed_hosts(host), shown), host, port, say)
    preparing.join()  # a moment at most: Python must not end while torch is at work
