"""Claims about recurrent networks, one file each.

In reading order:

    r1_vanishing_gradient.py  R1: vanishing and exploding gradients
    r2_how_long.py            R2: how long a network remembers
    r3_gates.py               R3: gates against vanishing gradients
    r4_memory_decays.py       R4: memory decays with distance
    r5_fixed_vector.py        R5: what a fixed vector holds
    r6_no_parallel_time.py    R6: recurrence cannot be parallelised over time
    r7_cost_per_token.py      R7: the cost of the next token
    r8_shared_weights.py      R8: shared weights
    r9_training_memory.py     R9: memory for training
    r10_errors_accumulate.py  R10: errors accumulate
    r11_ngrams.py             R11: what n-grams cannot see
    r12_constraints.py        R12: constraints that help
    r13_training_at_once.py   R13: autoregression and serial training
    r14_own_mistakes.py       R14: learning from one's own mistakes
    r15_lengths.py            R15: outputs of another length
"""
