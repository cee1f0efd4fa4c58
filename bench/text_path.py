"""What everything around the search of a line costs in Python: its sentences, markup, spans, tokens and faults.

    python -m bench.text_path en-es lines.en --lines 4000 --rounds 4

translates the first lines of a file as `saccade translate` does. In the first round all searches are real, and what
they find is remembered; in the others it is looked up, and the CPU time of that is left out. So their times are those
of the path around the search, and every program that reads the same lines searches the same.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import saccade
from saccade.decoding.beam import BeamConfig
from saccade.decoding.hypothesis import Hypothesis
from saccade.serving.batching import SearchInput
from saccade.serving.line_translation import LineTranslator
from saccade.serving.source_lines import Line
from saccade.serving.translator import Translator


def seconds(translator: Translator, lines: Sequence[str], rounds: int) -> list[float]:
    """The CPU seconds around the search of all lines, in each of so many rounds after the first."""
    search_really = LineTranslator._search
    found: dict[tuple[SearchInput, BeamConfig], list[Hypothesis]] = {}
    spent = 0.0

    def search(
        self: LineTranslator, some: list[Line], config: BeamConfig, batch_tokens: int | None
    ) -> list[list[Hypothesis]]:
        nonlocal spent
        begun = time.process_time()
        new = [line for line in some if (line.input, config) not in found]
        for line, hypotheses in zip(new, search_really(self, new, config, batch_tokens) if new else [], strict=True):
            found[line.input, config] = hypotheses
        known = [found[line.input, config] for line in some]
        spent += time.process_time() - begun
        return known

    options = translator.options(split_sentences=True)
    measured = []
    with patch.object(LineTranslator, "_search", search):
        for _ in range(rounds + 1):
            begun, spent = time.process_time(), 0.0
            for _ in translator.stream(lines, options):
                pass
            measured.append(time.process_time() - begun - spent)
    return measured[1:]


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.text_path", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model")
    parser.add_argument("source", type=Path, help="lines of the model's source language")
    parser.add_argument("--lines", type=int, default=4_000)
    parser.add_argument("--rounds", type=int, default=4)
    given = parser.parse_args(arguments)
    lines = given.source.read_text(encoding="utf-8").splitlines()[: given.lines]
    for one in seconds(saccade.load(given.model), lines, given.rounds):
        print(f"{1000 * one / len(lines):.3f} ms of CPU time a line")


if __name__ == "__main__":
    main()
