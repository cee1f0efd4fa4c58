"""Spans are put into a text, and into its words, in the place of what was written for them."""

import pytest
import torch

from saccade.serving.restored_spans import restore, restore_words, restored_words
from saccade.serving.source_lines import Restored
from saccade.serving.word_alignment import WordAlignment


@pytest.mark.parametrize(
    ("text", "restored", "expected"),
    [
        ("Ve a Boston, y Boston.", [Restored("Boston", "a.org")], "Ve a a.org, y a.org."),
        ("aquí Boston más", [Restored("Boston", "<0>", joined_after=True)], "aquí <0>más"),
        ("Hola amigo.", [Restored("", "😀", share=2.0)], "Hola amigo. 😀"),
        ("Hola amigo.", [Restored("", "7", share=1.0)], "Hola amigo 7."),
        ("uno dos tres cuatro", [Restored("", "5", share=0.5)], "uno dos 5 tres cuatro"),
        ("", [Restored("", "5", share=1.0)], "5"),
        ("12 km", [Restored("12 km", "12\u00a0km")], "12\u00a0km"),
    ],
)
def test_spans_are_restored_in_place(text, restored, expected):
    assert restore(text, restored) == expected


def test_words_that_become_one_are_one_word_with_the_links_of_both():
    weights = torch.tensor([[0.7, 0.3], [0.2, 0.8], [0.6, 0.4], [0.1, 0.9]])
    alignment = WordAlignment(("43%", "up"), ("sube", "(43", "%)", "ya"), ((1, 0), (0, 1), (0, 2), (1, 3)), weights)
    found = restore_words(alignment, [Restored("43", "3"), Restored("3 %", "3%")])
    assert found.source_words == ("3%", "up")
    assert found.target_words == ("sube", "(3%)", "ya")
    assert found.links == ((1, 0), (0, 1), (1, 2))
    assert torch.allclose(found.weights, torch.tensor([[0.7, 0.3], [0.4, 0.6], [0.1, 0.9]]))


def test_words_are_those_of_the_text():
    words = ["de", "1", "500", "a", "5", "€", "en", "Boston"]
    restored = [Restored("1 500", "1,500"), Restored("5 €", "€ 5"), Restored("Boston", "a.org")]
    made = restored_words(words, restored)
    assert [word for word, _ in made] == restore(" ".join(words), restored).split()
    assert [places for _, places in made] == [(0,), (1, 2), (3,), (4,), (5,), (6,), (7,)]
