"""Attention, shared by all models and aware of none.

scores.py                   score functions: additive, dot, general, ...
alignment.py                alignment functions: soft, hard, local, diagonal, sigmoid
sparse_alignment.py         alignment functions with zeros: top-k, sparsemax
policy_gradient.py          learning a choice from the reward alone (REINFORCE)
reinforced_alignment.py     alignment functions that draw: one position, or a subset
alignment_catalogue.py      every alignment function by name
single_query.py             a score and an alignment as one attention
learned_query.py            attention with a learned query
multi_dimensional.py        a weight for each item and each feature
multi_representational.py   several representations of an item, mixed by attention
co_attention.py             two inputs that attend to each other
rotatory.py                 a phrase and what stands left and right of it
hierarchical.py             words, sentences, documents; attention-via-attention
capsule.py                  an attention for each class
two_cursors.py              a cursor in each sentence, by dynamic programming
window.py                   attention over the last few positions
masks.py                    which keys a query may see
head_scores.py              a score of its own for each head
attend.py                   scaled dot-product attention: explicit, fused, windowed and packed
packed_cpu.py               scaled dot-product attention on a CPU for packed batches
packed_cpu_fast.py          the same by a compiled operation
projection.py               linear maps, several as one product
multihead.py                multi-head attention
cache.py                    the cache of keys and values in a beam search
recording.py                recording attention weights and tracing all that modules compute
altering.py                 running a model with other attention weights
"""
