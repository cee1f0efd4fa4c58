"""`saccade claims`: what is said about attention, and the experiments that show whether it is so."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from saccade.cli.inspect import table
from saccade.counted import counted
from saccade.memory import keep_freed_memory

if TYPE_CHECKING:
    from saccade.claims.claim import Claim
    from saccade.claims.results import Result


class _ListsWhenBare(TyperGroup):
    """The name of the group alone means its command `list`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or ["list"])


app = typer.Typer(
    help="Claims about attention and its ancestors: list them, or run their experiments.",
    cls=_ListsWhenBare,
    rich_markup_mode=None,
)


@app.command("list", short_help="What is claimed; the same as no command at all.")
def list_claims() -> None:
    """List what is claimed and how long its experiment takes."""
    from saccade.claims.catalogue import CLAIMS

    rows = (
        (claim.id, claim.cost, f"{claim.claim}{f' (Also {claim.also}.)' * bool(claim.also)}")
        for claim in CLAIMS.values()
    )
    table([("id", "takes", "claim"), *rows])
    print("\n`saccade claims run ID` measures one and writes a page about it.", file=sys.stderr)


@app.command("run", short_help="Measure some, or all, and write a page.")
def run_claims(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Which: A1 R3. See `saccade claims`.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every claim there is.")] = False,
    out: Annotated[Path, typer.Option(help="The folder for the page and the findings.")] = Path("claims"),
    again: Annotated[bool, typer.Option("--again", help="Measure also what was measured before.")] = False,
    markdown: Annotated[Path | None, typer.Option(help="Write the results as a table in this file, too.")] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    parallel: Annotated[int, typer.Option(help="Seeds at the same time, each in a process of its own.")] = 1,
) -> None:
    """Measure claims, judge them by their rules, and write a page with plots.

    What was measured before, in the same folder and under the same rule, is kept; where a claim has more seeds by now,
    the missing ones are measured. Interrupted, the command leaves what is finished, every seed by itself, and goes on
    from there when it is called again. With --all, claims whose corpus is not here are named and left out; `saccade
    data fetch` gets it. So are those that take a GPU, unless --device cuda is given.
    """
    keep_freed_memory()
    from saccade.claims.catalogue import CLAIMS, find
    from saccade.claims.page import is_table, page
    from saccade.claims.page import markdown as as_markdown
    from saccade.claims.results import load, written_files
    from saccade.errors import ConfigError, InputError, SourceError
    from saccade.folders import atomic_write, usable
    from saccade.hardware import choose_device
    from saccade.output_files import OutputFile

    if bool(ids) == all_:
        raise InputError("either ids of claims or `--all` must be given. `saccade claims` lists the ids.")
    if parallel < 1:
        raise ConfigError(f"`--parallel` must be 1 or more, but is {parallel}.")
    claims = list(CLAIMS.values()) if all_ else find(ids or [])
    advice = "Choose another name; only a table that this command wrote is replaced."
    chosen = choose_device(device).type
    table = None if markdown is None else OutputFile.of(markdown, ours=is_table, advice=advice)
    measured: list[tuple[Claim, Result | None]] = []
    usable(out, written_files)
    out.mkdir(parents=True, exist_ok=True)
    too_large = [claim for claim in claims if all_ and claim.cost == "GPU" and chosen == "cpu"]
    kept = _kept(claims, too_large, out, again=again)
    try:
        if parallel > 1:
            wanted = [claim for claim in claims if claim not in kept and claim not in too_large]
            kept += _side_by_side(wanted, out, chosen, parallel)
        for claim in claims:
            result = load(claim, out) if claim in kept else None
            if result is None and claim in too_large:
                print(f"{claim.id:4}not run: it takes a GPU, `--device cuda`.", file=sys.stderr, flush=True)
            elif result is None:
                try:
                    result = _measured(claim, out, chosen)
                except SourceError as missing:
                    if not all_:
                        raise
                    print(f"{claim.id:4}not run: {missing}", file=sys.stderr, flush=True)
            measured.append((claim, result))
            if result is not None:
                print(f"{claim.id:4}{result.verdict}: {result.because}", flush=True)
    finally:
        # Also when somebody has had enough: what is there is worth reading.
        shown = [(claim, held) for claim in CLAIMS.values() if (held := load(claim, out)) is not None]
        atomic_write(out / "index.html", page(shown))
        print(f"{out / 'index.html'} shows {counted(len(shown), 'claim')}.", file=sys.stderr)
    if table is not None:
        table.write(as_markdown(measured))


@app.command("show", short_help="Open the plot of one.")
def show_claim(
    id_: Annotated[str, typer.Argument(metavar="ID", help="Which: A1. See `saccade claims`.")],
    out: Annotated[Path, typer.Option(help="The folder that `claims run` wrote to.")] = Path("claims"),
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only say where the page is.")] = False,
) -> None:
    """Open a page with the plot of one claim, its verdict, its rule and what came out.

    What was measured in the folder is shown; if the claim was not measured there, then what is recorded in the
    package. The page is written into the folder, as ID.html.
    """
    import webbrowser

    from saccade.claims.catalogue import find
    from saccade.claims.page import page
    from saccade.claims.results import RECORDED, is_page, load
    from saccade.errors import InputError
    from saccade.output_files import OutputFile

    (claim,) = find([id_])
    here = load(claim, out)
    result = here or load(claim, RECORDED)
    if result is None:
        more = " --device cuda" if claim.cost == "GPU" else ""
        raise InputError(
            f"{claim.id} must have been measured, but was not. `saccade claims run {claim.id}{more}` does."
        )
    out.mkdir(parents=True, exist_ok=True)
    advice = "Choose another folder; only a page that this command wrote is replaced."
    written = OutputFile.of(out / f"{claim.id}.html", ours=is_page, advice=advice)
    kept = "in the JSON file beside it" if here else "recorded in the package, and were not measured in this folder"
    written.write(page([(claim, result)], kept))
    print(f"{claim.id:4}{result.verdict}: {result.because}\n{written.named}")
    if not no_browser:
        webbrowser.open((out / f"{claim.id}.html").resolve().as_uri())


def _kept(claims: "list[Claim]", too_large: "list[Claim]", out: Path, *, again: bool) -> "list[Claim]":
    """Those whose result in the folder stands; `again`: none. Of the others the seeds that were measured are kept."""
    from saccade.claims.results import load, take_apart
    from saccade.claims.seeds import forget_seeds

    kept = []
    for claim in claims:
        if again:
            forget_seeds(claim.id, out)
        elif (held := load(claim, out)) is not None:
            if len(held.seeds) >= claim.seeds or claim in too_large:
                kept.append(claim)
            else:
                take_apart(held, out)
    return kept


def _measured(claim: "Claim", out: Path, device: str) -> "Result":
    import torch

    from saccade.claims.results import measure, save

    # Tensors this small gain nothing from a second thread, and one thread gives everyone the same numbers.
    torch.set_num_threads(1)
    with _shown(f"{claim.id} {claim.title}") as progress:
        result = measure(claim, datetime.now(), progress, device=device, folder=out)
    save(result, out)
    return result


def _side_by_side(claims: "list[Claim]", out: Path, device: str, processes: int) -> "list[Claim]":
    """Those that have a result then: each as soon as its last seed is there."""
    from saccade.claims.seeds import load_seed, measure_side_by_side

    finished = []
    for claim, seed, seconds in measure_side_by_side(claims, out, device, processes):
        print(f"{claim.id:4}seed {seed} measured in {seconds:.0f} s", file=sys.stderr, flush=True)
        if all(load_seed(claim, number, device, out) for number in range(claim.seeds)):
            _measured(claim, out, device)
            finished.append(claim)
    return finished


@contextmanager
def _shown(title: str) -> Iterator[Callable[[float], None]]:
    """A bar on a terminal, a line elsewhere."""
    if not sys.stderr.isatty():
        print(title, file=sys.stderr, flush=True)
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True, highlight=False), transient=True) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda share: bar.update(task, completed=share)
