from dataclasses import replace

import pytest

from saccade.data.catalogue import known
from saccade.recipes.recipe import Change, load_recipe
from saccade.runs.model_card import TrainingFacts, card_text

FACTS = TrainingFacts(
    parameters=7, bytes=11, steps=13, minutes=1.5, ended_by="steps", averaged=1, device="1 CPU thread", command="train"
)


def card(name: str, *overrides: str) -> str:
    recipe = load_recipe(name, overrides)
    return card_text(recipe, None if recipe.data.corpus is None else known(recipe.data.corpus), 1234, FACTS, {})


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tiny", "for sequence transduction: sequences of letters and the same backwards"),
        ("tatoeba-en-es", "for translation from en to es."),
        ("cmudict", "for pronunciation: spellings to phones"),
        ("lm-multi30k", "for language-modelling: how probable a text is"),
        ("languages", "for classification: sentences to labels"),
        ("lm-multi30k", "1,234 lines for training"),
        ("languages", "1,234 labelled texts for training"),
        ("cmudict", "1,234 pairs for training"),
        ("lm-multi30k", "`saccade translate` continues each text"),
        ("languages", "`saccade translate` gives the label of each text"),
    ],
)
def test_a_card_uses_the_words_of_its_task(name, words):
    assert words in card(name)


@pytest.mark.parametrize("name", ["tiny", "cmudict", "lm-multi30k", "languages"])
def test_only_the_card_of_a_translator_speaks_of_languages(name):
    assert "translation from" not in card(name)
    assert "one language" not in card(name)


def test_a_card_lists_what_changed_on_the_way():
    recipe = replace(load_recipe("tiny"), changes=(Change(7, "training.patience", None, 3),))
    text = card_text(recipe, None, 5, FACTS, {})
    assert "- changed on the way: training.patience is 3 from step 7 on; it was none" in text
    assert "changed on the way" not in card("tiny")
