"""What the papers of the lineage reported is there to stand beside what is measured."""

import pytest

from saccade.models.catalogue import ARCHITECTURES
from saccade.papers import LINEAGE, PAPERS, PUBLISHED

TRANSLATING = [one for one in ARCHITECTURES.values() if one.task == "translation"]


@pytest.mark.parametrize("system", TRANSLATING, ids=lambda one: one.name)
def test_every_system_that_translates_has_a_figure_of_its_own_paper(system):
    assert LINEAGE[system.paper]


def test_every_figure_belongs_to_a_paper():
    assert set(LINEAGE) <= set(PAPERS)
    assert {one.paper for one in PUBLISHED if one.paper} <= set(PAPERS)


def test_figures_grew_with_the_ideas():
    french = [
        LINEAGE[paper][place].value for paper, place in (("bahdanau2015", 0), ("gehring2017", 1), ("vaswani2017", 2))
    ]
    german = [LINEAGE[paper][0].value for paper in ("luong2015", "gehring2017", "vaswani2017")]
    assert french == sorted(french)
    assert german == sorted(german)


def test_figures_on_multi30k_name_the_systems_they_are_of():
    named = {one.paper for one in PUBLISHED if one.corpus == "multi30k" and one.languages == "de-en"}
    assert named == {"sutskever2014", "cho2014", "bahdanau2015", "gehring2017", "vaswani2017"}
