"""Texts with nested tags of every kind, for hypothesis."""

from hypothesis import strategies as st

WORDS = st.sampled_from(
    ["A", "dog", "runs.", "She", "reads", "now.", "¿Qué?", "x", "(so)", "(", ")", " ", "  ", "漢字", "12"]
)


def _element(children):
    return st.tuples(st.sampled_from("bis"), st.lists(children, max_size=4)).map(
        lambda one: f"<{one[0]}>{' '.join(one[1])}</{one[0]}>"
    )


MARKED_UP = st.lists(
    st.recursive(WORDS | st.sampled_from(["<img/>", "<wbr>", "<br>"]), _element, max_leaves=8), max_size=6
).map(" ".join)
