"""`saccade serve`: translation over HTTP."""

from contextlib import suppress
from typing import Annotated

import typer


def serve(
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL...", help="Model folders, run folders or shipped names.")
    ],
    host: Annotated[
        str, typer.Option(help="Where to listen; others than this machine can then reach it.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 is any free one.")] = 5000,
    characters: Annotated[int, typer.Option(help="The most that the texts of a request may have.")] = 100_000,
    items: Annotated[int, typer.Option(help="Texts that a request may have.")] = 1_000,
    requests: Annotated[int, typer.Option(help="Requests answered at once; one more is told to come again.")] = 256,
    seconds: Annotated[float, typer.Option(help="How long a request may take.")] = 60.0,
    beam: Annotated[int | None, typer.Option(help="Hypotheses kept alive. Default: the model's.")] = None,
    no_repair: Annotated[
        bool, typer.Option("--no-repair", help="Do not search again where an output has faults such as loops.")
    ] = False,
    batch_tokens: Annotated[int | None, typer.Option(help="Source tokens searched at once.")] = None,
    device: Annotated[str | None, typer.Option(help="cpu or cuda. Default: a GPU if there is one.")] = None,
    engine: Annotated[str, typer.Option(help="What searches: torch, ctranslate2, or auto, the fastest.")] = "auto",
) -> None:
    """Translate over HTTP, as LibreTranslate does: its clients work unchanged.

    Requests are searched together. Each answer is what `saccade translate` writes with the same engine.
    """
    from saccade.server.application import application
    from saccade.server.application import serve as run
    from saccade.server.served_models import ServedModels, load_models
    from saccade.server.settings import ServerSettings
    from saccade.web.listening import allowed_hosts

    settings = ServerSettings(characters=characters, items=items, requests=requests, seconds=seconds)
    translators = load_models(models, device, engine)
    served = ServedModels(translators, batch_tokens, {"beam": beam, "repair": not no_repair})

    def say(address: str) -> None:
        for model in served:
            print(f"{model.name}: {model.translator!r}", flush=True)
        print(f"{address}  (Ctrl-C stops it)", flush=True)

    with suppress(KeyboardInterrupt):  # the way to stop it, and no accident
        run(application(served, settings, allowed_hosts(host)), settings, host, port, say)
