"""Any number of lines, a window of them at a time, so that memory does not grow with the input."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from saccade.errors import LineError
from saccade.serving.source_lines import LineReader, RefusedLine
from saccade.serving.text_translation import Search, TextTranslator
from saccade.serving.translation import Translation
from saccade.serving.translation_options import TranslationOptions

NumberedLine = tuple[int, tuple[str | LineError, str]]
"""The number of a line, its text or the error that stands for it, and how its translation must begin."""


@dataclass(frozen=True)
class LineWindows:
    """Translates lines in order, each as one sentence (`search`) or as a text of several (`texts`)."""

    reader: LineReader
    search: Search
    texts: TextTranslator

    def translate(
        self, numbered: Iterator[NumberedLine], options: TranslationOptions, by_sentences: bool
    ) -> Iterator[Translation]:
        """Reads a window, gives back its translations, and reads the next."""
        translate = self._translate_texts if by_sentences else self._translate_lines
        for size in options.window_sizes():
            window = list(islice(numbered, size))
            if not window:
                return
            yield from translate(window, options)

    def _translate_texts(self, window: Sequence[NumberedLine], options: TranslationOptions) -> Iterator[Translation]:
        lines = [(number, line) for number, (line, _) in window]
        stop = options.on_error in (None, "stop")
        error = next((line for _, line in lines if isinstance(line, LineError)), None) if stop else None
        if error is not None:
            lines = lines[: [line for _, line in lines].index(error)]
        yield from self.texts.translate_lines(lines, options)
        if error is not None:
            raise error

    def _translate_lines(self, window: Sequence[NumberedLine], options: TranslationOptions) -> Iterator[Translation]:
        options = replace(options, on_error=options.on_error or "stop")
        lines = self.reader.read(window, options.truncate)
        refused = next((line for line in lines if isinstance(line, RefusedLine)), None)
        if refused is None or options.on_error != "stop":
            yield from self.search(lines, options)
        else:
            yield from self.search(lines[: lines.index(refused)], options)
            raise refused.error
