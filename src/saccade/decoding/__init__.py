"""Search and sampling over any model: beam search, n-best lists, sampling, ensembles, forced decoding, required terms.

beam.py               beam search to read: n-best, length penalty, coverage penalty, forced prefix
ranking.py            which of two candidates is better, and how ties are broken
length_penalty.py     GNMT's length penalty and coverage penalty
constraints.py        length limits, forbidden tokens, forced prefixes; what rules for outputs must do
ngram_blocking.py     what an output must not contain: repetitions, given words, an end too early or too late
tree_constraint.py    the rules by which an output is a well-formed tree, to read
tree_constraint_fast.py  their fast twin, for all hypotheses of a batch at once
tree_outputs.py       what a parser writes: rules for its search, symbols to text and back
terms.py              terms that an output must contain, and the automaton that follows an output
term_forms.py         words and stems to the tokens that an output must contain
constrained_beam.py   beam search for outputs with given terms, to read
hypothesis.py         one output with its log-probabilities and score
beam_fast.py          the fast twin of beam.py, with the same results
beam_candidates.py    its candidate selection without sorting the vocabulary
beam_backtrace.py     its backpointers, from which the outputs are read at the end
beam_cuda_graph.py    the fast search on a GPU, with its steps captured in CUDA graphs
graph_memory.py       the memory that all of these share
terms_fast.py         the automata of a batch as tables
constrained_beam_fast.py  the fast twin of constrained_beam.py, with the same results
searcher.py           a copy of a model prepared for search on a CPU or a GPU
sampling.py           sampling with temperature, top-k and top-p; greedy decoding
sampling_fast.py      its fast twin, with the same outputs
ensemble.py           several models averaged into one
scoring.py            forced decoding: the log-probability of given outputs
"""
