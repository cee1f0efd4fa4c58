import pytest

from saccade.papers import PAPERS


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("post2018", "Post"),
        ("kalchbrenner2013", "Kalchbrenner and Blunsom"),
        ("luong2015", "Luong and others"),
        ("wu2016", "Wu and others"),
    ],
)
def test_authors_are_named_as_people_speak_of_them(key, names):
    assert PAPERS[key].names == names
