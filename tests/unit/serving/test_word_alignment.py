import torch
from hypothesis import given
from hypothesis import strategies as st

from saccade.serving.word_alignment import WordAlignment, links, word_alignment, word_weights


def align_words(weights, source_words, target_words):
    return links(word_weights(weights, source_words, target_words))


def test_a_source_word_collects_the_weight_of_all_its_pieces():
    # The strongest single piece is the second word's; the first word has more in two pieces together.
    weights = torch.tensor([[0.3, 0.3, 0.4]])
    assert align_words(weights, [[0, 1], [2]], [[0]]) == ((0, 0),)


def test_a_target_word_is_the_mean_of_its_pieces():
    # One piece looks hard at word 0, two look a little harder at word 1.
    weights = torch.tensor([[0.9, 0.1], [0.2, 0.8], [0.2, 0.8]])
    assert align_words(weights, [[0], [1]], [[0, 1, 2]]) == ((1, 0),)
    assert align_words(weights, [[0], [1]], [[0], [1, 2]]) == ((0, 0), (1, 1))


def test_the_column_of_eos_is_no_word():
    weights = torch.tensor([[0.1, 0.2, 0.7]])
    assert align_words(weights, [[0], [1]], [[0]]) == ((1, 0),)


def test_nothing_aligns_with_nothing():
    assert align_words(torch.zeros(3, 5), [], [[0]]) == ()
    assert align_words(torch.zeros(3, 5), [[0]], []) == ()


def test_links_read_as_alignment_tools_write_them():
    assert WordAlignment(("a", "b", "c"), ("x", "y"), ((0, 0), (2, 1))).pharaoh == "0-0 2-1"


@given(
    source=st.lists(st.sampled_from(["men", "talk", "football", "🙂", "中文"]), min_size=1, max_size=5),
    target=st.lists(st.sampled_from(["street", "dog", "العربية", "naïve"]), min_size=1, max_size=5),
)
def test_words_are_those_of_the_text_and_every_target_word_has_one_link(tokenizer, source, target):
    sources, targets = (tokenizer.encode([" ".join(words)])[0] for words in (source, target))
    weights = torch.rand(len(targets) + 1, len(sources) + 1, generator=torch.Generator().manual_seed(len(source)))
    alignment = word_alignment(weights, sources, [*targets, 1], tokenizer, tokenizer)
    assert alignment.source_words == tuple(source)
    assert alignment.target_words == tuple(target)
    assert [target for _, target in alignment.links] == list(range(len(target)))
