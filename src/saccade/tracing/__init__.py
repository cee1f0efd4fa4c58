"""Tracing: one sentence through a model, with every intermediate tensor, as the document `explore-trace/1`.

In reading order:

    trace.py               makes the document
    options.py             what to trace: search settings, forced target, what-if change, which tensors
    traceable.py           what a trace needs to know of a saved model
    schema.py              the shape of the document; schema.json is generated from it
    forward_passes.py      runs encoder, decoder and step-by-step decoding, and collects what each module recorded
    blocks.py              attention blocks and feed-forward layers of the document
    head_statistics.py     entropy, distance and similar numbers of each attention head
    recurrent_states.py    states and gates of recurrent layers, windows of convolutions
    encoder_output.py      what the encoder hands to the decoder: a list of states, one vector, or nothing
    outputs.py             probabilities and best candidates of every decoding step
    beam_tree.py           a beam search that keeps every candidate it considered
    constituents.py        the tree that a parser wrote, with the steps that wrote it
    influence.py           gradient and occlusion: which source tokens mattered for which target token
    word_order.py          encoder states of a shuffled sentence, with and without positions
    what_if.py             the same sentence through a changed copy of the model
    modified_attention.py  the attention modules that a what-if change puts into the copy
    invariants.py          checks that a document agrees with itself
    axes.py                tokens and words along the axes of a matrix
    tensors.py             tensors as JSON
    model_description.py   name, paper, sizes and parameter counts of the traced model
"""
