import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.data.normalisation import normalise
from saccade.data.text_repairs import repaired

LETTERS = "abcdefg ñéíóúüçßàèøåÆÑÉ"


@pytest.mark.parametrize(
    ("text", "expected", "done"),
    [
        ("El niÃ±o comiÃ³.", "El niño comió.", "decoded again"),
        ("Ã‚Â¿QuÃƒÂ©?", "¿Qué?", "decoded again"),  # twice
        ("Itâ€™s \u00e2\u0080\u009cfine\u00e2\u0080\u009d", "It’s “fine”", "decoded again"),
        ("ÐŸÑ€Ð¸Ð²ÐµÑ‚", "Привет", "decoded again"),
        ("Tom &amp; Jerry&apos;s", "Tom & Jerry's", "unescaped"),
        ("don\x92t", "don’t", "invisible characters"),
        ("\ufeffco\u00adop\u200beration\x07", "cooperation", "invisible characters"),
        (" one\u00a0 two\t", "one two", "white space"),
    ],
)
def test_what_is_broken_is_mended(text, expected, done):
    assert repaired(text) == (expected, (done,))


@pytest.mark.parametrize(
    "text",
    ["„MENÜ“", "«QUALITÉ»", "“MAÇÃ”", "5 Å² of it", "PERÚ™", "NÃO", "AÑO", "R&D & more", "&eacute; is é", "a\u200db"],
)
def test_what_may_have_been_meant_stays(text):
    assert repaired(text) == (text, ())


@given(st.text(LETTERS, min_size=1), st.sampled_from(["cp1252", "latin-1"]))
def test_a_wrong_decoding_is_undone(text, encoding):
    # Two letters that Windows-1252 cannot have read: it has no character for one of their bytes.
    text = normalise(f"né {text}").replace("à", "a")
    try:
        broken = text.encode().decode(encoding)
    except UnicodeDecodeError:
        return
    assert repaired(broken)[0] == text


@given(st.text(LETTERS + "“”»'.,?"))
def test_a_text_that_was_decoded_well_stays_as_it_is(text):
    assert repaired(normalise(text)) == (normalise(text), ())
