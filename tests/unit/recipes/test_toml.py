import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.recipes.recipe import build_recipe, list_recipes, load_recipe
from saccade.recipes.toml import recipe_text, write_recipe

text = st.text(st.characters(codec="utf-8"))
path = text.filter(lambda value: value != "none")
value = text | st.integers(1, 10**12) | st.floats(1e-300, 1e300)
documents = st.fixed_dictionaries(
    {
        "name": text,
        "summary": text,
        "data": st.fixed_dictionaries({}, optional={"source": path, "target": path, "source_language": path}),
        "model": st.fixed_dictionaries(
            {},
            optional={
                "dropout": st.floats(0, 1, exclude_max=True),
                "attention_bias": st.booleans(),
                "tie": st.sampled_from(["all", "target", "none"]),
            },
        ),
        "training": st.fixed_dictionaries(
            {},
            optional={
                "steps": st.integers(1, 10**12),
                "epsilon": st.floats(1e-300, 1e300),
                "patience": st.integers(1, 99),
            },
        ),
        "departures": st.lists(
            st.fixed_dictionaries({"what": text, "paper_says": text, "we_do": text, "why": text}), max_size=3
        ),
        "changes": st.lists(
            st.fixed_dictionaries({"step": st.integers(0, 10**12), "key": text, "before": value, "after": value}),
            max_size=3,
        ),
    }
)


@given(documents)
def test_what_is_written_reads_back_as_an_equal_recipe(document):
    recipe = build_recipe(document)
    assert build_recipe(tomllib.loads(recipe_text(recipe))) == recipe


@pytest.mark.parametrize("name", list_recipes())
def test_a_shipped_recipe_written_to_a_file_reads_back_equal(name, tmp_path):
    recipe = load_recipe(name)
    write_recipe(recipe, tmp_path / "recipe.toml")
    assert load_recipe(tmp_path / "recipe.toml") == recipe


def test_every_key_is_written():
    recipe = load_recipe("tiny")
    document = tomllib.loads(recipe_text(recipe))
    written = {f"{section}.{key}" for section in ("data", "model", "training", "decoding") for key in document[section]}
    assert written == set(recipe.keys())


def test_nothing_is_left_beside_the_file(tmp_path):
    write_recipe(load_recipe("tiny"), tmp_path / "recipe.toml")
    assert [path.name for path in tmp_path.iterdir()] == ["recipe.toml"]
