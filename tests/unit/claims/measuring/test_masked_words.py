import torch

from saccade.claims.measuring.masked_words import learn_to_fill_in, looks
from saccade.claims.measuring.toy_networks import Answering, AttentiveReader

WIDTH, LAYERS, HEADS, MASK = 8, 3, 2, 6


def network():
    torch.manual_seed(5)
    return Answering(AttentiveReader(MASK + 1, WIDTH, layers=LAYERS, heads=HEADS), WIDTH, MASK + 1)


def test_looks_are_those_of_one_place_in_every_head_of_every_layer():
    tokens = torch.tensor([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [0, 1, 0, 1, 0]])
    reader = network()
    weights = looks(reader, tokens, 2)
    assert weights.shape == (3, LAYERS, HEADS, 5)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(3, LAYERS, HEADS))
    assert not torch.equal(weights, looks(reader, tokens, 3))


def test_only_the_places_named_are_hidden_and_the_words_drawn_stay_as_they_are():
    reader = network()
    drawn, read = [], []
    reader.register_forward_pre_hook(lambda _, arguments: read.append(arguments[0].clone()))

    def draw():
        drawn.append(torch.arange(5).repeat(37, 1))
        return drawn[-1]

    learn_to_fill_in(reader, draw, (1, 4), MASK, torch.Generator().manual_seed(3), 2, lambda _: None)
    for words, seen in zip(drawn, read, strict=True):
        assert torch.equal(words, torch.arange(5).repeat(37, 1))
        hidden = seen == MASK
        assert (hidden.sum(dim=1) == 1).all()
        assert hidden.any(dim=0).tolist() == [False, True, False, False, True]


def test_a_word_that_is_always_the_same_is_learned():
    reader = network()
    words = torch.tensor([[1, 2, 3]]).repeat(7, 1)
    learn_to_fill_in(reader, lambda: words, (0, 2), MASK, torch.Generator().manual_seed(3), 60, lambda _: None)
    hidden = words.clone()
    hidden[:, 2] = MASK
    assert (reader(hidden)[:, 2].argmax(dim=-1) == 3).all()
