"""What the papers of the lineage reported is there to stand beside what is measured."""

import pytest

from saccade.models.catalogue import ARCHITECTURES
from saccade.papers import LINEAGE, PAPERS, PUBLISHED, VASWANI2017

TRANSLATING = [one for one in ARCHITECTURES.values() if one.task == "translation"]


@pytest.mark.parametrize("system", TRANSLATING, ids=lambda one: one.name)
def test_every_system_that_translates_has_a_figure_of_its_own_paper(system):
    assert LINEAGE[system.paper]


def test_every_figure_belongs_to_a_paper():
    assert set(LINEAGE) <= set(PAPERS)
    assert {one.paper for one in PUBLISHED if one.paper} <= set(PAPERS)


def test_figures_agree_with_those_that_table_2_of_vaswani_compares_with():
    table = {result.model: result for result in VASWANI2017.table2}
    convs2s_german, convs2s_french = LINEAGE["gehring2017"]
    base, big_german, big_french = LINEAGE["vaswani2017"]
    assert convs2s_german.value == table["ConvS2S"].bleu_en_de
    assert convs2s_french.note.startswith(f"{table['ConvS2S'].bleu_en_fr:.2f} in the version")
    assert base.value == table["Transformer (base)"].bleu_en_de
    assert big_german.value == table["Transformer (big)"].bleu_en_de
    assert big_french.value == table["Transformer (big)"].bleu_en_fr
    assert [one.corpus for one in (convs2s_german, base, big_german)] == ["WMT14 English to German"] * 3
    assert [one.corpus for one in (convs2s_french, big_french)] == ["WMT14 English to French"] * 2


def test_figures_on_multi30k_name_the_systems_they_are_of():
    named = {one.paper for one in PUBLISHED if one.corpus == "multi30k" and one.languages == "de-en"}
    assert named == {"sutskever2014", "cho2014", "bahdanau2015", "gehring2017", "vaswani2017"}
