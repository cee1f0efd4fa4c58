from dataclasses import dataclass, replace
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from saccade.cli.option_group import with_options_of

Window = Annotated[int, typer.Option(help="Of this command.")]


@dataclass(frozen=True)
class Shared:
    model: Annotated[str, typer.Argument()]
    beam: Annotated[int | None, typer.Option(help="Shared.")] = None
    window: Annotated[int | None, typer.Option(help="Of the others.")] = None
    exact: Annotated[bool, typer.Option("--exact")] = False


@pytest.fixture
def run():
    app = typer.Typer(rich_markup_mode=None)

    @app.command()
    @with_options_of(Shared)
    def search(
        shared: Shared,
        file: Annotated[str, typer.Argument()],
        copies: Annotated[int, typer.Option()] = 1,
        window: Window = 7,
    ) -> None:
        """Searches."""
        print(replace(shared, window=window), file, copies)

    return lambda *arguments: CliRunner().invoke(app, arguments)


def test_a_command_gets_the_group_and_what_is_its_own(run):
    assert run("m", "f").output == f"{Shared('m', None, 7, False)} f 1\n"
    given = run("m", "f", "--exact", "--copies", "3", "--beam", "5", "--window", "11")
    assert given.output == f"{Shared('m', 5, 11, True)} f 3\n"


def test_the_help_has_all_of_them_in_order(run):
    told = run("--help").output
    assert "Searches." in told
    names = ["model <str>", "file <str>", "--copies", "--beam", "--window", "--exact"]
    places = [told.rindex(name) for name in names]
    assert places == sorted(places)
    assert "Of this command." in told
    assert "Of the others." not in told


def test_what_the_group_requires_is_required(run):
    assert run().exit_code == 2
