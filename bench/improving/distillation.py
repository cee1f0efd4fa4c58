"""A small model learns more from a large one's translations than from people's: sequence-level distillation.

    python -m bench.improving.distillation OUT --seeds 3 --parallel 3

Teachers, two for each seed, are 512 wide with six layers a side; students are 128 wide with six layers that read and
two that write. All are trained on Tatoeba's pairs for the same number of steps:

    student          on the references
    distilled        on what the first teacher writes with a beam of 4
    distilled-two    on what both teachers write together
    part-reference   on the first teacher's, three pairs of ten with the reference

Each is scored on the test set of Tatoeba with a beam of 4 and with none; `verdicts.py` has the rule.
"""

from dataclasses import replace
from pathlib import Path

from bench.improving.corpora import pairs_for_testing, tatoeba
from bench.improving.experiment import Place, run
from bench.improving.verdicts import Question
from saccade.improving.translated_text import TranslatedText, for_training, translate_text
from saccade.serving.loading import load

TEACHER = {"encoder_layers": 6, "decoder_layers": 6, "width": 512, "inner_width": 2048}
STUDENT = {"encoder_layers": 6, "decoder_layers": 2, "width": 128, "inner_width": 512, "heads": 4}
TESTS = ("beam 4", "greedy")
QUESTIONS = [
    Question(better, than, test)
    for test in TESTS
    for better, than in (
        ("distilled", "student"),
        ("distilled-two", "distilled"),
        ("part-reference", "distilled"),
        ("teacher", "distilled"),
    )
]


def one_seed(place: Place) -> None:
    """All arms of one seed."""
    pairs = tatoeba(place.folder("text"), place.most)
    tests = pairs_for_testing(pairs)

    def scored(arm: str, model: Path) -> None:
        for test, beam in (("beam 4", 4), ("greedy", 1)):
            place.scored(arm, model, {test: tests}, beam)

    first = place.trained("teacher", pairs, **TEACHER)
    second = replace(place, seed=place.seed + 100, out=place.folder("second")).trained("teacher", pairs, **TEACHER)
    scored("teacher", first)
    scored("student", place.trained("student", pairs, **STUDENT))
    written = {}
    for name, teachers in (("one", [first]), ("two", [first, second])):
        translator = load(*teachers, device=place.device)
        options = for_training(translator.options(beam=1 if place.tiny else 4))
        folder = place.folder(f"written-by-{name}")
        job = TranslatedText(translator, options, Path(str(pairs.source)), folder, "target.txt", "distillation")
        translate_text(job)
        written[name] = replace(pairs, target=str(job.output))
    references = {"mix_source": (pairs.source,), "mix_target": (pairs.target,), "mix_share": 0.3}
    scored("distilled", place.trained("distilled", written["one"], **STUDENT))
    scored("distilled-two", place.trained("distilled-two", written["two"], **STUDENT))
    part = replace(written["one"], **references)  # type: ignore[arg-type]
    scored("part-reference", place.trained("part-reference", part, **STUDENT))


if __name__ == "__main__":
    run(__doc__, one_seed, QUESTIONS)
