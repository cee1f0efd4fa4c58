"""`saccade demo`: the main job twice, once from scratch and once with the model that ships."""

import shutil
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saccade.cli.data import say_progress
from saccade.cli.lines import typed_lines
from saccade.cli.progress import display, duration
from saccade.memory import keep_freed_memory

if TYPE_CHECKING:
    import saccade.serving.translator
    import saccade.serving.word_alignment

RECIPE = "cmudict-demo"
WORDS = ("attention", "transformer", "saccade", "encoder", "gomez", "kaleidoscope", "telephone", "rhythm")
SENTENCES = (
    "Where is the train station?",
    "I would like a cup of coffee, please.",
    "My brother lives in a small house near the sea.",
    "She has been learning Spanish for two years.",
    "What time does the museum open tomorrow?",
    "We were late because the bus did not come.",
    "He never told me why he left.",
    "If it rains, we will stay at home.",
    "The children are playing in the garden.",
    "Thank you for everything you have done.",
)


def demo(
    minutes: Annotated[float, typer.Option(help="How long to train.")] = 3.0,
    out: Annotated[Path, typer.Option(help="The folder of the run.")] = Path("runs/demo"),
    no_input: Annotated[bool, typer.Option("--no-input", help="Ask for nothing, even on a terminal.")] = False,
) -> None:
    """Train a pronunciation model from scratch, then translate with the model inside the package."""
    print("A model learns to pronounce English from nothing; then another, trained before, translates into Spanish.")
    started = time.monotonic()
    asks = not no_input and sys.stdin.isatty()
    folder = _pronounce(minutes, out, asks)
    _translate(asks)
    _show(folder, out / "demo.html")
    print(f"\nDone in {duration(time.monotonic() - started)}.")


def _pronounce(minutes: float, out: Path, asks: bool) -> Path:
    keep_freed_memory()
    from saccade.data.catalogue import fetch
    from saccade.runs.run import train
    from saccade.serving.loading import load

    _title("1. The corpus: the CMU pronouncing dictionary")
    corpus = fetch("cmudict", say_progress).corpus
    print(f"{corpus.splits['train']:,} spellings and pronunciations to learn from. Licence: {corpus.licence}.")

    _title(f"2. Training a Transformer from scratch: about {minutes:g} {'minute' if minutes == 1 else 'minutes'}")
    print("Ctrl-C stops it, and the same command goes on from there.", flush=True)
    with display() as shown:
        result = train(RECIPE, out, overrides=[f"training.minutes={float(minutes)}"], listeners=(shown,))
    if result.interrupted:
        print("Stopped, and saved. The same command continues.")
        sys.exit(130)

    _title("3. How good it is on words it has never seen")
    for metric, value in result.scores["test"].items():
        print(f"  {metric.replace('_', ' ')}: {value:.1f} %")
    print("  (a word is right if it matches any of its pronunciations in the dictionary)")

    _title("4. Pronouncing words")
    print("  In the dictionary's phones: K AE T is cat, DH IH S is this, SH IY is she.\n")
    speaker = load(result.folder)
    _print_pairs(speaker, WORDS)
    if asks:
        print()
        _print_pairs(speaker, _lowered(typed_lines("Your words, one at a time; an empty line goes on.")))
    return result.folder


def _translate(asks: bool) -> None:
    from saccade.serving.loading import load

    _title("5. English to Spanish with the model inside the package")
    translator = load("en-es")
    _print_aligned(translator, SENTENCES)
    if asks:
        print()
        _print_aligned(translator, typed_lines("Your sentences, one at a time; an empty line ends."))


def _show(folder: Path, page: Path) -> None:
    """The new model's attention as a page, and how to see more of it."""
    from saccade.explorer.notebook import explore

    _title("6. Where it looked: every layer and head, as a page")
    explore(folder, sentence=WORDS[:3]).save(page)
    print(f"  Open it in any browser, offline: {page.resolve().as_uri()}")
    print(f"  Other words, typed into the page: saccade explore {page.parent}")


def _print_pairs(translator: "saccade.serving.translator.Translator", words: Iterable[str]) -> None:
    from saccade.serving.translation_options import TranslationOptions

    for found in translator.stream(words, TranslationOptions(window=1, truncate=True)):
        print(f"  {found.source:<16} {found.text}")


def _print_aligned(translator: "saccade.serving.translator.Translator", sentences: Iterable[str]) -> None:
    from saccade.serving.translation_options import TranslationOptions

    for found in translator.stream(sentences, TranslationOptions(window=1, truncate=True, alignment=True)):
        assert found.alignment is not None
        print(f"\n  {found.source}\n  {found.text}\n{_links(found.alignment)}")


def _links(alignment: "saccade.serving.word_alignment.WordAlignment") -> str:
    """Each target word after the source word it was written from, in lines that break between the links."""
    words = (f"{alignment.source_words[source]}→{alignment.target_words[target]}" for source, target in alignment.links)
    columns, indent = shutil.get_terminal_size().columns - 1, " " * 4
    return textwrap.fill(
        "  ".join(words),
        columns,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _lowered(words: Iterable[str]) -> Iterator[str]:
    """The dictionary is written in lower case."""
    return (word.lower() for word in words)


def _title(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")
