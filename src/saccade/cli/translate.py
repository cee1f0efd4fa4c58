"""`saccade translate`: text in, text out."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import saccade
from saccade.cli.after_search import glossary, protected, reranker, say_who_searches, unknown_words
from saccade.cli.lines import Input, counting, refuse_input_as_output
from saccade.cli.options import (
    Alpha,
    BatchTokens,
    Beam,
    Device,
    Engine,
    Ensemble,
    GlossaryFile,
    Model,
    NoProtect,
    NoRepair,
    Output,
    Overwrite,
    Protect,
    Rerank,
    RerankRightToLeft,
    RerankWeight,
    Sample,
    Seed,
    SourceLanguage,
    TargetLanguage,
    Temperature,
    TopK,
    Unconstrained,
    UnknownWords,
)
from saccade.cli.translated_document import check_options, translate_document_file
from saccade.cli.translated_lines import DirectOutput, LineForm, Writer, write_translation
from saccade.errors import ConfigError, LineError
from saccade.output_files import OutputFile
from saccade.serving.unfinished import UnfinishedTranslation, complete, search_settings

if TYPE_CHECKING:
    import saccade.decoding.sampling
    import saccade.serving.translation_options
    import saccade.serving.translator


def translate(
    model: Model,
    text: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEXT]...", help="Texts; one that names a file is read from there. None or `-`: standard input."
        ),
    ] = None,
    as_text: Annotated[
        list[str] | None, typer.Option("--text", metavar="TEXT", help="A text, even if it is like a file name.")
    ] = None,
    input: Annotated[Path | None, typer.Option(help="Read lines from this file (.gz and .xz too).")] = None,
    output: Output = None,
    overwrite: Overwrite = False,
    go_on: Annotated[bool, typer.Option("--continue", help="Go on with an --output that was stopped.")] = False,
    on_error: Annotated[
        str | None,
        typer.Option(
            metavar="stop|skip|copy",
            help="What cannot be translated: stop, leave it out, or copy it. Default: stop; a sentence of many, copy.",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="List lines that were skipped, copied or cut here, as JSON lines.")
    ] = None,
    ensemble: Ensemble = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    beam: Beam = None,
    alpha: Alpha = None,
    coverage: Annotated[
        float | None, typer.Option(help="Weight of the coverage penalty. Default: the model's.")
    ] = None,
    nbest: Annotated[
        int, typer.Option(help="Up to so many different texts for each line; output lines begin with its number.")
    ] = 1,
    rerank: Rerank = None,
    rerank_weight: RerankWeight = None,
    rerank_right_to_left: RerankRightToLeft = None,
    replace_unknown: UnknownWords = None,
    prefix: Annotated[str, typer.Option(help="How every translation must begin.")] = "",
    sample: Sample = False,
    temperature: Temperature = None,
    top_k: TopK = None,
    top_p: Annotated[
        float | None, typer.Option(help="With --sample: only the most probable tokens up to this.")
    ] = None,
    seed: Seed = None,
    scores: Annotated[
        bool, typer.Option("--scores", help="Add a column: the score, in digits that depend on the line alone.")
    ] = False,
    alignment: Annotated[bool, typer.Option("--alignment", help="Add a column: word links, source-target.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    truncate: Annotated[
        bool, typer.Option("--truncate", help="Of what is too long for the model, translate the beginning only.")
    ] = False,
    no_split: Annotated[
        bool, typer.Option("--no-split", help="Take every line as one sentence, and refuse what is too long.")
    ] = False,
    terms: GlossaryFile = None,
    protect: Protect = None,
    no_protect: NoProtect = False,
    no_repair: NoRepair = False,
    repair_all: Annotated[
        bool,
        typer.Option(
            "--repair-all", help="Search again for faults of every kind, not only outputs that are too short."
        ),
    ] = False,
    unconstrained: Unconstrained = False,
    batch_tokens: BatchTokens = None,
    window: Annotated[int, typer.Option(help="Lines read ahead; 1 answers each line before reading the next.")] = 1024,
    device: Device = None,
    engine: Engine = "torch",
) -> None:
    """Translate texts, a file or standard input with a trained model; a language model continues them.

    A document (.html, .md, .srt, .vtt, .po, .xliff, .json, .docx) is translated as one, any other file line by line.
    """
    from saccade.serving.translator import load

    given = Input.of(text or [], as_text or [], input)
    for path in (output, report):
        refuse_input_as_output(path, given.path)
    if go_on and output is None:
        raise ConfigError("`--continue` must come with --output, but does not. Name the file to go on with.")
    if go_on and complete(output, report):
        print(f"{output}: every line was done; nothing to go on with", file=sys.stderr)
        return
    places = [OutputFile.of(path, overwrite=overwrite) if path else None for path in (output, report)]
    if output is not None and report is not None:
        if output.absolute() == report.absolute():
            raise ConfigError("`--report` must be another file than --output, but is the same. Choose another.")
        if places[0] and places[0].target and places[1] and not places[1].target:
            raise ConfigError("`--report` must be a file where --output is one, but is a device or a pipe. Choose one.")
    if sample and engine == "ctranslate2":
        raise ConfigError("`--engine` must be torch or auto with --sample, but is 'ctranslate2', which only searches.")
    if repair_all and no_repair:
        raise ConfigError("`--repair-all` and `--no-repair` must not come together, but do. Leave one out.")
    check_search(sample, beam, alpha, coverage, nbest, temperature, top_k, top_p, seed)
    translator = load(
        model,
        *(ensemble or ()),
        device=device,
        engine=engine,
        source_language=source_language,
        target_language=target_language,
    )
    translator.check_languages()
    options = translator.options(
        beam=beam,
        alpha=alpha,
        coverage=coverage,
        nbest=None if sample else nbest,
        sampling=sampling_config(temperature, top_k, top_p) if sample else None,
        seed=1 if seed is None else seed,
        unknown_words=unknown_words(replace_unknown),
        rerank=reranker(rerank, rerank_right_to_left, rerank_weight, device),
        alignment=alignment,
        scores=scores or as_json,
        truncate=truncate,
        on_error=on_error,  # type: ignore[arg-type] # checked there
        split_sentences=not no_split,
        constrained=not unconstrained,
        glossary=glossary(terms),
        protect=protected(protect, no_protect),
        repair="all" if repair_all else not no_repair,
        batch_tokens=batch_tokens,
        window=1 if given.typed else window,  # a person waits for the answer before typing on
    )
    chosen = translator.engine(options.search, prefixed=bool(prefix))
    say_who_searches(engine, options)
    if as_json and options.repair is not None and translator.calibration is None:
        why = (
            "an ensemble tells no confidence: that is learned for the probabilities of one model."
            if ensemble
            else "this model tells no confidence. `saccade calibrate` learns it from held-out text."
        )
        print(f"note: {why}", file=sys.stderr)
    if engine == "auto":
        print(f"engine: {chosen.description}", file=sys.stderr)
    if given.path is not None and not no_split and translator.task == "translation":
        from saccade.documents.formats import find_format

        if (file_format := find_format(given.path)) is not None:
            not_for_documents = {"--continue": go_on, "--nbest": nbest > 1, "--prefix": bool(prefix)}
            not_for_documents |= {"--sample": sample, "--alignment": alignment, "--scores": scores}
            check_options(given.path, file_format.name, not_for_documents)
            out, problems = places
            translate_document_file(
                translator, given.path, file_format, options, output=out, report=problems, as_json=as_json
            )
            return
    form = LineForm(as_json=as_json, scores=scores, alignment=alignment, numbered=nbest > 1)
    lines = iter(given.lines)
    with ExitStack() as stack:
        writer: Writer
        if places[0] is not None and places[0].target is not None:
            settings = {**search_settings(translator, options, prefix), **asdict(form)}
            writer = UnfinishedTranslation(places[0], places[1], settings, options)
            if go_on:
                writer.resume(lines)
            else:
                writer.begin(overwrite=overwrite)
        else:
            writer = DirectOutput(
                options, *(stack.enter_context(place.writing()) if place else None for place in places)
            )
        stack.enter_context(writer)
        if not go_on and options.window >= options.first_window:  # else somebody waits for the first answer
            lines = _after_a_look(translator, lines, options.first_window)
        translations = translator.stream(lines, writer.options, prefix, first=writer.lines + 1)
        if not given.typed:
            translations = counting(translations, "lines", stack, shown=output is not None or not sys.stdout.isatty())
        for translation in translations:
            write_translation(translation, form, writer)
    if summary := writer.problems.summary(writer.lines, "translated"):
        print(summary, file=sys.stderr)


def _after_a_look(
    translator: "saccade.serving.translator.Translator", lines: Iterator[str | LineError], count: int
) -> Iterator[str | LineError]:
    """The same lines; a warning if the first of them are plainly in another language than the model reads."""
    from saccade.serving.language_check import suspicion

    first = list(islice(lines, count))
    if warning := suspicion(translator, [line for line in first if isinstance(line, str)]):
        print(f"warning: {warning}", file=sys.stderr)
    return chain(first, lines)


def check_search(
    sample: bool,
    beam: int | None,
    alpha: float | None,
    coverage: float | None,
    nbest: int,
    temperature: float | None,
    top_k: int | None,
    top_p: float | None,
    seed: int | None,
) -> None:
    """Options of one kind of search do not come with the other."""
    searching = {"beam": beam, "alpha": alpha, "coverage": coverage, "nbest": nbest if nbest != 1 else None}
    sampling = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "seed": seed}
    advice = (
        "not come with --sample, which does not search. Leave one of them out."
        if sample
        else "come with --sample, but does not. Add --sample, or leave it out."
    )
    for name, value in (searching if sample else sampling).items():
        if value is not None:
            raise ConfigError(f"`--{name.replace('_', '-')}` must {advice}")


def sampling_config(
    temperature: float | None, top_k: int | None, top_p: float | None
) -> "saccade.decoding.sampling.SamplingConfig":
    """What --sample draws with; what was not given is as by default."""
    from saccade.decoding.sampling import SamplingConfig

    given = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    return SamplingConfig(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
