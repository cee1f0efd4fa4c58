"""The models: one file for each system of the lineage, in the order of their papers, and the contract they all meet.

contract.py                 what is required of every model: encode, states, logits, start, step
capabilities.py             what only some can do: packed batches, a linear output, a penalty, counting
language_model.py           the contract with nothing to encode
classifier.py               the contract with a single label to write
transformer_stacks.py       the sizes and stacks of all Transformers
checks.py                   what configurations require of their fields
catalogue.py                every architecture by name, with its paper
ngram.py                    n-grams with Kneser-Ney smoothing: Chen and Goodman 1999
neural_probabilistic.py     a feed-forward language model: Bengio et al. 2003
rnn_language_model.py       a recurrent language model: Mikolov et al. 2010
rctm.py                     recurrent continuous translation models: Kalchbrenner and Blunsom 2013
rnn_encoder_decoder.py      the RNN encoder-decoder with GRUs: Cho et al. 2014
seq2seq.py                  two deep LSTMs: Sutskever et al. 2014
rnnsearch.py                attention before each word: Bahdanau et al. 2015
luong.py                    attention after the recurrence, global and local: Luong et al. 2015
memory_network.py           end-to-end memory networks: Sukhbaatar et al. 2015
lstmn.py                    LSTMs with memory tapes, as encoder and decoder: Cheng et al. 2016
lstmn_language_model.py     the same as a language model
convs2s.py                  convolutional sequence to sequence: Gehring et al. 2017
key_value_predict.py        attention over a model's own outputs: Daniluk et al. 2017
self_attentive.py           a structured sentence embedding: Lin et al. 2017
transformer.py              the Transformer: Vaswani et al. 2017
transformer_fast.py         its encoder and a step of its decoder as one call each, on a CPU
transformer_classifier.py   its encoder as a classifier
transformer_language_model.py   its decoder as a language model: Liu et al. 2018
state_language_model.py     attention, LSTM or TTT as the state of one model: Sun et al. 2024
"""
