"""What constraints keep and what they cost, with the shipped model on this machine.

python -m bench.constraints spans    1,000 made lines with protected spans: how many come back with all of them
python -m bench.constraints terms    1,000 test sentences of Tatoeba (SACCADE_DATA): terms of the reference that the
                                     plain translation lacks, forced; how many appear, BLEU, and time
python -m bench.constraints cost     the same sentences as `terms`, plain and with terms in turn: CPU time
"""

import argparse
import os
import random
import re
import time
from collections.abc import Sequence
from pathlib import Path

import sacrebleu

import saccade
from saccade.data.normalisation import normalise
from saccade.documents.protected_spans import find_spans, occurrences

ENGLISH = (
    "Please visit {a} before you leave.",
    "You can write to {a} at any time.",
    "The price went up from {n} to {m} last year.",
    "She paid {n} for the house.",
    "Open {a} and look at the first page.",
    "I will wait for you until {n} at the station.",
    "Hello {a}, you have {n} new messages.",
    "The file {a} was not found on this computer.",
    "My brother sent me {a} and {b} yesterday.",
    "It was {n} when we arrived at the hotel.",
    "Only {n} of the students answered the question.",
    "Have you seen {a}? My friends talk about it all day.",
    "Type {a} in the window and wait {n}.",
    "We drove {n} on that road, and then it rained {e}",
    "I am so happy today {e}",
    "The meeting on {n} has been moved to {m}.",
    "If you see {a}, call me at once!",
    "He told {a} that the book costs {n}.",
    "Thank you for your letter of {n} about {a}.",
    "According to {a}, the city has {n} inhabitants.",
)
GERMAN = (
    "Bitte besuchen Sie {a}, bevor Sie gehen.",
    "Sie können jederzeit an {a} schreiben.",
    "Der Preis ist letztes Jahr von {n} auf {m} gestiegen.",
    "Sie hat {n} für das Haus bezahlt.",
    "Öffnen Sie {a} und lesen Sie die erste Seite.",
    "Ich warte bis {n} am Bahnhof auf dich.",
    "Hallo {a}, du hast {n} neue Nachrichten.",
    "Die Datei {a} wurde auf diesem Rechner nicht gefunden.",
    "Mein Bruder hat mir gestern {a} und {b} geschickt.",
    "Es war {n}, als wir im Hotel ankamen.",
    "Nur {n} der Schüler haben die Frage beantwortet.",
    "Hast du {a} gesehen? Meine Freunde reden den ganzen Tag davon.",
    "Geben Sie {a} in das Fenster ein und warten Sie {n}.",
    "Wir fuhren {n} auf dieser Straße, und dann regnete es {e}",
    "Heute bin ich so glücklich {e}",
    "Das Treffen am {n} wurde auf {m} verschoben.",
    "Wenn du {a} siehst, ruf mich sofort an!",
    "Er sagte {a}, dass das Buch {n} kostet.",
    "Vielen Dank für Ihren Brief vom {n} über {a}.",
    "Laut {a} hat die Stadt {n} Einwohner.",
)
TEMPLATES = {"en": ENGLISH, "de": GERMAN}
"""Sentences with places for spans, by their language."""
ADDRESSES = (
    "https://example.com", "http://www.example.org/a/b.html?x=1&y=2", "www.example.net/news", "info@example.com",
    "maria.lopez@mail.example.org", "`ls -l`", "`print(x)`", "{name}", "{0}", "{{user}}", "%s", "%(count)d", "${HOME}",
    "<0>", "/usr/local/bin", "~/notes.txt", "C:\\Temp\\a.doc", "report-2024.pdf", "src/main.py", "#summer", "@maria_82",
    "https://example.com/" + "very/long/" * 18 + "end",
)  # fmt: skip
NUMBERS = (
    "$1,234.56", "€20", "3,50 €", "15%", "7.5 %", "120 km/h", "3 kg", "-5 °C", "12/05/2024", "2024-11-16", "14:30",
    "9:05", "1,000,000", "42", "7", "3.14", "1999", "2 GB", "100 USD", "10-20", "250 ml", "1/2", "+34 600 123 456",
)  # fmt: skip
EMOJI = ("😀", "❤️", "👍🏽", "🎉", "😂😂", "👨‍👩‍👧")


def span_lines(count: int, seed: int = 1, language: str = "en") -> list[str]:
    """Made lines with protected spans: every template with other spans."""
    chance, templates = random.Random(seed), TEMPLATES[language]
    lines = []
    for number in range(count):
        a, b = chance.sample(ADDRESSES, 2)
        n, m = chance.sample(NUMBERS, 2)
        line = templates[number % len(templates)]
        for name, span in {"{a}": a, "{b}": b, "{n}": n, "{m}": m, "{e}": chance.choice(EMOJI)}.items():
            line = line.replace(name, span, 1)
        lines.append(line)
    return lines


def lost_spans(source: str, output: str) -> list[str]:
    """The spans of a source that an output has less often."""
    spans = [normalise(span.text) for span in find_spans(source)]
    return [one for one in dict.fromkeys(spans) if occurrences(one, normalise(output)) < spans.count(one)]


def term_cases(sources: Sequence[str], references: Sequence[str], outputs: Sequence[str]) -> list[list[str]]:
    """One or two words of each reference that the plain output lacks; none where there are none of three letters."""
    chance = random.Random(1)
    cases = []
    for _, reference, output in zip(sources, references, outputs, strict=True):
        words = dict.fromkeys(re.findall(r"[^\W\d_]{3,}", reference))
        there = set(re.findall(r"[^\W\d_]+", output.lower()))
        lacking = [word for word in words if word.lower() not in there]
        cases.append(chance.sample(lacking, min(len(lacking), chance.choice((1, 2)))))
    return cases


def measure_spans(translator: saccade.Translator, count: int) -> None:
    """Prints how many lines keep all their spans, with and without protection."""
    lines = span_lines(count, language=translator.bundle.source_language or "en")
    for name, protect in (("unprotected", False), ("protected", True)):
        started = time.process_time()
        outputs = translator.translate(lines, protect=protect)
        lost = [lost_spans(source, output) for source, output in zip(lines, outputs, strict=True)]
        kept = sum(not one for one in lost)
        print(f"{name}: {kept} of {count} lines keep all spans ({time.process_time() - started:.1f} s of CPU time)")
        if protect:
            for source, output, own in zip(lines, outputs, lost, strict=True):
                if own:
                    print(f"  lost {own}: {source} -> {output}")


def measure_terms(translator: saccade.Translator, count: int, *, only_cost: bool) -> None:
    """Prints how many forced terms appear, BLEU with and without them, and CPU time with and without them."""
    folder = Path(os.environ["SACCADE_DATA"]) / "tatoeba-en-es"
    sources, references = ((folder / f"test.{side}").read_text(encoding="utf-8").splitlines() for side in ("en", "es"))
    sources, references = sources[: 2 * count], references[: 2 * count]
    plain = translator.translate(sources, protect=False)
    cases = term_cases(sources, references, plain)
    rows = [row for row, words in enumerate(cases) if words][:count]
    chosen = [sources[row] for row in rows]
    times: dict[str, list[float]] = {"plain": [], "terms": []}
    for _ in range(3 if only_cost else 1):
        started = time.process_time()
        without = with_terms(translator, chosen, [[]] * len(chosen))
        times["plain"].append(time.process_time() - started)
        started = time.process_time()
        outputs = with_terms(translator, chosen, [cases[row] for row in rows])
        times["terms"].append(time.process_time() - started)
    print({name: [round(one, 1) for one in seconds] for name, seconds in times.items()})
    print(f"cost: {min(times['terms']) / min(times['plain']):.2f} times")
    wanted = [word for row in rows for word in cases[row]]
    found = sum(
        word.lower() in re.findall(r"[^\W\d_]+", output.lower())
        for row, output in zip(rows, outputs, strict=True)
        for word in cases[row]
    )
    print(f"terms: {found} of {len(wanted)} appear in {len(rows)} sentences")
    for name, texts in (("without", without), ("with", outputs)):
        bleu = sacrebleu.corpus_bleu(texts, [[references[row] for row in rows]])
        print(f"BLEU {name} terms: {bleu.score:.1f}")


def with_terms(translator: saccade.Translator, sources: Sequence[str], terms: Sequence[Sequence[str]]) -> list[str]:
    """Translations in which each sentence has terms of its own, or none; equal sentences are searched again."""
    from saccade.decoding.term_forms import TermForms
    from saccade.serving.batching import SearchInput

    forms = TermForms(translator.target_tokenizer)
    tokens = translator.source_tokenizer.encode(list(sources))
    inputs = [
        SearchInput(tuple(own), terms=tuple(forms.term((word,)) for word in words))
        for own, words in zip(tokens, terms, strict=True)
    ]
    found = translator.engine().search(inputs, translator.search)
    return [translator.target_tokenizer.decode(hypotheses[0].tokens) for hypotheses in found]


def main() -> None:
    """Measures what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("spans", "terms", "cost"))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--model", default="en-es")
    arguments = parser.parse_args()
    translator = saccade.load(arguments.model)
    if arguments.what == "spans":
        measure_spans(translator, arguments.count)
    else:
        measure_terms(translator, arguments.count, only_cost=arguments.what == "cost")


if __name__ == "__main__":
    main()
