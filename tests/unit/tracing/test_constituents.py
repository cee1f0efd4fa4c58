from saccade.tracing.constituents import constituents

PIECES = ["▁(S", "▁(NP", "▁DT", "▁NN", "▁)NP", "▁VB", "▁)S", "</s>"]


def test_a_bracket_knows_the_steps_that_wrote_it_and_its_words():
    assert constituents(PIECES, ["the", "cell", "divides"]) == {
        "words": ["the", "cell", "divides"],
        "brackets": [
            {"label": "S", "open": 0, "close": 6, "start": 0, "end": 3},
            {"label": "NP", "open": 1, "close": 4, "start": 0, "end": 2},
        ],
        "leaves": [{"tag": "DT", "step": 2}, {"tag": "NN", "step": 3}, {"tag": "VB", "step": 5}],
    }


def test_pieces_that_write_no_tree_over_the_words_have_none():
    assert constituents(PIECES, ["the", "cell"]) is None
    assert constituents(PIECES[1:], ["the", "cell", "divides"]) is None
