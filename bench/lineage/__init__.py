"""What each paper of the lineage claims of its system, on short runs: `python -m bench.lineage.NAME`.

neural_probabilistic.py   Bengio et al. 2003
rctm.py                   Kalchbrenner and Blunsom 2013
rnn_encoder_decoder.py    Cho et al. 2014
seq2seq.py                Sutskever et al. 2014
seq2seq_depth.py          Sutskever et al. 2014: what each layer adds
rescoring.py              Cho et al. 2014, Sutskever et al. 2014: n-best lists ranked again
rescoring_phones.py       the same on pronunciations, which a CPU learns
rnnsearch.py              Bahdanau et al. 2015
memory_network.py         Sukhbaatar et al. 2015: how often to look
luong.py                  Luong et al. 2015
luong_scores.py           Luong et al. 2015: what attention adds, scores and windows
lstmn.py                  Cheng et al. 2016
key_value_predict.py      Daniluk et al. 2017
attention_window.py       Daniluk et al. 2017: how far back attention must reach
self_attentive.py         Lin et al. 2017
sentence_classifiers.py   Lin et al. 2017: one hop or thirty, and the Transformer's encoder
convs2s.py                Gehring et al. 2017
convs2s_variance.py       Gehring et al. 2017: deep stacks without their scaling
averaging.py              Vaswani et al. 2017: the mean of the last checkpoints
decoder_alone.py          Liu et al. 2018: the Transformer's decoder as a language model, beside an LSTM
alignment_order.py        all of them: who aligns best, read alike
associative_recall.py     models with a state of constant size, recalling pairs
training_speed.py         how fast each system trains on a GPU, captured and eager
captions.py               Multi30k in few words
reordered_language.py     an invented language with known alignments
arms.py                   models that differ in one thing, and the rule that compares them
small_runs.py             training loops without a recipe, measured on held-out pairs
recipe_runs.py            whole runs of `saccade train`, one per model and seed
"""
