from hypothesis import given
from hypothesis import strategies as st

from saccade.evaluation.confusion_matrix import MOST_COLUMNS, ConfusionMatrix

PAIRS = st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("bcdef")), min_size=1, max_size=40)


def test_rows_are_what_is_right_and_columns_what_was_given():
    table = ConfusionMatrix.of(["de", "en", "de", "de"], ["de", "de", "en", "de"])
    assert table.labels == ("de", "en")
    assert table.counts == ((2, 1), (1, 0))


@given(PAIRS)
def test_every_text_is_counted_once_and_right_ones_on_the_diagonal(pairs):
    outputs, references = zip(*pairs, strict=True)
    table = ConfusionMatrix.of(outputs, references)
    assert sum(map(sum, table.counts)) == len(pairs)
    assert sum(table.counts[n][n] for n in range(len(table.labels))) == sum(one == other for one, other in pairs)


def test_recall_is_of_the_texts_and_precision_of_the_answers():
    table = ConfusionMatrix.of(["a", "a", "a", "b", "b"], ["a", "b", "b", "b", "c"])
    assert [table.recall(n) for n in range(3)] == [100, 100 / 3, 0]
    assert [table.precision(n) for n in range(3)] == [100 / 3, 50, 100]


def test_a_table_of_many_labels_leaves_out_who_was_taken_for_whom():
    labels = [f"label-{number:02}" for number in range(MOST_COLUMNS + 1)]
    assert ConfusionMatrix.of(labels, labels).rows()[0] == ["label", "of", "recall", "precision"]
    assert "as label-03" in ConfusionMatrix.of(labels[:-1], labels[:-1]).rows()[0]
