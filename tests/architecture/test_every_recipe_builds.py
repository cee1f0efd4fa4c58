import pytest
import torch

from saccade.data.catalogue import CORPORA, direction
from saccade.data.tasks import find_task
from saccade.models.catalogue import build
from saccade.papers import VASWANI2017
from saccade.recipes.recipe import list_recipes, load_recipe

PIECES = 37_000


@pytest.mark.parametrize("name", list_recipes())
def test_the_model_of_every_recipe_can_be_built(name):
    recipe = load_recipe(name)
    with torch.device("meta"):
        model = build(recipe.architecture, recipe.model, PIECES, PIECES)
    assert model.target_vocabulary == PIECES


@pytest.mark.parametrize("name", list_recipes())
def test_the_data_of_every_recipe_are_in_the_catalogue(name):
    data = load_recipe(name).data
    corpus = CORPORA[data.corpus]
    direction(corpus, data.source_language, data.target_language)
    task = find_task(data.task)
    assert task.name == corpus.task or not task.has_sources  # every corpus has text


@pytest.mark.parametrize("name", list_recipes())
def test_a_model_can_read_whatever_its_recipe_keeps(name):
    recipe = load_recipe(name)
    assert recipe.data.maximum_length < recipe.model.maximum_length
    assert recipe.data.maximum_length < recipe.training.batch_tokens


@pytest.mark.parametrize("name", [row.slug for row in VASWANI2017.table3 if row.parameters_millions])
def test_a_row_of_table_3_has_about_the_parameters_the_paper_says(name):
    recipe = load_recipe(name)
    with torch.device("meta"):
        model = build(recipe.architecture, recipe.model, PIECES, PIECES)
    millions = sum(parameter.numel() for parameter in model.parameters()) / 1e6
    # The described layers with 37,000 shared pieces come to 2.9 % less than "65M"; no row is further off than 7 %.
    assert millions == pytest.approx(VASWANI2017.row(name).parameters_millions, rel=0.07)


@pytest.mark.parametrize(
    ("name", "pieces", "millions"), [("multi30k", 8_000, 15.0), ("tatoeba-en-es", 8_000, 11.3), ("tiny", 64, 1.0)]
)
def test_a_small_model_is_as_small_as_it_is_meant_to_be(name, pieces, millions):
    recipe = load_recipe(name)
    with torch.device("meta"):
        model = build(recipe.architecture, recipe.model, pieces, pieces)
    assert sum(parameter.numel() for parameter in model.parameters()) <= millions * 1e6
