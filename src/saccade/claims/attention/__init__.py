"""Claims about attention, one file each.

In reading order:

    a1_softmax.py                 A1: softmax makes weights of scores
    a2_scaling.py                 A2: scaling by the root of the key width
    a3_large_scores.py            A3: large scores and e^x
    a4_long_sentences.py          A4: long sentences and one vector
    a5_alignment.py               A5: attention finds the alignment
    a6_equal_shares.py            A6: equal shares without attention
    a7_a_or_an.py                 A7: “a” or “an”
    a8_it.py                      A8: what “it” stands for
    a9_two_senses.py              A9: a word with two senses
    a10_umbrella.py               A10: rain, umbrella and although
    a11_content_words.py          A11: content words
    a12_one_word.py               A12 and A43: one word says it all, and weights and importance
    a13_similar_keys.py           A13: confusing similar keys
    a14_weights_from_data.py      A14: weights made from the data
    a15_attention_is_not_free.py  A15: attention and complexity
    a16_unlimited_context.py      A16: unlimited context
    a17_pictures_and_sound.py     A17: pictures and sound
    a18_diagonal.py               A18: looking straight across
    a19_both_directions.py        A19: reading in both directions
    a20_reading_less.py           A20: looking only at what matters
    a21_interpolation.py          A21: attention interpolates
    a22_which_state_asks.py       A22: which state asks
    a23_soft_hard_local.py        A23: soft, hard and local attention
    a24_reinforced.py             A24: reward or gradient
    a25_sparse_weights.py         A25: weights with zeros
    a26_counting.py               A26: weights that count
    a27_features.py               A27: a weight for each feature
    a28_co_attention.py           A28: two inputs that attend to each other
    a29_levels.py                 A29: words, sentences, documents
    a30_rotatory.py               A30: a phrase, what surrounds it, and back
    a31_capsules.py               A31: an attention for each class
    a32_representations.py        A32: several vectors of one word
    a33_two_cursors.py            A33: two cursors
    a34_via_attention.py          A34: attention via attention
    a35_unknown_words.py          A35: unknown words through attention
    a40_hops.py                   A40: looking several times
    a41_glimpses.py               A41: glimpses
    a42_sound.py                  A42: attention over sound
    a44_scale_in_training.py      A44: learning without the scale
    a45_where_keys_come_from.py   A45: where keys come from
    a46_real_classifier.py        A46: one word in real text; A47: weights and importance there
"""
