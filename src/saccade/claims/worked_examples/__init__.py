"""Worked examples from textbooks and lectures, computed, one file each.

In reading order:

    w1_cafeteria.py         W1: the cafeteria
    w2_causal_rows.py       W2: causal rows
    w3_attention_filter.py  W3: an attention filter of integers
    w4_generation_loop.py   W4: the generation loop
    w5_similarities.py      W5: cosine and scaled dot product
    w6_five_questions.py    W6: five questions
"""
