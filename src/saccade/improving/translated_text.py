"""A file translated line by line into a folder, for training; the same call continues after whatever stops it.

    FILE              line n is the translation of line n, or empty where a line could not be translated
    FILE.part, FILE.part.json     the lines so far, while it is not finished (`serving/unfinished.py`)
    made.json         sealed: by which model, from what, with which search; and, once it is finished, how many lines

Empty lines are left out and counted when somebody trains on the files.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from saccade.data.mixing import MADE, MADE_FORMAT
from saccade.data.text_lines import lines_or_errors, without_lines
from saccade.errors import ConfigError, InputError
from saccade.folders import atomic_write, names_in, sha256_of, usable
from saccade.json_files import read_sealed_json, sealed
from saccade.output_files import OutputFile
from saccade.serving.translation import Watch
from saccade.serving.translation_options import TranslationOptions
from saccade.serving.translator import Translator
from saccade.serving.unfinished import UnfinishedTranslation, complete, search_settings

_MAY_DIFFER = ("models", "text", "lines", "empty", "problems", "finished", "seal")
"""Names of folders and files, whose contents have digests, and what is known at the end."""
_ADVICE = "the same command goes on from there"


@dataclass(frozen=True)
class TranslatedText:
    """What `translate_text` is to make: which text, by which models and search, into which file of which folder.

    A `tag` stands before every translation, so that a model which learns from them can tell (Caswell et al. 2019).
    """

    translator: Translator
    options: TranslationOptions
    text: Path
    folder: Path
    file: str
    made: str
    tag: str | None = None

    @property
    def output(self) -> Path:
        """Where the translations are, once all are there."""
        return self.folder / self.file

    def record(self) -> dict[str, Any]:
        """How it is made, as made.json says it."""
        try:
            digest = sha256_of(self.text)
        except OSError as problem:
            reason = problem.strerror or problem
            raise InputError(f"`{self.text}` must be a readable file, but is not: {reason}. Check the path.") from None
        not_empty(self.text)
        return {
            "format": MADE_FORMAT,
            "made": self.made,
            "file": self.file,
            "models": self.translator.name,
            "text": self.text.name,
            "text_sha256": digest,
            "tag": self.tag,
            **json.loads(json.dumps(search_settings(self.translator, self.options))),
        }


def translate_text(job: TranslatedText, watch: Watch = iter) -> dict[str, Any]:
    """Makes the file, or goes on making it, or finds it made; returns what made.json says."""
    usable(job.folder, lambda folder: (MADE,) if MADE in names_in(folder) else None)
    record, place = job.record(), job.folder / MADE
    if place.exists():
        before = read_sealed_json(place, MADE_FORMAT, advice=f"Remove {job.folder} to begin again.")
        _check_same(before, record, job.folder)
        if before["finished"] and job.output.is_file():
            return before
    else:
        job.folder.mkdir(parents=True, exist_ok=True)
        _write(place, {**record, "finished": False})
    problems = _translate(job, watch)
    written = [not isinstance(line, str) or not line for line in lines_or_errors(job.output)]
    finished = {**record, "lines": len(written), "empty": sum(written), "problems": problems, "finished": True}
    _write(place, finished)
    return finished


def _translate(job: TranslatedText, watch: Watch) -> dict[str, int]:
    """Writes the whole file; how many lines came to nothing, by reason."""
    if job.output.is_file() or complete(job.output):  # killed after the last line, before the record said so
        return {}
    output = OutputFile.of(job.output)
    settings = search_settings(job.translator, job.options)
    writer = UnfinishedTranslation(output, None, settings, job.options, _ADVICE)
    lines = iter(lines_or_errors(job.text))
    if output.part.exists():
        writer.resume(lines)
    else:
        writer.begin(overwrite=False)
    with writer:
        translations = job.translator.stream(lines, writer.options, first=writer.lines + 1)
        for translation in watch(translations):
            if translation.error is not None:
                writer.problems.add(translation.number, translation.error.reason)
            text = translation.text.replace("\0", "")  # a byte that may be drawn, and that no text file may have
            tag = f"{job.tag} " if job.tag and text else ""
            writer.write(translation.source, f"{tag}{text}\n", None)
    return writer.problems.counts


def not_empty(text: Path) -> None:
    """Refuses a file without a line, and one that cannot be read."""
    if next(lines_or_errors(text), None) is None:
        raise without_lines(text)


def for_training(options: TranslationOptions) -> TranslationOptions:
    """The options with which text is translated to be trained on.

    A line is one input, one that fails is empty, and outputs are as the search finds them: a student learns from all of
    them together, and to search again for the faults of a few, or for numbers that a few have lost, takes longer than
    all the others.
    """
    return replace(options, on_error="skip", split_sentences=False, repair=None, protect=None)


def _check_same(before: Mapping[str, Any], now: Mapping[str, Any], folder: Path) -> None:
    for name in sorted({*before, *now} - {*_MAY_DIFFER}):
        if before.get(name) != now.get(name):
            raise ConfigError(
                f"`{folder}` must go on as it began, but `{name}` was {before.get(name)!r} and is {now.get(name)!r}. "
                "Choose another --out, or use the same."
            )


def _write(place: Path, record: Mapping[str, Any]) -> None:
    atomic_write(place, json.dumps(sealed(record), indent=1, ensure_ascii=False) + "\n")
