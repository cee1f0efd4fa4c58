"""Claims about convolutional networks, one file each.

In reading order:

    c1_receptive_field.py    C1: the receptive field of convolutions
    c2_depth.py              C2: far words through many layers
    c3_relative_position.py  C3: relative, not absolute, position
    c4_parallel.py           C4: convolutions train in parallel
"""
