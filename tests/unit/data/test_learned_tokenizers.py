from saccade.data.learned_tokenizers import automatic_vocabulary


def test_a_larger_corpus_gets_no_smaller_vocabulary():
    sizes = [automatic_vocabulary(pairs) for pairs in (10, 29_000, 136_000, 380_000, 2_000_000, 4_500_000)]
    assert sizes == [4_000, 8_000, 8_000, 16_000, 32_000, 37_000]
