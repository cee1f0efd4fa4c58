"""The same comparison on a CUDA machine, with the peers that are installed there.

__main__.py         the command line
workload.py         what is trained on and what is decoded
training.py         who trains, each as its users would
language_model.py   who trains a decoder alone
decoding.py         who decodes, each as its users would
sustained.py        saccade's real training loop, for minutes
roofline.py         the matrix products alone
worker.py           one implementation in its own process
tables.py           results as Markdown
"""
