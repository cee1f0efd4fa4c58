"""A model of everyday sentences is fine-tuned to another domain: what it gains there, and what it loses at home.

    python -m bench.improving.fine_tuning OUT --seeds 3 --parallel 3

The parent is trained on Tatoeba, one for each seed, and scored as it is. Then for each of two domains, texts of US
public services (us-civic) and the help of a desktop (gnome-help), by the automatic recipe for fine-tuning:

    new         a model trained on the domain alone, from nothing
    all         all weights, on the domain alone
    mixed       all weights, half of the pairs from Tatoeba
    adapters    low-rank adapters of rank 16, on the domain alone

Every arm is scored on held-out pairs of its domain and on the test set of Tatoeba; `verdicts.py` has the rule.
"""

from bench.improving.corpora import domain, pairs_for_testing, tatoeba
from bench.improving.experiment import Place, run
from bench.improving.verdicts import Question
from saccade.data.config import DataConfig
from saccade.runs.run import train

DOMAINS = ("us-civic", "gnome-help")
HOME = "tatoeba"
QUESTIONS = [
    question
    for name in DOMAINS
    for question in (
        Question(f"{name}: all", "parent", name),
        Question(f"{name}: all", f"{name}: new", name),
        Question("parent", f"{name}: all", HOME),
        Question(f"{name}: mixed", f"{name}: all", HOME),
        Question(f"{name}: mixed", f"{name}: all", name),
        Question(f"{name}: adapters", "parent", name),
        Question(f"{name}: adapters", f"{name}: all", name),
        Question(f"{name}: adapters", f"{name}: all", HOME),
    )
]


def one_seed(place: Place) -> None:
    """All arms of one seed."""
    texts = place.folder("text")
    home = tatoeba(texts, place.most)
    domains = {name: domain(texts, name, place.most) for name in DOMAINS}
    tests = {HOME: pairs_for_testing(home), **{name: pairs_for_testing(data) for name, data in domains.items()}}
    parent = place.trained("parent", home)
    place.scored("parent", parent, tests)
    for name, data in domains.items():
        own = {HOME: tests[HOME], name: tests[name]}
        new = place.ended(train(data, place.folder(f"{name}-new"), overrides=place.tuning, device=place.device))
        place.scored(f"{name}: new", new, own)
        mixed = {"mix_source": (home.source,), "mix_target": (home.target,), "mix_share": 0.5}
        for arm, changes, overrides in (
            ("all", {}, []),
            ("mixed", mixed, []),
            ("adapters", {}, ["fine_tuning.adapters=16"]),
        ):
            asked = [f"fine_tuning.model={parent}", *place.tuning, *overrides]
            files = DataConfig(**{**data.given(), **changes})
            tuned = place.ended(train(files, place.folder(f"{name}-{arm}"), overrides=asked, device=place.device))
            place.scored(f"{name}: {arm}", tuned, own)


if __name__ == "__main__":
    run(__doc__, one_seed, QUESTIONS)
