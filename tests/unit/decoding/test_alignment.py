import pytest
import torch

from saccade.decoding.alignment import alignments, links
from saccade.decoding.beam import BeamConfig, beam_search
from saccade.sequences import EOS, Sequences

SOURCE = Sequences.of([[4, 5, 6, EOS], [7, EOS]])


def test_every_output_token_shares_one_unit_of_attention_among_the_real_source(tiny):
    model = tiny(1)
    best = [found[0] for found in beam_search(model, SOURCE, BeamConfig(extra_length=3))]
    for length, hypothesis, weights in zip((4, 2), best, alignments(model, SOURCE, best), strict=True):
        assert weights.shape == (len(hypothesis.tokens), length)
        torch.testing.assert_close(weights.sum(1), torch.ones_like(weights[:, 0]))


def test_alignments_of_nothing_are_none(tiny):
    assert alignments(tiny(1), Sequences.of([]), []) == []


def test_links_go_where_each_token_looked_most():
    weights = torch.tensor([[0.1, 0.7, 0.2], [0.4, 0.3, 0.3]])
    assert links(weights) == [(1, 0), (0, 1)]


def test_of_equal_weights_the_first_is_linked():
    assert links(torch.tensor([[0.2, 0.4, 0.4]])) == [(1, 0)]


@pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
def test_nothing_has_no_links(shape):
    assert links(torch.zeros(shape)) == []
