"""`saccade translate`: text in, text out."""

import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.lines import Input, counting, refuse_input_as_output
from saccade.cli.option_group import with_options_of
from saccade.cli.options import Output, Overwrite, Report
from saccade.cli.translated_document import check_options, translate_document_file
from saccade.cli.translated_lines import DirectOutput, Writer, write_translation
from saccade.cli.translation_arguments import TranslationArguments, on_standard_error
from saccade.errors import ConfigError
from saccade.output_files import OutputFile
from saccade.serving.unfinished import UnfinishedTranslation, complete, is_whole


@with_options_of(TranslationArguments)
def translate(
    arguments: TranslationArguments,
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
    report: Report = None,
) -> None:
    """Translate texts, a file or standard input with a trained model; a language model continues them.

    A document (.html, .md, .srt, .vtt, .po, .xliff, .json, .docx) is translated as one, any other file line by line.
    """
    given = Input.of(text or [], as_text or [], input)
    for path in (output, report):
        refuse_input_as_output(path, given.path)
    if go_on and output is None:
        raise ConfigError("`--continue` must come with --output, but does not. Name the file to go on with.")
    if output is not None and go_on and (complete(output, report) or is_whole(output)):
        print(f"{output}: nothing of it is unfinished; nothing to go on with", file=sys.stderr)
        return
    places = [OutputFile.of(path, overwrite=overwrite) if path else None for path in (output, report)]
    if output is not None and report is not None:
        if output.absolute() == report.absolute():
            raise ConfigError("`--report` must be another file than --output, but is the same. Choose another.")
        if places[0] and places[0].target and places[1] and not places[1].target:
            raise ConfigError("`--report` must be a file where --output is one, but is a device or a pipe. Choose one.")
    if given.typed:  # a person waits for the answer before typing on
        arguments = replace(arguments, window=1)
    arguments.check()
    loaded = arguments.load(on_standard_error)
    translator, options, form = loaded.translator, loaded.options, loaded.form
    if given.path is not None and not arguments.no_split and translator.task == "translation":
        from saccade.documents.formats import find_format

        if (file_format := find_format(given.path)) is not None:
            check_options(given.path, file_format.name, _not_for_documents(arguments, go_on=go_on))
            out, problems = places
            translate_document_file(
                translator, given.path, file_format, options, output=out, report=problems, as_json=arguments.as_json
            )
            return
    lines = iter(given.lines)
    with ExitStack() as stack:
        writer: Writer
        if places[0] is not None and places[0].target is not None:
            writer = UnfinishedTranslation(places[0], places[1], loaded.settings, options)
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
            lines = loaded.with_language_checked(lines, on_standard_error)
        translations = translator.stream(lines, writer.options, arguments.prefix, first=writer.lines + 1)
        if not given.typed:
            translations = counting(translations, "lines", stack, shown=output is not None or not sys.stdout.isatty())
        for translation in translations:
            write_translation(translation, form, writer)
    if summary := writer.problems.summary(writer.lines, "translated"):
        print(summary, file=sys.stderr)


def _not_for_documents(arguments: TranslationArguments, *, go_on: bool) -> dict[str, bool]:
    """The options that a document cannot be translated with, and whether each was given."""
    return {
        "--continue": go_on,
        "--nbest": arguments.nbest > 1,
        "--prefix": bool(arguments.prefix),
        "--sample": arguments.sample,
        "--alignment": arguments.alignment,
        "--scores": arguments.scores,
    }
