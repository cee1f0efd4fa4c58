"""The n-gram model against one that is made of dictionaries, written from the equations."""

import math
from collections import Counter, defaultdict

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import ConfigError
from saccade.models.ngram import NGram, NGramConfig
from saccade.sequences import Pairs, Sequences
from saccade.special_tokens import BOS, EOS, PAD

VOCABULARY = 11
Sentence = list[int]


def counted(order: int, batches: list[list[Sentence]], vocabulary: int = VOCABULARY) -> NGram:
    model = NGram(NGramConfig(order=order), vocabulary, vocabulary).eval()
    for sentences in batches:
        target = Sequences.of([[*sentence, EOS] for sentence in sentences])
        model.count(Pairs(Sequences.of([[EOS]] * len(sentences)), target))
    model.finish_counting()
    return model


class Dictionaries:
    """Interpolated Kneser-Ney, one n-gram at a time."""

    def __init__(self, order: int, sentences: list[Sentence], vocabulary: int = VOCABULARY) -> None:
        self.order, self.vocabulary = order, vocabulary
        occurrences, before = Counter(), defaultdict(set)
        for sentence in sentences:
            words = [BOS, *sentence, EOS]
            for end in range(1, len(words)):
                for length in range(1, min(order, end + 1) + 1):
                    gram = tuple(words[end - length + 1 : end + 1])
                    occurrences[gram] += 1
                    if end - length >= 0:
                        before[gram].add(words[end - length])
        self.counts = {
            gram: often if len(gram) == order or gram[0] == BOS else len(before[gram])
            for gram, often in occurrences.items()
        }
        self.after = defaultdict(dict)
        for gram, count in self.counts.items():
            self.after[gram[:-1]][gram[-1]] = count

    def discount(self, length: int) -> float:
        of_this_length = Counter(count for gram, count in self.counts.items() if len(gram) == length)
        once, twice = of_this_length[1], of_this_length[2]
        return once / (once + 2 * twice) if once and twice else 0.5

    def probability(self, word: int, history: tuple[int, ...]) -> float:
        if history:
            lower = self.probability(word, history[1:])
        else:
            lower = 0.0 if word in (PAD, BOS) else 1 / (self.vocabulary - 2)
        after = self.after.get(history)
        if not after:
            return lower
        discount, total = self.discount(len(history) + 1), sum(after.values())
        return max(after.get(word, 0) - discount, 0) / total + discount * len(after) / total * lower


SENTENCES = [[4, 5, 6], [4, 5, 7, 5, 6], [8], [4, 5, 6, 6, 6, 6], [], [9, 4, 5], [4, 5, 6]]
words = st.integers(2, VOCABULARY - 1).filter(lambda word: word != BOS)
corpora = st.lists(st.lists(words, max_size=9), max_size=9)


def distribution(model: NGram, read: Sentence) -> torch.Tensor:
    """P(. | BOS and what was read)."""
    reads = Sequences.of([[BOS, *read]])
    return model.decode(reads, model.encode(Sequences.of([[EOS]])))[0, -1].exp()


@settings(max_examples=60, deadline=None)
@given(corpus=corpora, read=st.lists(words, max_size=6), order=st.integers(1, 5))
def test_every_probability_is_that_of_the_equations(corpus, read, order):
    model, plain = counted(order, [corpus] if corpus else []), Dictionaries(order, corpus)
    history = tuple([BOS, *read][max(0, len(read) + 2 - order) :]) if order > 1 else ()
    expected = [plain.probability(word, history) for word in range(VOCABULARY)]
    found = distribution(model, read)
    torch.testing.assert_close(found, torch.tensor(expected), rtol=1e-5, atol=1e-7)
    assert found.sum().item() == pytest.approx(1, abs=1e-5)


def test_a_history_that_was_seen_gives_the_numbers_one_gets_by_hand():
    """Bigrams (4 5) x 3, (4 6): c(4) = 4, N(4) = 2. Different words before 5: 1; 6: 2; 4: 1; EOS: 2; of 6."""
    model = counted(2, [[[4, 5], [4, 5]], [[4, 5], [4, 6], [6]]])
    counts = {"BOS 4": 4, "BOS 6": 1, "4 5": 3, "4 6": 1, "5 EOS": 3, "6 EOS": 2}
    once, twice = (list(counts.values()).count(often) for often in (1, 2))
    assert model.once_and_twice.tolist() == [[2, 2], [once, twice]]
    discount_1, discount_2 = 2 / (2 + 2 * 2), once / (once + 2 * twice)
    unigram_5 = (1 - discount_1) / 6 + discount_1 * 4 / 6 / (VOCABULARY - 2)
    assert distribution(model, [4])[5].item() == pytest.approx((3 - discount_2) / 4 + discount_2 * 2 / 4 * unigram_5)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_how_sentences_are_cut_into_batches_changes_nothing(order):
    whole, parts = counted(order, [SENTENCES]), counted(order, [SENTENCES[:2], SENTENCES[2:3], SENTENCES[3:]])
    for name, tensor in whole.state_dict().items():
        assert torch.equal(tensor, parts.state_dict()[name]), name


def test_a_model_that_counted_nothing_thinks_everything_equally_probable():
    found = distribution(counted(3, []), [4, 5])
    assert found[[PAD, BOS]].tolist() == [0.0, 0.0]
    assert found[EOS].item() == found[7].item() == pytest.approx(1 / (VOCABULARY - 2))


def test_counting_again_begins_anew():
    model = counted(3, [SENTENCES])
    model.count(Pairs(Sequences.of([[EOS]]), Sequences.of([[8, 8, EOS]])))
    model.finish_counting()
    assert torch.equal(distribution(model, [8]), distribution(counted(3, [[[8, 8]]]), [8]))


def test_tables_of_any_size_can_be_put_into_a_new_model():
    old, new = counted(4, [SENTENCES]), NGram(NGramConfig(order=4), VOCABULARY, VOCABULARY)
    new.allocate_tables({name: tensor.shape for name, tensor in old.state_dict().items()})
    new.load_state_dict(old.state_dict())
    assert torch.equal(distribution(new, [4, 5]), distribution(old, [4, 5]))


def test_a_model_in_lower_precision_knows_the_same_words():
    model = counted(3, [[[300, 301], [300, 257, 301]]], vocabulary=307)
    expected = distribution(model, [300])
    assert torch.equal(distribution(model.to(torch.bfloat16), [300]), expected)


def test_more_words_are_as_many_tables_as_different_histories():
    model = counted(3, [SENTENCES])
    reads = [[BOS, *sentence] for sentence in SENTENCES]
    histories = {tuple(read[:end][-2:]) for read in reads for end in range(2, len(read) + 1)}
    assert len(model.history_3) == len(histories)
    assert len(model.total_3) == len(histories)


@settings(max_examples=30, deadline=None)
@given(corpus=corpora, order=st.integers(1, 4), data=st.data())
def test_looking_for_every_word_finds_what_the_lists_hold(corpus, order, data):
    model = counted(order, [corpus])
    for m in range(1, order + 1):
        first = model.get_buffer(f"first_{m}")
        if len(first) == 1 or not len(model.get_buffer(f"gram_{m}")):
            continue
        numbers = torch.tensor(data.draw(st.lists(st.integers(0, len(first) - 2), min_size=1, max_size=5)))
        different = first[numbers + 1] - first[numbers]
        different[0] = data.draw(st.sampled_from([0, int(different[0])]))  # not known, or known
        arguments = m, numbers, different, torch.tensor(0.625)
        assert torch.equal(model._sought(*arguments), model._listed(*arguments))


def test_perplexity_of_what_was_counted_is_lower_at_a_higher_order():
    def loss(order):
        model = counted(order, [SENTENCES])
        target = Sequences.of([[*sentence, EOS] for sentence in SENTENCES])
        scores = model.decode(target.reads, model.encode(target)).log_softmax(-1)
        return -scores.gather(-1, target.tokens.unsqueeze(-1))[target.mask].mean().item()

    assert loss(1) > loss(2) > loss(3)
    assert loss(1) < math.log(VOCABULARY)


@pytest.mark.parametrize("order", [0, -3])
def test_an_order_below_one_is_refused(order):
    with pytest.raises(ConfigError, match=f"`order` must be at least 1, but is {order}"):
        NGramConfig(order=order)
