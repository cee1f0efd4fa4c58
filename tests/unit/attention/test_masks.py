import torch

from saccade.attention.masks import Visibility

CPU = torch.device("cpu")


def drawn(visibility: Visibility, queries: int, keys: int) -> list[str]:
    seen = visibility.dense(queries, keys, CPU)
    assert seen is not None
    return ["".join("x" if cell else "." for cell in row) for row in seen[0].tolist()]


def test_causal_sees_itself_and_before():
    assert drawn(Visibility(causal=True), 3, 3) == ["x..", "xx.", "xxx"]


def test_window_sees_both_sides():
    assert drawn(Visibility(window=1), 4, 4) == ["xx..", "xxx.", ".xxx", "..xx"]


def test_causal_window_sees_only_the_near_past():
    assert drawn(Visibility(causal=True, window=1), 4, 4) == ["x...", "xx..", ".xx.", "..xx"]


def test_one_query_with_a_past_stands_at_its_end():
    assert drawn(Visibility(causal=True, window=2), 1, 5) == ["..xxx"]
    assert Visibility(causal=True).dense(1, 5, CPU) is None


def test_padding_is_invisible_to_every_query():
    assert drawn(Visibility(keys=torch.tensor([[True, True, False]]), causal=True), 3, 3) == ["x..", "xx.", "xx."]


def test_everything_visible_needs_no_matrix():
    assert Visibility().dense(3, 5, CPU) is None
