"""`saccade serve`: translation over HTTP."""

from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.options import Beam, Device, Engine, Host, NoRepair
from saccade.errors import ConfigError, MemoryFullError


def serve(
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL...", help="Model folders, run folders or shipped names.")
    ],
    host: Host = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 is any free one.")] = 5000,
    api_keys: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Only these keys may ask: one a line, its rate behind it.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(help="Requests per minute of a key, or without keys of an address.")
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A name by which others call this server; repeatable.")
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(metavar="ORIGIN", help="A site whose pages may ask, as https://a.example; repeatable."),
    ] = None,
    explorer: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Where `saccade explore` runs: the page has a link to it.")
    ] = None,
    characters: Annotated[int, typer.Option(help="The most that the texts of a request may have.")] = 100_000,
    items: Annotated[int, typer.Option(help="Texts that a request may have.")] = 1_000,
    requests: Annotated[int, typer.Option(help="Requests answered at once; one more is told to come again.")] = 256,
    seconds: Annotated[float, typer.Option(help="How long a request may take.")] = 60.0,
    file_bytes: Annotated[int, typer.Option(help="The most that an uploaded file may have.")] = 10_000_000,
    file_seconds: Annotated[float, typer.Option(help="How long the translation of a file may take.")] = 600.0,
    no_reload: Annotated[
        bool, typer.Option("--no-reload", help="Do not load a model again when its folder changes.")
    ] = False,
    beam: Beam = None,
    no_repair: NoRepair = False,
    batch_tokens: Annotated[int | None, typer.Option(min=1, help="Source tokens searched at once.")] = None,
    device: Device = None,
    engine: Engine = "auto",
) -> None:
    """Translate over HTTP, as LibreTranslate does: its clients work unchanged.

    Requests are searched together. Each answer is what `saccade translate` writes with the same engine.
    """
    from saccade.server.api_keys import Access, ApiKeys
    from saccade.server.application import application
    from saccade.server.application import serve as run
    from saccade.server.languages import identify_languages
    from saccade.server.reloading import Reloading
    from saccade.server.served_models import ServedModels, names_of
    from saccade.server.settings import ServerSettings
    from saccade.serving.loading import load
    from saccade.web.listening import allowed_hosts

    if explorer is not None and not explorer.startswith(("http://", "https://")):
        raise ConfigError(f"`--explorer` must begin with http:// or https://, but is {explorer[:80]!r}.")
    for origin in allow_origin or ():
        if origin != "*" and not origin.startswith(("http://", "https://")):
            raise ConfigError(f"`--allow-origin` must begin with http:// or https://, but is {origin[:80]!r}.")
    settings = ServerSettings(
        characters=characters,
        items=items,
        requests=requests,
        seconds=seconds,
        file_bytes=file_bytes,
        file_seconds=file_seconds,
        rate=rate,
    )
    access = Access(ApiKeys.read(api_keys) if api_keys else None, rate)
    hosts = allowed_hosts(host, allow_host or ())
    load_model = partial(load, device=device, engine=engine)
    names = names_of(models)
    translators = {name: load_model(given) for name, given in names.items()}
    for translator in translators.values():
        translator.beam_search(size=beam)  # a wrong size is told now
    served = ServedModels(translators, batch_tokens, {"beam": beam, "repair": not no_repair})

    for model in served:
        model.warm_up()
    with suppress(MemoryFullError):  # no room for it now: a request for it will say so
        identify_languages()

    def say(address: str) -> None:
        for model in served:
            print(f"{model.name}: {model.translator!r}", flush=True)
            if not all(model.languages):
                print(f"{model.name} does not say what it translates from and to: only /v1 offers it", flush=True)
        print(f"{address}  (Ctrl-C stops it)", flush=True)

    reloading = Reloading(served, {} if no_reload else names, load_model)
    with closing(served), reloading, suppress(KeyboardInterrupt):  # the way to stop it, and no accident
        run(application(served, settings, hosts, access, allow_origin or (), explorer), settings, host, port, say)
