"""Recipes: every setting of a run, as data. The TOML files here are the recipes that ship.

In reading order:

    recipe.py           a recipe as one frozen value, and loading one
    documents.py        parsed TOML: shipped, yours, based_on, --set
    keys.py             the keys of each section, and the nearest to a wrong one
    strict_config.py    dataclasses from TOML values, strictly
    toml.py             a recipe written as TOML
    automatic.py        a recipe chosen from the corpus and the machine
    fine_tuning.py      [fine_tuning]: a recipe that begins from a model
    automatic_fine_tuning.py  the same, chosen from the corpus and the machine
    table3.py           the recipes of Table 3 of Vaswani et al. 2017
    departures.py       where recipes leave their papers, as docs/departures.md
"""
