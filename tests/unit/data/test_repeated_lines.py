from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from saccade.data.repeated_lines import mark_repeats, text_hash


@given(
    st.lists(st.tuples(st.sampled_from("abcdefg"), st.sampled_from([0, 0, 0, 7]))),
    st.integers(1, 3),
    st.integers(1, 9),
)
def test_marks_are_those_of_a_count_from_the_first_line_on(tmp_path_factory, lines, allowed, at_once):
    path = tmp_path_factory.mktemp("hashes") / "hashes"
    path.write_bytes(b"".join(text_hash(text) for text, _ in lines))
    marks = np.array([mark for _, mark in lines], np.uint8)
    mark_repeats(path, marks, 3, allowed, at_once)
    seen, expected = Counter[str](), []
    for text, mark in lines:
        expected.append(mark or (3 if seen[text] >= allowed else 0))
        seen[text] += not mark
    assert marks.tolist() == expected
