"""Plain text: layout and sentences are the text, character by character, and identity gives it back."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.documents.trees import MARKED_UP

from saccade.documents.markup_placement import written
from saccade.documents.plain_text import read_plain_text


def texts(document):
    return [sentence.text for sentence in document.sentences]


@settings(max_examples=30, deadline=None)
@given(st.text(alphabet=st.sampled_from("aB.! *_`[](<>/b)\n\r\t-1#\ufeff漢😀&"), max_size=60) | MARKED_UP)
def test_layout_and_sentences_are_the_text(text):
    document = read_plain_text(text, "en")
    assert document.text == text
    assert document.written([sentence.verbatim for sentence in document.sentences]) == text
    for sentence in document.sentences:
        assert sentence.text.strip() == sentence.text != ""
        assert all(element.end <= len(sentence.text) for element in sentence.elements)


def test_lists_and_indentation_are_layout():
    document = read_plain_text("Title\n\n  - One thing. Two things.\n  2) # Go.\r\n\t> a) So it is.\n", "en")
    assert texts(document) == ["Title", "One thing.", "Two things.", "Go.", "So it is."]


def test_a_wrapped_line_goes_on_and_another_does_not():
    wrapped = "Nobody knows why the birds of the town came back\nso early this year. They did."
    document = read_plain_text(wrapped, "en")
    assert texts(document)[0] == "Nobody knows why the birds of the town came back so early this year."
    assert [one.layout for one in document.sentences[0].breaks] == ["\n"]
    assert document.written([written(sentence, sentence.text) for sentence in document.sentences]) == wrapped
    assert texts(read_plain_text("apples\nbananas\npears", "en")) == ["apples", "bananas", "pears"]


def test_markup_inside_a_sentence_is_taken_out_of_its_text():
    source = "See **the [old *door*](http://x.org/a_b)** and `f(x)`. <b>It is one. It</b> is snake_case 2*3*4."
    document = read_plain_text(source, "en")
    assert texts(document) == ["See the old door and f(x).", "It is one. It is snake_case 2*3*4."]
    first = document.sentences[0]
    assert [(one.opening, first.text[one.start : one.end], one.closing) for one in first.elements] == [
        ("**", "the old door", "**"),
        ("[", "old door", "](http://x.org/a_b)"),
        ("*", "door", "*"),
        ("`", "f(x)", "`"),
    ]
    assert first.elements[-1].fixed == "f(x)"


def test_markup_around_whole_sentences_is_layout():
    document = read_plain_text("<i>One thing. Two things.</i> <b>Three.</b>", "en")
    assert document.parts[0] == "<i>"
    assert texts(document) == ["One thing.", "Two things.", "Three."]
    assert not any(sentence.elements for sentence in document.sentences)


def test_brackets_around_a_sentence_are_layout_and_addresses_have_no_markup():
    document = read_plain_text("[door closes]\n(It is late.)\nSee http://x.org/_a_/b now.\n(so) b (c)", "en")
    assert texts(document) == ["door closes", "It is late.", "See http://x.org/_a_/b now.", "(so) b (c)"]
    assert not any(sentence.elements for sentence in document.sentences)
