from pathlib import Path

from saccade.recipes.departures import departures_text
from saccade.recipes.recipe import list_recipes, load_recipe

DOCUMENT = Path(__file__).parents[3] / "docs" / "departures.md"


def test_the_document_is_what_the_recipes_say_now():
    assert DOCUMENT.read_text(encoding="utf-8") == departures_text()


def test_every_departure_of_every_recipe_is_told():
    text = departures_text()
    told = {departure.why for name in list_recipes() for departure in load_recipe(name).departures}
    assert all(why in text for why in told)
