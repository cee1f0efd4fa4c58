"""Measurements beside what a user would pick instead; results with date, machine and command: docs/benchmarks.md.

    python -m bench          this machine's processor, every peer in its own environment: __main__.py
    python -m bench.gpu      a CUDA machine, the peers that are there: gpu/__main__.py

The rules: everybody gets the same sentences in the same batches, in turns, so that noise hits all alike. Only real
tokens count. Beside every time stands the floor, the model's matrix products alone at the same shapes, measured in the
same turns. A ratio is the median of ratios of the same piece of work, with its quartiles. Who cannot be measured is a
row with the reason. The adapters call the libraries and hold nothing of theirs.
"""
