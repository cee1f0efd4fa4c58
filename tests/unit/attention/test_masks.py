import torch

from saccade.attention.masks import QueryKeyPacking, Visibility
from saccade.sequences import Packed, Packing, Sequences

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


def shared(*sentences: int) -> Packing:
    """A row whose slots belong to these sentences, -1 to none."""
    lengths = [sentences.count(number) for number in range(max(sentences) + 1)]
    return Packing(torch.tensor([0, *lengths]).cumsum(0), torch.tensor([sentences]))


def test_sentences_that_share_a_row_see_only_themselves_and_an_empty_slot_sees_nothing():
    row = shared(0, 0, 1, -1)
    assert drawn(Visibility(packing=QueryKeyPacking(row, row)), 4, 4) == ["xx..", "xx..", "..x.", "...."]
    assert drawn(Visibility(packing=QueryKeyPacking(row, row), causal=True), 4, 4) == ["x...", "xx..", "..x.", "...."]


def test_a_target_that_shares_a_row_sees_the_source_of_its_own_sentence():
    targets, sources = shared(0, 1, 1, -1), shared(0, 0, 0, 1, -1, -1)
    assert drawn(Visibility(packing=QueryKeyPacking(targets, sources)), 4, 6) == [
        "xxx...",
        "...x..",
        "...x..",
        "......",
    ]


def test_within_a_padded_sentence_the_padding_is_hidden_by_itself_or_by_causality():
    sentences = Sequences.of([[5, 1], [5, 6, 1]])
    assert drawn(Visibility.within(sentences), 3, 3) == ["xx."]  # one row for every query
    assert Visibility.within(sentences, causal=True) == Visibility(causal=True)


def test_within_a_packed_row_sentences_are_kept_apart():
    row = shared(0, 0, 1)
    packed = Packed(torch.tensor([[5, 1, 1]]), torch.tensor([[0, 1, 0]]), row)
    assert drawn(Visibility.within(packed, causal=True), 3, 3) == ["x..", "xx.", "..x"]
