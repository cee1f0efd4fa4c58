"""What the experiments of several claims share: toy networks, their training, and measurements.

In reading order:

    toy_networks.py       small attentive, recurrent and convolutional networks, and attention with given scores
    toy_training.py       training of toy networks and of small translating models
    comparison.py         whether two things differ by more than a margin and three standard errors
    variants.py           several networks taught one task, or every one of several
    trained_arms.py       whole systems, trained by saccade's own training
    silenced_heads.py     a network without one of its heads
    real_data.py          handwritten digits and spoken vowels
    masked_words.py       masked language modelling on toy sentences
    operation_counts.py   multiply-adds, chains of dependent operations, and time
    kept_memory.py        bytes that are kept for the backward pass
    gradients.py          which inputs an output depends on, and how gradients fade over many steps
    curve_fitting.py      lines, power laws and rank correlations
    plots.py              points of every seed, and ticks of a logarithmic axis
"""
