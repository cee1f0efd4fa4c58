"""Which learning rate suits fine-tuning: the rule of `recipes/fine_tuning.py` beside lower and higher ones.

    python -m bench.improving.learning_rates OUT --seeds 1

A parent trained on Tatoeba is fine-tuned to us-civic with multiples of the rule's peak, all weights and adapters. What
is printed is BLEU on the validation pairs of the domain, which no test of the other experiments has; nothing is judged.
"""

from bench.improving.corpora import domain, pairs_for_testing, tatoeba
from bench.improving.experiment import Place, run
from saccade.data.config import DataConfig
from saccade.recipes.fine_tuning import peak_rate
from saccade.recipes.recipe import load_recipe
from saccade.runs.run import train

RANK = 16
ARMS = {None: (0.2, 1.0, 3.0, 10.0), RANK: (0.1, 0.3, 1.0, 3.0)}
"""Multiples of the peak, by the rank of adapters."""


def one_seed(place: Place) -> None:
    """All rates of one seed."""
    texts = place.folder("text")
    data = domain(texts, "us-civic", place.most)
    parent = place.trained("parent", tatoeba(texts, place.most))
    width = load_recipe(parent / "recipe.toml").model.width
    validation = DataConfig(test_source=data.valid_source, test_target=data.valid_target)
    for adapters, multiples in ARMS.items():
        for multiple in multiples:
            name = f"{'all' if adapters is None else 'adapters'} x {multiple:g}"
            overrides = [f"fine_tuning.model={parent}", *place.tuning]
            overrides += [f"training.learning_rate={multiple * peak_rate(width, adapters)}"]
            overrides += [] if adapters is None else [f"fine_tuning.adapters={adapters}"]
            folder = place.folder(name.replace(" ", "-"))
            tuned = place.ended(train(data, folder, overrides=overrides, device=place.device))
            place.scored(name, tuned, {"validation": pairs_for_testing(validation)})


if __name__ == "__main__":
    run(__doc__, one_seed, [])
