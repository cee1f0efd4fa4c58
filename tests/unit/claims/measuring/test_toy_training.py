"""What the claims about translating systems measure with, against loops over words."""

import torch

from saccade.claims.attention.a6_equal_shares import LENGTH, contributions
from saccade.claims.measuring.toy_training import pairs, words_right
from saccade.models.rnnsearch import RNNsearch, RNNsearchConfig
from saccade.special_tokens import EOS

LINES = [[4, 7, 5], [6], [5, 5, 4, 7, 6]]


def doubled(line):
    return [word for word in line for _ in range(2)]


def small(**choices):
    torch.manual_seed(3)
    return RNNsearch(RNNsearchConfig(width=7, deviation=0.5, **choices), 11, 13)


def test_sentences_and_translations_end_in_eos_and_keep_their_lengths():
    source, target = pairs(LINES, doubled)
    assert source.lengths.tolist() == [4, 2, 6]
    assert target.lengths.tolist() == [7, 3, 11]
    assert target.tokens[1, :3].tolist() == [6, 6, EOS]


def test_words_right_counts_words_and_neither_padding_nor_the_end():
    model = small()
    source, target = pairs(LINES, doubled)
    with torch.no_grad():
        scores = model.decode(target.reads, model.encode(source))
    right, words = 0, 0
    for row, line in enumerate(LINES):
        for place, word in enumerate(doubled(line)):
            right += int(scores[row, place].argmax()) == word
            words += 1
    assert words_right(model, (source, target)) == right / words


def test_contributions_are_what_a_small_push_of_a_word_vector_does():
    model = small().double()
    source, target = pairs([[4, 7, 5, 6, 4], [6, 8, 9, 4, 10]], lambda line: [word + 1 for word in line])
    found = contributions(model, (source, target))
    assert found.shape == (2, LENGTH, LENGTH)

    words = model.source_embedding(source.tokens).detach()
    push = 1e-6

    def scores(vectors):
        handle = model.source_embedding.register_forward_hook(lambda *_: vectors)
        with torch.no_grad():
            logits = model.decode(target.reads, model.encode(source))
        handle.remove()
        return logits.gather(2, target.tokens.unsqueeze(-1)).squeeze(-1)[:, :LENGTH]

    still = scores(words)
    squares = torch.zeros(2, LENGTH, LENGTH, dtype=torch.float64)
    for place in range(LENGTH):
        for number in range(words.shape[-1]):
            pushed = words.clone()
            pushed[:, place, number] += push
            squares[:, :, place] += ((scores(pushed) - still) / push).square()
    norms = squares.sqrt()
    torch.testing.assert_close(found, norms / norms.sum(dim=-1, keepdim=True), atol=1e-5, rtol=1e-4)
