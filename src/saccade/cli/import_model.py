"""`saccade import`: a model of another program as one of ours."""

from pathlib import Path
from typing import Annotated

import typer


def import_model(
    source: Annotated[
        Path, typer.Argument(help="A folder of Hugging Face (OPUS-MT, Pegasus, M2M100, NLLB), or of Marian itself.")
    ],
    out: Annotated[Path, typer.Option(help="The model folder to write.")],
    prefix: Annotated[
        str | None, typer.Option(help="A piece put before every source, such as >>fra<<, the language to write.")
    ] = None,
    source_language: Annotated[
        str | None, typer.Option(help="What a model of several languages reads, unless another is named later.")
    ] = None,
    target_language: Annotated[str | None, typer.Option(help="The same for what it writes.")] = None,
    task: Annotated[str, typer.Option(help="What the model does: translation or summarisation.")] = "translation",
) -> None:
    """Read a model that was trained elsewhere, and write it as a model folder."""
    from saccade.data.tasks import find_task
    from saccade.folders import replaceable
    from saccade.interop.imported_model import ARCHITECTURE
    from saccade.interop.imports import read_model
    from saccade.serving.bundle import Bundle
    from saccade.serving.config_file import written_files

    replaceable(out, written_files)
    imported = read_model(source)
    if prefix is not None:
        imported = imported.with_prefix(prefix)
    if source_language is not None or target_language is not None:
        imported = imported.between(source_language, target_language)
    bundle = Bundle(
        model=imported.model,
        architecture=ARCHITECTURE,
        model_config=imported.model_config,
        source_tokenizer=imported.source_tokenizer,
        target_tokenizer=imported.target_tokenizer,
        task=find_task(task).name,
        source_language=imported.source_language,
        target_language=imported.target_language,
        decoding=imported.decoding,
    )
    bundle.save(out, imported.card())
    for line in imported.left_out:
        typer.echo(f"not kept: {line}", err=True)
    print(f"{out}: {imported.origin}, {sum(path.stat().st_size for path in out.iterdir()) / 1e6:.1f} MB")
