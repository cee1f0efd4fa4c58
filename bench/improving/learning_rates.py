"""How fast and how long to fine-tune: the rules of the automatic recipe beside higher rates and more epochs.

    python -m bench.improving.learning_rates OUT --seeds 1

A parent trained on Tatoeba is fine-tuned to us-civic with multiples of the rule's peak and of its steps, all weights
and adapters. What is printed is BLEU on the validation pairs of the domain, which no test of the other experiments has;
nothing is judged.
"""

from bench.improving.corpora import domain, pairs_for_testing, tatoeba
from bench.improving.experiment import Place, run
from saccade.data.config import DataConfig
from saccade.recipes.automatic import Machine
from saccade.recipes.automatic_fine_tuning import choose_fine_tuning
from saccade.recipes.fine_tuning import peak_rate
from saccade.recipes.recipe import load_recipe
from saccade.runs.run import train

RANK = 16
ARMS = {
    None: ((1.0, 1), (3.0, 1), (1.0, 4), (3.0, 4), (5.0, 4), (1.0, 12), (3.0, 12)),
    RANK: ((1.0, 1), (1.0, 4), (3.0, 4), (1.0, 12)),
}
"""Multiples of the peak and of the steps, by the rank of adapters."""


def one_seed(place: Place) -> None:
    """All arms of one seed."""
    texts = place.folder("text")
    data = domain(texts, "us-civic", place.most)
    parent = place.trained("parent", tatoeba(texts, place.most))
    width = load_recipe(parent / "recipe.toml").model.width
    validation = DataConfig(test_source=data.valid_source, test_target=data.valid_target)
    for adapters, arms in ARMS.items():
        for rate, longer in arms:
            name = f"{'all' if adapters is None else 'adapters'}, rate x {rate:g}, steps x {longer}"
            overrides = [f"fine_tuning.model={parent}", *place.tuning]
            overrides += [] if adapters is None else [f"fine_tuning.adapters={adapters}"]
            chosen = choose_fine_tuning(data, Machine.here(place.device), overrides).recipe.training
            overrides += [f"training.learning_rate={rate * peak_rate(width, adapters)}"]
            overrides += [f"training.steps={longer * chosen.steps}"]
            folder = place.folder(name.replace(" ", "-").replace(",", ""))
            tuned = place.ended(train(data, folder, overrides=overrides, device=place.device))
            place.scored(name, tuned, {"validation": pairs_for_testing(validation)})


if __name__ == "__main__":
    run(__doc__, one_seed, [])
