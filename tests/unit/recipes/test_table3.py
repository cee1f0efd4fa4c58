import pytest

from saccade.papers import VASWANI2017
from saccade.recipes.recipe import list_recipes, load_recipe


@pytest.mark.parametrize("row", VASWANI2017.table3, ids=lambda row: row.slug)
def test_a_row_differs_from_base_only_in_what_the_table_says(row):
    base, recipe = load_recipe("vaswani2017-base").keys(), load_recipe(row.slug).keys()
    said = {f"model.{key}" for key in row.model} | {f"training.{key}" for key in row.training}
    assert {key for key in recipe if recipe[key] != base[key]} <= said


@pytest.mark.parametrize("row", VASWANI2017.table3, ids=lambda row: row.slug)
def test_a_row_has_the_values_of_the_table(row):
    recipe = load_recipe(row.slug).keys()
    assert all(recipe[f"model.{key}"] == value for key, value in row.model.items())
    assert all(recipe[f"training.{key}"] == value for key, value in row.training.items())


@pytest.mark.parametrize(
    ("name", "regime"), [("vaswani2017-base", VASWANI2017.base), ("vaswani2017-big", VASWANI2017.big_en_de)]
)
def test_the_two_models_of_the_paper_have_the_values_of_the_paper(name, regime):
    recipe = load_recipe(name).keys()
    assert all(recipe[f"model.{key}"] == value for key, value in regime.model.items())
    assert all(recipe[f"training.{key}"] == value for key, value in regime.training.items())
    assert recipe["data.vocabulary"] == VASWANI2017.vocabulary_en_de


@pytest.mark.parametrize("name", ["vaswani2017-base", "vaswani2017-big", "vaswani2017-table3-base"])
def test_the_paper_searches_as_the_paper_says(name):
    recipe = load_recipe(name)
    search = VASWANI2017.translation
    assert (recipe.decoding.size, recipe.decoding.alpha, recipe.decoding.extra_length) == (
        search.beam,
        search.alpha,
        search.extra_length,
    )


def test_every_row_has_a_recipe():
    assert {row.slug for row in VASWANI2017.table3} <= set(list_recipes())
