"""Our reader of Marian's YAML beside PyYAML, which reads all of YAML."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import FormatError
from saccade.interop.marian_yaml import parse_yaml

LINE_BREAKS = "\n\r\x85\u2028\u2029\ufeff"
words = st.text(st.characters(exclude_categories=("Cs",), exclude_characters=LINE_BREAKS), min_size=1, max_size=9)
values = st.one_of(st.integers(0, 99_999).map(str), words, st.lists(words, max_size=3))
anything = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=9)


@settings(max_examples=40)
@given(st.dictionaries(words, values, min_size=1, max_size=4))
def test_it_reads_what_pyyaml_reads(entries):
    text = yaml.dump(entries, allow_unicode=True, width=10**9, sort_keys=False)
    assert parse_yaml(text.encode(), "file") == yaml.load(text, Loader=yaml.BaseLoader) == entries


@settings(max_examples=40)
@given(st.dictionaries(anything, st.integers(0, 99_999).map(str), min_size=1, max_size=4))
def test_it_reads_every_character_that_is_written_as_an_escape(entries):
    text = yaml.dump(entries, width=10**9, default_style='"', sort_keys=False)
    assert parse_yaml(text.encode(), "file") == yaml.load(text, Loader=yaml.BaseLoader) == entries


def test_a_vocabulary_may_be_a_list_of_any_length():
    pieces = [f"p{number}" for number in range(200_003)]
    text = "vocabulary:\n" + "".join(f"  - {piece}\n" for piece in pieces)
    assert parse_yaml(text.encode(), "file") == {"vocabulary": pieces}


def test_characters_that_end_a_line_elsewhere_do_not_end_one_here():
    text = "a\x85b: 1\n\u2028: 2\r\n\n# a comment\nc: []\nd:\n  []\n"
    assert parse_yaml(text.encode(), "file") == {"a\x85b": "1", "\u2028": "2", "c": [], "d": []}


@pytest.mark.parametrize(
    "text",
    ["a: &x 1", "a: *x", "a: !!python/object:os.system x", "a: {b: c}", "a: |", "a: >", "- 1", "  b: c", "a: [[b]]",
     "?", 'a: "\\q"', 'a: "\\ud800"', "a", "a: 'b", "a: 1\na: 2", "%YAML 1.1", "a:\n  - b: c", "? a\nb: 1", "--- a",
     "---\na: 1\n---\nb: 2", "a: 1\n---\nb: 2", "a: 1\n...", "a: 1\n? b"],
)  # fmt: skip
def test_other_yaml_is_refused_in_a_line(text):
    with pytest.raises(FormatError, match=r"\A`file` must be YAML as Marian writes it, but line \d [^\n]+\Z"):
        parse_yaml(text.encode(), "file")
