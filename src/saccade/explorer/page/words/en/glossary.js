/**
 * What the terms of the field mean: shown where a term first stands in a view, and listed in the help. `forms` finds a
 * term in a text; of two that begin at one place the one that stands first here is taken.
 */

/** @typedef {{name: string, forms: RegExp, means: string}} Term */

/** @satisfies {Record<string, Term>} */
export const GLOSSARY = {
  selfAttention: {
    name: "self-attention",
    forms: /self-attention/,
    means: "Attention inside one text: queries, keys and values all come from the same words.",
  },
  crossAttention: {
    name: "cross-attention",
    forms: /cross-attention/,
    means: "Attention from the text being written to the text that was read: how the decoder sees the source.",
  },
  weight: {
    name: "attention weight",
    forms: /attention weights?|weights?/,
    means: "The share of its attention that one place gives to another: from 0 to 1, and the shares of a row sum to 1.",
  },
  attention: {
    name: "attention",
    forms: /attention/,
    means: "A weighted mean of vectors: each place takes from all others in shares that are computed for it.",
  },
  look: {
    name: "to look at",
    forms: /looks? at|looked at|looked|looks/,
    means: "Short for: gives attention weight to. Nobody sees anything; numbers are added up in shares.",
  },
  head: {
    name: "head",
    forms: /heads?/,
    means: "One of several attentions that work side by side in a layer, each with its own queries, keys and values.",
  },
  layerNorm: {
    name: "layer norm",
    forms: /layer norms?|normalised/,
    means: "Moves the numbers of one vector to mean 0 and variance 1, then stretches and shifts them as was learned.",
  },
  layer: {
    name: "layer",
    forms: /layers?/,
    means: "One of several equal blocks, each working on what the one before it wrote.",
  },
  query: {
    name: "query",
    forms: /query|queries/,
    means: "The vector with which a place asks: it is compared with the keys of the others.",
  },
  key: {
    name: "key",
    forms: /keys?/,
    means: "The vector by which a place is found: queries are compared with it.",
  },
  value: {
    name: "value",
    forms: /values?/,
    means: "The vector that a place hands over to those that attend to it.",
  },
  softmax: {
    name: "softmax",
    forms: /softmax/,
    means: "Turns any numbers into shares that sum to 1: e to each number, divided by the sum of all of these.",
  },
  score: {
    name: "score",
    forms: /scores?|energies|energy/,
    means: "How well a query and a key fit, as one number; softmax makes a weight of it. Older papers call it energy.",
  },
  mask: {
    name: "mask",
    forms: /masks?/,
    means: "What hides places from attention, such as words that are not written yet: their weight is 0.",
  },
  feedForward: {
    name: "feed-forward network",
    forms: /feed-forward (?:networks?|layers?)|feed-forward/,
    means: "Two maps with a cut at zero between them, applied to every place alone.",
  },
  residual: {
    name: "residual connection",
    forms: /residual (?:connections?|sums?)|residual/,
    means:
      "What comes out of a part is added to what went in, so that a layer changes a vector instead of replacing it.",
  },
  embedding: {
    name: "embedding",
    forms: /embeddings?/,
    means: "The vector of a token, learned in training: a row of a table, picked by the token's number.",
  },
  token: {
    name: "token",
    forms: /tokens?/,
    means: "What a model reads and writes: a piece of a word, a whole word, or a mark such as the end of a sentence.",
  },
  piece: {
    name: "piece",
    forms: /pieces?/,
    means: "A part of a word from a fixed list. Frequent words are one piece, rare ones are cut into several.",
  },
  vocabulary: {
    name: "vocabulary",
    forms: /vocabulary/,
    means: "The list of all tokens that a model knows, made before training.",
  },
  encoder: {
    name: "encoder",
    forms: /encoders?/,
    means: "The part of a model that reads the source and makes a vector of each of its tokens.",
  },
  decoder: {
    name: "decoder",
    forms: /decoders?/,
    means: "The part of a model that writes, one token after the other.",
  },
  decodingStep: {
    name: "decoding step",
    forms: /decoding steps?/,
    means: "One turn of the decoder: it reads what is written so far and chooses the next token.",
  },
  logProbability: {
    name: "log-probability",
    forms: /log-probability|log-probabilities/,
    means: "The logarithm of a probability: 0 is certain, and more below 0 is less likely. Those of tokens are added.",
  },
  logit: {
    name: "logit",
    forms: /logits?/,
    means: "The number of a token before softmax makes a probability of it.",
  },
  probability: {
    name: "probability",
    forms: /probability|probabilities/,
    means: "How likely the model holds something, from 0 to 1. It says how sure the model is, not whether it is right.",
  },
  lengthPenalty: {
    name: "length penalty",
    forms: /length penalty/,
    means: "A divisor that makes up for the fact that every further word makes an output less probable.",
  },
  beamSearch: {
    name: "beam search",
    forms: /beam search|beam/,
    means: "A search that keeps a few best beginnings alive and extends each by one token at a time.",
  },
  hypothesis: {
    name: "hypothesis",
    forms: /hypothes[ie]s/,
    means: "A beginning of an output, or a whole one, that the search holds to be possible.",
  },
  entropy: {
    name: "entropy",
    forms: /entropy/,
    means: "How spread out shares are, in bits: 0 is one place alone, and each bit doubles the number of equal places.",
  },
  gradient: {
    name: "gradient",
    forms: /gradients?/,
    means: "How strongly a result would change if an input were changed a little.",
  },
  alignment: {
    name: "alignment",
    forms: /alignments?|aligns?|agreement/,
    means: "Which words of the source belong to which words of the translation.",
  },
  vector: {
    name: "vector",
    forms: /vectors?/,
    means: "A list of numbers. A model knows each token only as such a list.",
  },
  tensor: {
    name: "tensor",
    forms: /tensors?/,
    means: "Numbers in a grid of any number of axes: a list, a table, a stack of tables.",
  },
  parameters: {
    name: "parameters",
    forms: /parameters?/,
    means: "The numbers that training has set. They are the same for every sentence.",
  },
  recurrent: {
    name: "recurrent",
    forms: /recurrent|recurrence/,
    means: "Reads one token after the other and carries a state along, so each step waits for the one before.",
  },
  state: {
    name: "state",
    forms: /states?/,
    means: "The vector that stands for what a model knows at one place or after one step.",
  },
  convolution: {
    name: "convolution",
    forms: /convolutions?|convolutional/,
    means: "The same small map applied to every window of neighbouring places.",
  },
  dropout: {
    name: "dropout",
    forms: /dropout/,
    means: "Sets some numbers to zero by chance during training, so that a model relies on none of them alone.",
  },
  loss: {
    name: "loss",
    forms: /loss/,
    means: "What training makes small: how little probability the model gave to the right answer.",
  },
};

export const DEFINITIONS = {
  title: "Terms",
  hint: "In a view, a dotted line marks a term: point at it, or reach it with Tab.",
};
