"""`saccade translate`: text in, text out."""

import io
import json
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from saccade.cli.lines import Input, counting, refuse_input_as_output
from saccade.errors import ConfigError
from saccade.output_files import OutputFile

if TYPE_CHECKING:
    import saccade.decoding.beam
    import saccade.decoding.sampling
    import saccade.serving.translation
    import saccade.serving.translator


def translate(
    model: Annotated[str, typer.Argument(help="A model folder, a run folder, or the name of a shipped model.")],
    text: Annotated[
        list[str] | None,
        typer.Argument(help="Texts; one that names a file is read from there. None or `-`: standard input."),
    ] = None,
    input: Annotated[Path | None, typer.Option(help="Read lines from this file (.gz and .xz too).")] = None,
    output: Annotated[Path | None, typer.Option(help="Write here instead of standard output.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file that --output names.")] = False,
    ensemble: Annotated[
        list[str] | None, typer.Option(metavar="MODEL", help="A further model to average with; repeatable.")
    ] = None,
    beam: Annotated[int | None, typer.Option(help="Hypotheses kept alive. Default: the model's.")] = None,
    alpha: Annotated[float | None, typer.Option(help="Exponent of the length penalty. Default: the model's.")] = None,
    coverage: Annotated[
        float | None, typer.Option(help="Weight of the coverage penalty. Default: the model's.")
    ] = None,
    nbest: Annotated[int, typer.Option(help="Translations of each line; each output line begins with its number.")] = 1,
    prefix: Annotated[str, typer.Option(help="How every translation must begin.")] = "",
    sample: Annotated[bool, typer.Option("--sample", help="Draw from the model instead of searching.")] = False,
    temperature: Annotated[float | None, typer.Option(help="With --sample: below 1 is bolder, above 1 wilder.")] = None,
    top_k: Annotated[int | None, typer.Option(help="With --sample: only the k most probable tokens.")] = None,
    top_p: Annotated[
        float | None, typer.Option(help="With --sample: only the most probable tokens up to this.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="With --sample: another seed, another draw.")] = None,
    scores: Annotated[bool, typer.Option("--scores", help="Add a column: the score.")] = False,
    alignment: Annotated[bool, typer.Option("--alignment", help="Add a column: word links, source-target.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    truncate: Annotated[bool, typer.Option("--truncate", help="Cut lines that are too long for the model.")] = False,
    batch_tokens: Annotated[int | None, typer.Option(help="Padded source tokens searched at once.")] = None,
    window: Annotated[int, typer.Option(help="Lines read ahead; 1 answers each line before reading the next.")] = 1024,
    device: Annotated[str | None, typer.Option(help="cpu or cuda. Default: a GPU if there is one.")] = None,
    engine: Annotated[str, typer.Option(help="What searches: torch, ctranslate2, or auto, the fastest.")] = "torch",
) -> None:
    """Translate texts, a file or standard input with a trained model; a language model continues them."""
    from saccade.serving.translation import TranslationOptions
    from saccade.serving.translator import load

    given = Input.of(text or [], input)
    refuse_input_as_output(output, given.path)
    written = OutputFile.of(output, overwrite=overwrite) if output else None
    if sample and engine == "ctranslate2":
        raise ConfigError("`--engine` must be torch or auto with --sample, but is 'ctranslate2', which only searches.")
    translator = load(model, *(ensemble or ()), device=device, engine=engine)
    options = TranslationOptions(
        search=_sampling(temperature, top_k, top_p, beam, alpha, coverage, nbest)
        if sample
        else _searching(translator, beam, alpha, coverage, nbest, temperature, top_k, top_p, seed),
        seed=1 if seed is None else seed,
        alignment=alignment,
        truncate=truncate,
        batch_tokens=batch_tokens,
        window=1 if given.typed else window,  # a person waits for the answer before typing on
    )
    chosen = translator.engine(options.search, prefixed=bool(prefix))
    if engine == "auto":
        print(f"engine: {chosen.description}", file=sys.stderr)
    translations = translator.stream(given.lines, options, prefix)
    with ExitStack() as stack:
        file: TextIO = sys.stdout
        if written:
            file = io.TextIOWrapper(stack.enter_context(written.writing()), encoding="utf-8", write_through=True)
        if not given.typed:
            translations = counting(translations, "lines", stack, shown=output is not None or not sys.stdout.isatty())
        _write(translations, file, as_json=as_json, scores=scores, alignment=alignment, numbered=nbest > 1)


def _write(
    translations: Iterable["saccade.serving.translation.Translation"],
    file: TextIO,
    *,
    as_json: bool,
    scores: bool,
    alignment: bool,
    numbered: bool,
) -> None:
    for translation in translations:
        if as_json:
            print(json.dumps(translation.to_json(), ensure_ascii=False), file=file, flush=True)
            continue
        for candidate in translation.nbest:
            columns = [str(translation.number)] if numbered else []
            print("\t".join(columns + _columns(candidate, scores, alignment)), file=file, flush=True)


def _columns(candidate: "saccade.serving.translation.Candidate", scores: bool, alignment: bool) -> list[str]:
    columns = [candidate.text]
    if scores:
        columns.append(f"{candidate.score:.4f}")
    if alignment:
        columns.append(candidate.alignment.pharaoh if candidate.alignment else "")
    return columns


def _sampling(
    temperature: float | None,
    top_k: int | None,
    top_p: float | None,
    beam: int | None,
    alpha: float | None,
    coverage: float | None,
    nbest: int,
) -> "saccade.decoding.sampling.SamplingConfig":
    from saccade.decoding.sampling import SamplingConfig

    _refuse(
        "not come with --sample, which does not search. Leave one of them out.",
        beam=beam,
        alpha=alpha,
        coverage=coverage,
        nbest=nbest if nbest != 1 else None,
    )
    given = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    return SamplingConfig(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]


def _searching(
    translator: "saccade.serving.translator.Translator",
    beam: int | None,
    alpha: float | None,
    coverage: float | None,
    nbest: int,
    temperature: float | None,
    top_k: int | None,
    top_p: float | None,
    seed: int | None,
) -> "saccade.decoding.beam.BeamConfig":
    _refuse(
        "come with --sample, but does not. Add --sample, or leave it out.",
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        seed=seed,
    )
    return translator.beam_search(size=beam, alpha=alpha, coverage=coverage, nbest=nbest)


def _refuse(advice: str, **options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise ConfigError(f"`--{name.replace('_', '-')}` must {advice}")
