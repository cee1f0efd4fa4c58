"""What each paper of the lineage claims of its system, on short runs: `python -m bench.lineage.NAME`.

neural_probabilistic.py   Bengio et al. 2003
rctm.py                   Kalchbrenner and Blunsom 2013
rnn_encoder_decoder.py    Cho et al. 2014
seq2seq.py                Sutskever et al. 2014
rnnsearch.py              Bahdanau et al. 2015
luong.py                  Luong et al. 2015
lstmn.py                  Cheng et al. 2016
key_value_predict.py      Daniluk et al. 2017
self_attentive.py         Lin et al. 2017
convs2s.py                Gehring et al. 2017
decoder_alone.py          Liu et al. 2018: the Transformer's decoder as a language model, beside an LSTM
associative_recall.py     models with a state of constant size, recalling pairs
captions.py               Multi30k in few words
reordered_language.py     an invented language with known alignments
small_runs.py             training loops without a recipe, measured on held-out pairs
recipe_runs.py            whole runs of `saccade train`, one per model and seed
"""
