"""Claims about the Transformer, one file each.

In reading order:

    t1_order.py                T1: order without positions
    t2_sinusoids.py            T2: sinusoidal positions
    t3_learned_positions.py    T3: learned positions or sinusoids
    t4_several_heads.py        T4: several heads, several relations
    t5_cost_of_heads.py        T5: the cost of many heads
    t7_residuals.py            T7: residual connections and depth
    t8_corrections.py          T8: layers as corrections
    t9_batch_norm.py           T9: layer norm, not batch norm
    t10_stable_activations.py  T10: layer norm and stable activations
    t11_causal_mask.py         T11: the causal mask
    t12_feedforward.py         T12: what the feed-forward network is for
    t13_embedding_scale.py     T13: the factor on embeddings
    t14_parallel.py            T14: fully parallel
    t15_table_1.py             T15: Table 1: complexity, sequential steps, path length
    t16_long_sequences.py      T16: time and memory of long sequences
    t17_quadratic.py           T17: where the square begins to hurt
    t18_restricted.py          T18: restricted attention
    t19_kinds_of_state.py      T19: a list, a vector, or weights
    t20_data.py                T20: self-attention and the amount of data
    t21_short_paths.py         T21: short paths
    t22_constant_distance.py   T22: equally near to every word
    t23_table_3.py             T23: what the base model needs
    t24_parsing.py             T24: parsing with few trees and with many
    t25_filter.py              T25: attention as a filter
    t26_attention_alone.py     T26: attention alone
    t27_tying.py               T27: one matrix for three
    t40_depth.py               T40: depth and residual connections
    t41_other_waves.py         T41: Marian's waves and Hugging Face's
"""
