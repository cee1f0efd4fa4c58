import pytest

from saccade.serving.language_check import suspicion
from saccade.serving.translator import load

ENGLISH = [
    "Where is the train station?",
    "I have never seen such a beautiful house.",
    "My brother works in a hospital.",
    "Tom said that he would come tomorrow.",
    "It was raining when we left the school.",
]
SPANISH = [
    "¿Dónde está la estación de tren?",
    "Nunca he visto una casa tan hermosa.",
    "Mi hermano trabaja en un hospital.",
    "Tom dijo que vendría mañana.",
    "Estaba lloviendo cuando salimos de la escuela.",
]
CHINESE = ["我从来没有见过这么漂亮的房子。", "我哥哥在医院工作。", "汤姆说他明天会来。", "火车站在哪里?", "下雨了。"]


@pytest.fixture(scope="module")
def shipped():
    return load("en-es", device="cpu")


def test_source_text_raises_no_suspicion(shipped):
    assert suspicion(shipped, ENGLISH) is None


def test_target_text_is_noticed(shipped):
    assert "looks like es, but this model translates from en to es" in suspicion(shipped, SPANISH)


def test_characters_the_model_cannot_spell_are_noticed(shipped):
    assert "characters that this model (en to es) has hardly seen" in suspicion(shipped, CHINESE)


def test_a_few_lines_are_too_few_to_judge(shipped):
    assert suspicion(shipped, SPANISH[:4]) is None
    assert suspicion(shipped, [*SPANISH[:4], "", " "]) is None


def test_other_tasks_and_unknown_languages_are_not_judged(make_bundle, tmp_path):
    for number, changes in enumerate(({"target_language": None}, {"target_language": "en"}, {"task": "pronunciation"})):
        assert suspicion(load(make_bundle(tmp_path / str(number), **changes), device="cpu"), CHINESE) is None
