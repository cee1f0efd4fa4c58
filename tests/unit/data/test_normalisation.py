from hypothesis import given
from hypothesis import strategies as st

from saccade.data.normalisation import normalise


@given(st.text())
def test_normalising_twice_changes_nothing(text):
    assert normalise(normalise(text)) == normalise(text)


def test_normalising_composes_and_joins_white_space_and_keeps_all_else():
    assert normalise("  e\u0301 \t\u00a0ﬁ ’«…»  ＡB\r\n") == "é ﬁ ’«…» ＡB"
