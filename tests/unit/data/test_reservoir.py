import random
from collections import Counter

from saccade.data.reservoir import reservoir


def test_few_items_are_all_taken_in_order():
    assert reservoir(iter("abc"), 5, random.Random(1)) == ["a", "b", "c"]


def test_each_item_is_as_likely_as_the_others():
    generator = random.Random(1)
    counts = Counter(item for _ in range(7000) for item in reservoir(range(7), 3, generator))
    assert counts.total() == 3 * 7000
    assert all(abs(counts[item] - 3000) < 200 for item in range(7))
