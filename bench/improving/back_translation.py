"""Spanish text without English makes an English-Spanish model better: back-translation of four kinds.

    python -m bench.improving.back_translation OUT --seeds 3 --parallel 3

The pairs are Tatoeba's, the text is all of Common Voice's Spanish and sentences of the European Parliament, 72,000
lines together. A model from Spanish to English, trained on the same pairs, translates the text back. All models are
trained for the same number of steps, half of the pairs of each epoch from the text:

    pairs       Tatoeba alone
    searched    the text with sources found by a beam of 4
    tagged      the same sources behind a tag
    drawn       the text with sampled sources, tagged

Each is scored on Tatoeba, on other days of Parliament, and on news; `verdicts.py` has the rule.
"""

from dataclasses import replace

from bench.improving.corpora import held_out_set, pairs_for_testing, spanish_text, tatoeba
from bench.improving.experiment import Place, run
from bench.improving.verdicts import Question
from saccade.data.config import DataConfig
from saccade.decoding.sampling import SamplingConfig
from saccade.improving.back_translation import augment

LINES = 72_000
TAG = "<BT>"
TESTS = ("tatoeba", "europarl-heldout", "newstest2012")
QUESTIONS = [
    *(Question(arm, "pairs", test) for test in TESTS for arm in ("searched", "tagged", "drawn")),
    *(Question("tagged", "searched", test) for test in TESTS),
    *(Question("drawn", "tagged", test) for test in TESTS),
]


def one_seed(place: Place) -> None:
    """All arms of one seed."""
    texts = place.folder("text")
    pairs = tatoeba(texts, place.most)
    text = spanish_text(texts, 60 if place.tiny else LINES)
    few = 20 if place.tiny else None
    tests = {"tatoeba": pairs_for_testing(pairs), **{name: held_out_set(name, few) for name in TESTS[1:]}}
    turned = {"source": pairs.target, "target": pairs.source, "source_language": "es", "target_language": "en"}
    turned |= {"valid_source": pairs.valid_target, "valid_target": pairs.valid_source}
    back = place.trained("back", DataConfig(**turned))
    if not place.has_scores("pairs", tests):
        place.scored("pairs", place.trained("pairs", pairs), tests)
    for arm, tag, sampling in (("searched", None, None), ("tagged", TAG, None), ("drawn", TAG, SamplingConfig())):
        if place.has_scores(arm, tests):
            continue
        made = augment(
            back, text, place.folder(f"text-{arm}"), tag=tag, sampling=sampling, seed=place.seed, device=place.device
        )
        data = replace(
            pairs,
            mix_source=(str(made.source),),
            mix_target=(str(made.target),),
            mix_share=0.5,
            symbols=() if tag is None else (tag,),
        )
        place.scored(arm, place.trained(arm, data), tests)


if __name__ == "__main__":
    run(__doc__, one_seed, QUESTIONS)
