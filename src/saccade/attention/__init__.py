"""Attention, shared by all models and aware of none.

scores.py          score functions: additive, dot, general, ...
alignment.py       alignment functions: soft, hard, local, diagonal
single_query.py    a score and an alignment as one attention
window.py          attention over the last few positions
masks.py           which keys a query may see
attend.py          scaled dot-product attention: explicit, fused, windowed and packed
packed_cpu.py      scaled dot-product attention on a CPU for packed batches
projection.py      linear maps, several as one product
multihead.py       multi-head attention
cache.py           the cache of keys and values in a beam search
recording.py       recording attention weights and tracing all that modules compute
"""
