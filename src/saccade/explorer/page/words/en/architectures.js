/** The architectures in a few words: those of the catalogue, whose test compares them. */

/** @type {Record<string, string>} */
export const SUMMARIES = {
  ngram: "counts of word sequences, smoothed",
  "neural-probabilistic": "words as vectors, and one layer over the last few",
  "rnn-language-model": "one vector carries all that was read",
  rctm: "a convolved source, a recurrent target",
  "rnn-encoder-decoder": "gated recurrent networks with one vector between them",
  seq2seq: "two deep LSTMs, source reversed",
  "memory-network": "several looks at the last words, one after another",
  rnnsearch: "a decoder that looks at the source before each word",
  luong: "two deep LSTMs with attention, global or local",
  lstmn: "LSTMs that read all they have written, and the source",
  "lstmn-language-model": "an LSTM that reads all it has written",
  convs2s: "gated convolutions, attention in every layer",
  "key-value-predict": "an LSTM that looks back over its last outputs",
  "self-attentive": "a sentence as several looks at it",
  transformer: "attention alone, in both stacks",
  "transformer-classifier": "the Transformer's encoder, and the mean of its states",
  "transformer-language-model": "the Transformer's decoder alone",
  "state-language-model": "a list, a vector, or weights that learn while reading",
};
