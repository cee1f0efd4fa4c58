"""Claims about convolutional networks, one file each.

In reading order:

    c1_receptive_field.py    C1: the receptive field of convolutions
    c3_relative_position.py  C3: relative, not absolute, position
"""
