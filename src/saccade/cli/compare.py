"""`saccade compare`: systems under one budget, or finished runs, side by side."""

import shlex
import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.options import Device
from saccade.cli.progress import PlainDisplay
from saccade.errors import InputError
from saccade.memory import keep_freed_memory

_FOLDER = Path("comparison")


def compare(
    runs: Annotated[
        list[Path] | None, typer.Argument(help="Finished runs to report, or a report.json to draw.")
    ] = None,
    recipe: Annotated[str | None, typer.Option(help="The recipe all systems are trained with.")] = None,
    models: Annotated[
        str | None,
        typer.Option(help="Systems, with settings after a colon: seq2seq,luong:score=dot. Default: all that can."),
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="For each run: 10m, 90s, 2000steps, 5Mtok or 1e15flop. Default: the recipe's.")
    ] = None,
    sweep: Annotated[
        str | None,
        typer.Option(
            help="Find learning rate and initial weights of each system first, by trials of 2000steps or 8Mtok."
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(help="Runs of each system; the first has the recipe's seed.")] = 3,
    parameters: Annotated[
        str | None, typer.Option(help="Size of every model: 5M, 800k. Default: that of the recipe's own.")
    ] = None,
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the recipe. Repeatable.")
    ] = None,
    table3: Annotated[
        bool, typer.Option("--table3", help="Every row of the Transformer's Table 3, as changes to the recipe's model.")
    ] = False,
    parallel: Annotated[int, typer.Option(help="Runs at the same time, each in a process of its own.")] = 1,
    report_only: Annotated[
        bool, typer.Option("--report-only", help="Train nothing; report the runs of this comparison that are finished.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Where runs, report and figures go. Default: comparison, or where the report.json lies."),
    ] = None,
    device: Device = None,
) -> None:
    """Train several systems under one budget and report what each idea bought; or report finished runs."""
    if bool(runs) == bool(recipe):
        raise InputError("what is compared must be finished runs, or `--recipe` and `--models`. Give one of the two.")
    keep_freed_memory()
    from saccade.comparison.budget import read_budget
    from saccade.comparison.compare import compare as side_by_side
    from saccade.comparison.compare import compare_runs, draw_again
    from saccade.comparison.execute import ExecutionSettings
    from saccade.comparison.plan import ComparisonRequest, base_recipe
    from saccade.comparison.sweep import SWEPT
    from saccade.comparison.system_spec import read_size, read_system_specs, systems_for_task
    from saccade.comparison.table3_report import compare_table3, table3_request
    from saccade.hardware import choose_device

    command, now = shlex.join(["saccade", *sys.argv[1:]]), datetime.now().astimezone()
    chosen = str(choose_device(device))
    if runs and len(runs) == 1 and runs[0].suffix == ".json":
        result = draw_again(runs[0], out or runs[0].parent)
    elif runs:
        result = compare_runs(runs, out or _FOLDER, chosen, command=command, now=now, say=_say)
    else:
        assert recipe is not None
        overrides = tuple(set or ())
        if table3:
            if models or budget or parameters or sweep:
                raise InputError(
                    "`--table3` must come without --models, --budget, --parameters and --sweep. Leave them out."
                )
            request, compared = table3_request(recipe, seeds, overrides), compare_table3
        else:
            task = base_recipe(recipe, overrides).data.task
            request = ComparisonRequest(
                recipe=recipe,
                systems=read_system_specs(models or ",".join(systems_for_task(task)), task),
                budget=None if budget is None else read_budget(budget),
                seeds=seeds,
                parameters=None if parameters is None else read_size(parameters),
                overrides=overrides,
                sweep=None if sweep is None else read_budget(sweep, "--sweep", SWEPT),
            )
            compared = side_by_side
        settings = ExecutionSettings(chosen, parallel, command)
        result = compared(
            request,
            out or _FOLDER,
            settings,
            now=now,
            say=_say,
            listeners=(PlainDisplay(_say),),
            report_only=report_only,
        )
    if result.interrupted:
        print("stopped; the same command continues")
        sys.exit(130)  # all is said, so this is not the ending that `main` comments on
    print(f"the report: {result.page}")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
