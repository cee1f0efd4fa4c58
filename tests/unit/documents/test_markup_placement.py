"""Markup in translated sentences: always well-formed and complete, and in the right place where links are right."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.documents.trees import MARKED_UP

from saccade.documents.document import Break, Element, Sentence
from saccade.documents.markup_placement import written
from saccade.documents.plain_text import read_plain_text

TAG = re.compile(r"<[^>]*>")


def nested(tags):
    """How tags are nested, as the path of each; fails where they are not well-formed. Breaks are at no fixed depth."""
    path, paths = [], []
    for tag in tags:
        if tag.startswith("</"):
            assert path.pop() == tag[2:-1]
        else:
            paths.append((tag,) if tag == "<br>" else (*path, tag))
            if tag not in ("<img/>", "<wbr>", "<br>"):
                path.append(tag[1:-1])
    assert not path
    return sorted(paths)


@settings(max_examples=50, deadline=None)
@given(
    MARKED_UP,
    st.lists(st.sampled_from(["El", "perro", "¿corre?", "a,b", "漢字", "…"]), max_size=7),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=9) | st.none(),
)
def test_whatever_the_links_every_tag_comes_back_once_and_nested_as_it_was(source, words, links):
    document = read_plain_text(source, "en")
    target = " ".join(words)
    pieces = [written(sentence, target, links) for sentence in document.sentences]
    for sentence, piece in zip(document.sentences, pieces, strict=True):
        assert "".join(TAG.sub("", piece).split()) == "".join(words)
        assert nested(TAG.findall(piece)) == nested(TAG.findall(sentence.verbatim))
    assert nested(TAG.findall(document.written(pieces))) == nested(TAG.findall(source))


def translated(source, target, links):
    document = read_plain_text(source, "en")
    return document.written([written(sentence, target, links) for sentence in document.sentences])


def test_tags_follow_their_words():
    links = [(0, 0), (1, 1), (3, 2), (2, 3)]
    assert translated("I see <b>red</b> cars.", "Yo veo coches rojos.", links) == "Yo veo coches <b>rojos</b>."
    assert translated("I see red <b>cars</b>!", "¡Yo veo coches rojos!", links) == "¡Yo veo <b>coches</b> rojos!"


def test_white_space_stays_outside_tags_and_around_those_that_stand_alone():
    links = [(0, 0), (1, 1), (2, 2)]
    assert translated("Go <b> now </b> home", "Ve ahora casa", links) == "Ve <b>ahora</b> casa"
    assert translated("Go <img/> now home", "Ve ahora casa", links) == "Ve <img/> ahora casa"
    assert translated("Go now<wbr> home", "Ve ahora casa", links) == "Ve ahora<wbr> casa"


def test_what_is_fixed_replaces_what_the_model_made_of_it():
    links = [(0, 0), (1, 1), (2, 2)]
    assert translated("Use `print` here.", "Usa imprimir aquí.", links) == "Usa `print` aquí."
    assert translated("Use `print` here.", "Usa aquí.", [(0, 0), (2, 1)]) == "Usa `print` aquí."
    assert translated("Use the`print`er now.", "Usa el imprimir er ya.", [(n, n) for n in range(5)]) == (
        "Usa el `print` er ya."
    )


def test_without_links_places_are_in_proportion():
    assert translated("one <b>two</b> three four", "eins zwei drei vier", None) == "eins <b>zwei</b> drei vier"


def test_breaks_stay_in_order_and_out_of_elements():
    sentence = Sentence(
        "one two three four five six",
        "",
        elements=(Element(8, 18, "<b>", "</b>"),),
        breaks=(Break(7, "\n1\n"), Break(23, "\n2\n")),
    )
    links = [(place, place) for place in range(6)]
    target = "uno dos tres cuatro cinco seis"
    assert written(sentence, target, links) == "uno dos\n1\n<b>tres cuatro</b> cinco\n2\nseis"
    assert written(sentence, "x", links).split("\n")[1::2] == ["1", "2"]
