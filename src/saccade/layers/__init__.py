"""The layers that models are built from.

initialisation.py           how parameters begin, and how to skip it
embedding.py                tokens to vectors and back, with positions added
position.py                 sinusoidal and learned positions
feedforward.py              the position-wise feed-forward network
residual.py                 residual connections: post-norm, pre-norm and without a norm
lstm.py                     the LSTM cell
rnn.py                      stacks of torch's RNN, LSTM and GRU
rnn_fast.py                 their fast twin for training on a GPU, layer by layer
rnn_stepwise.py             the same LSTM stack one position at a time, for input feeding
cells.py                    recurrent cells as their papers define them
cells_fast.py               the fast twin of cells.py, with its gradient written by hand
attentive_cell.py           a cell that attends before each position
attentive_cell_fast.py      its fast twin
reversal.py                 reading rows backwards, and finding their ends
tf32.py                     full float32 precision from cuDNN
maxout.py                   the maxout output layer
biased_projection.py        output layers with a bias as one product
aligned_projection.py       the output layer of a search on a GPU
lstmn_tape.py               the layers of an LSTMN, with memory tapes
lstmn_tape_fast.py          their fast twin
convolution.py              gated and short convolutions over positions
convolution_fast.py         a gated convolution with its residual sum by the kernels of a GPU
weight_normalisation.py     linear maps with normalised rows
variance.py                 scaling that keeps variances in ConvS2S
convs2s_stacks.py           the encoder and the decoder of ConvS2S
ngram_convolutions.py       the sentence and n-gram models of RCTM
memory_hop.py               one hop of a memory network: a look at the memory
question_memory.py          a memory network that answers a question about a story
glimpses.py                 recurrent visual attention: a picture read in a few glimpses
adapters.py                 low-rank adapters of linear maps, for fine-tuning
ttt_linear.py               a layer whose state is a model that is trained while it reads
vaswani_table_1.py          one layer of each row of Table 1, to count and to time
"""
