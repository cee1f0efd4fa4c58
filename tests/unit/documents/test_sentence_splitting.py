"""Where sentences end, on cases written for this; and that nothing but white space is ever outside them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.documents.sentence_splitting import WINDOW, sentence_spans

CASES = [
    ("en", ["I have a dog.", "His name is Max.", "He likes to run."]),
    ("en", ["Dr. Smith met Mrs. Jones at 5 p.m. on Jan. 3.", "They talked."]),
    ("en", ["She paid $1,234.56 for it.", "It was cheap."]),
    ("en", ['He said, "I am tired."', "Then he left."]),
    ("en", ["Well... I do not know.", "Maybe."]),
    ("en", ["J. R. R. Tolkien wrote it.", "I read it."]),
    ("en", ["Mail me at a.b@c.org.", "See www.example.com.", "Version 2.0.1 is out."]),
    ("en", ["Is it Yahoo! or Google?", "what do you mean?", "i don't know."]),
    ("en", ["Forget me.", "Get ready.", "It was (or so we are told.", "Nobody knows) Messrs. Smith."]),
    ("en", ['He said: "We lost everything.', 'They won."', '"So it is."', "We know the best colours."]),
    ("es", ["¿Dónde está?", "¡Aquí!", "El Sr. García vive en EE. UU. desde 1990."]),
    ("de", ["Das ist z. B. Dr. Müller.", "Am 3. Oktober 1990 war es so weit."]),
    ("de", ['Er sagte, "dass es sie gab.', "Es kam anders.", 'Am "Schwarzen Freitag" war Schluss.']),
    ("ru", ["Это было в 1990 г. в Москве.", "Он уехал."]),
    ("ar", ["أين أنت؟", "أنا هنا.", "تعال."]),
    ("pt_BR", ["O Sr. Silva chegou.", "Ele saiu."]),
    ("deu_Latn", ["Das ist z. B. Dr. Müller.", "Am 3. Oktober 1990 war es so weit."]),
    (None, ["One thing.", "Another thing."]),
]


@pytest.mark.parametrize(("language", "sentences"), CASES, ids=lambda value: str(value)[:40])
def test_sentences_end_where_a_reader_says(language, sentences):
    text = " ".join(sentences)
    assert [text[start:end] for start, end in sentence_spans(text, language)] == sentences


def test_stops_without_spaces_end_sentences():
    for language, sentences in (
        ("zh", ["我有一只狗。", "它叫麦克斯。", "你喜欢吗？"]),
        ("en", ["He left.", "She stayed."]),
    ):
        text = "".join(sentences)
        assert [text[start:end] for start, end in sentence_spans(text, language)] == sentences


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet=st.sampled_from("aB .!?…。؟\n\t\"'(\u200d😀é\ud800\u2028"), max_size=40))
def test_everything_but_white_space_is_in_a_sentence(text):
    spans = sentence_spans(text, "en")
    assert all(start < end for start, end in spans)
    assert all(before[1] <= after[0] for before, after in zip(spans, spans[1:], strict=False))
    assert "".join("".join(text[start:end] for start, end in spans).split()) == "".join(text.split())


def test_a_text_of_many_windows_is_split_as_its_parts_are():
    part = "Dr. Smith met Mrs. Jones at 5 p.m. on Jan. 3. They talked for hours. \u00abReally?\u00bb she asked. "
    places = [span for at in range(0, 2 * WINDOW, len(part)) for span in shifted(sentence_spans(part, "en"), at)]
    assert sentence_spans(part * -(-2 * WINDOW // len(part)), "en") == places


def shifted(spans, by):
    return [(start + by, end + by) for start, end in spans]


@pytest.mark.parametrize("part", ["a", "'", "`a", "\u00ab", "\u4f60\u3002"])
def test_a_text_without_spaces_is_split_to_its_end(part):
    """Where the time grew with the square of the length, this would take minutes."""
    text = part * (8_000 // len(part))
    assert sentence_spans(text + " It ends. Really.", "en")[-1][1] == len(text) + len(" It ends. Really.")
