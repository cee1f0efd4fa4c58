"""`saccade translate` for a whole document: the file in its own format, or its sentences as JSON lines."""

import json
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from saccade.cli.lines import counting
from saccade.errors import ConfigError
from saccade.output_files import OutputFile

if TYPE_CHECKING:
    import saccade.documents.formats
    import saccade.serving.translation_options
    import saccade.serving.translator


def translate_document_file(
    translator: "saccade.serving.translator.Translator",
    path: Path,
    file_format: "saccade.documents.formats.Format",
    options: "saccade.serving.translation_options.TranslationOptions",
    *,
    output: OutputFile | None,
    report: OutputFile | None,
    as_json: bool,
) -> None:
    """Translates a file into another, or to standard output; both are whole or absent."""
    from saccade.serving.document_translation import read_document, translate_document
    from saccade.serving.language_check import language_warning
    from saccade.serving.problems import TRUNCATED, Problems, report_line, truncation

    with ExitStack() as stack:
        watch = partial(counting, what="sentences", stack=stack, shown=output is not None or not sys.stdout.isatty())
        found = translate_document(
            translator.texts, read_document(path), file_format, options, name=str(path), watch=watch
        )
    if warning := language_warning(translator, [sentence.source for sentence in found.sentences]):
        print(f"warning: {warning}", file=sys.stderr)
    problems, reported = Problems(), []
    for sentence in found.sentences:
        problems.add_faults(sentence.faults or (), sentence.repaired)
        error = sentence.error
        if error is not None or sentence.truncated:
            reason = TRUNCATED if error is None else error.reason
            message = truncation(sentence.number) if error is None else str(error)
            problems.add(sentence.number, reason)
            reported.append(report_line(sentence.number, sentence.source, reason, message))
    content = found.content
    if as_json:
        objects = (json.dumps(sentence.to_json(), ensure_ascii=False) + "\n" for sentence in found.sentences)
        content = "".join(objects).encode("utf-8", "replace")
    if report is not None:
        report.write("".join(f"{line}\n" for line in reported))
    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        with output.writing() as file:
            file.write(content)
    if summary := problems.summary(len(found.sentences), "translated", "sentences"):
        print(summary, file=sys.stderr)


def check_options(path: Path, name: str, given: dict[str, bool]) -> None:
    """Refuses what a document cannot have; `given` says of each option whether it was."""
    for option, is_given in given.items():
        if is_given:
            raise ConfigError(
                f"`{option}` must not come with `{path}`, which is translated as a document ({name}). Leave it out, or "
                "add --no-split to take the file as lines."
            )
