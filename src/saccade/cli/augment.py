"""`saccade augment`: pairs for training out of text that has no translations."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saccade.cli.options import Beam, Device, Engine, Sample, Seed, Temperature, TopK
from saccade.cli.progress import display
from saccade.cli.translation_arguments import check_search, sampling_config
from saccade.counted import counted
from saccade.errors import ConfigError

if TYPE_CHECKING:
    import saccade.serving.translation
    import saccade.training.journal


def augment(
    text: Annotated[Path, typer.Argument(help="Text of the target language, a sentence a line (.gz and .xz too).")],
    back: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL", help="A model from the target language to the source. Several: an ensemble."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The folder for source.txt, target.txt and made.json.")] = None,
    tag: Annotated[
        str | None, typer.Option(help="A word such as <BT> before each source, so that a model can tell them apart.")
    ] = None,
    beam: Beam = None,
    sample: Sample = False,
    temperature: Temperature = None,
    top_k: TopK = None,
    seed: Seed = None,
    device: Device = None,
    engine: Engine = "torch",
) -> None:
    """Back-translate text, so that a model can be trained on it; the same command again continues."""
    if not back or out is None:
        raise ConfigError("`--back` and `--out` must be given: the model that translates back, and a folder.")
    check_search(sample=sample, beam=beam, temperature=temperature, top_k=top_k, seed=seed)
    from saccade.improving.back_translation import augment as made

    drawn = sampling_config(temperature, top_k, None) if sample else None
    settings = {"beam": beam, "sampling": drawn, "tag": tag, "seed": 1 if seed is None else seed}
    with display() as shown:
        result = made(back, text, out, **settings, device=device, engine=engine, watch=reporting(shown))  # type: ignore[arg-type]
    without = f", {result.without_source:,} of them without a source" if result.without_source else ""
    print(f"{counted(result.lines, 'line')}{without}; to train on {'it' if result.lines == 1 else 'them'} as well:")
    symbols = "" if tag is None else f" --set 'data.symbols=[\"{tag}\"]'"
    print(f"  --mix-source {result.source} --mix-target {result.target}{symbols}")


def reporting(listener: "saccade.training.journal.Listener") -> "saccade.serving.translation.Watch":
    """Tells a display how many lines have been translated."""

    def watch(
        translations: "Iterator[saccade.serving.translation.Translation]",
    ) -> "Iterator[saccade.serving.translation.Translation]":
        for translation in translations:
            listener({"event": "preparing", "text": "translating", "done": translation.number, "total": None})
            yield translation

    return watch
