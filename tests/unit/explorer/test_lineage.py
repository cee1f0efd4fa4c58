"""The papers a page is given."""

import re
from pathlib import Path

from saccade.explorer.lineage import lineage
from saccade.explorer.page import FOLDER
from saccade.models.catalogue import ARCHITECTURES
from saccade.papers import PAPERS
from saccade.recipes.recipe import list_recipes

CARDS = Path(FOLDER, "ancestors", "papers.js").read_text(encoding="utf-8")


def test_every_architecture_is_listed_under_its_paper():
    listed = {one["name"]: paper["key"] for paper in lineage() for one in paper["architectures"]}
    assert listed == {name: known.paper for name, known in ARCHITECTURES.items()}


def test_papers_come_oldest_first():
    years = [paper["year"] for paper in lineage()]
    assert years == sorted(years)


def test_a_paper_is_what_the_papers_file_says():
    paper = next(paper for paper in lineage() if paper["key"] == "luong2015")
    known = PAPERS["luong2015"]
    assert (paper["title"], paper["year"], paper["url"]) == (known.title, known.year, known.url)


def test_a_recipe_that_is_named_exists():
    assert {paper["recipe"] for paper in lineage()} - {None} <= set(list_recipes())


def test_the_transformers_paper_names_its_base_recipe():
    assert next(paper["recipe"] for paper in lineage() if paper["key"] == "vaswani2017") == "vaswani2017-base"


def test_every_card_of_the_page_is_about_a_paper_we_know():
    named = re.findall(r'(?:paper|before): "(\w+)"', CARDS)
    assert len(named) > 11
    assert set(named) <= set(PAPERS)


def test_no_card_repeats_a_title_or_a_year():
    assert not [paper.title for paper in PAPERS.values() if paper.title in CARDS]
    assert not re.findall(r"\b20\d\d\b", re.sub(r'"\w+20\d\d"|2013 to 2017', "", CARDS))
