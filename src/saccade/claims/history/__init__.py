"""Claims of the papers between 2013 and 2017 about their own systems, one file each. All of them train whole systems.

In reading order:

    caption_training.py      how systems that translate captions are trained
    h1_shuffled_source.py    H1: a shuffled source
    h2_rescoring.py          H2: an RNN encoder-decoder as one more score
    h3_backwards.py          H3: reading the source backwards
    h4_length.py             H4: length and attention
    h5_luong.py              H5: feeding, scores and windows
    h7_lstmn.py              H7: an LSTM that reads its own past
    h8_key_value_predict.py  H8: keys, values and predictions
    h9_penalty.py            H9: hops that look at different words
    h10_every_layer.py       H10: attention in every layer
    h11_timeline.py          H11: the systems of 2013 to 2017 side by side

H6, depth and residual connections, is T40 among the claims about the Transformer.
"""
