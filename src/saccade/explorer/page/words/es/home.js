/** What the view Home says. */

/** @type {Record<string, string>} */
const HERE = {
  words: "The sentence as pieces: each is a number in the vocabulary.",
  embedding: "Every piece becomes a vector: one row of a learned table.",
  position: "The place of each piece is added to its vector, or its order would be lost.",
  self: "Self-attention: every vector looks at the others and takes a weighted sum of what they offer.",
  cross: "Cross-attention: the word being written looks at all words of the source.",
  ffn: "Feed-forward: each vector passes two layers alone.",
  recurrent: "Recurrence: one vector is handed on from piece to piece.",
  convolution: "Convolution: each place sees its neighbours through a window.",
  norm: "Norm: each vector is brought back to mean 0 and variance 1.",
  output: "The last vector is compared with every piece of the vocabulary: softmax gives probabilities.",
};

export const HOME = {
  heading: "How a sentence travels through the model",
  lead: "Every box opens the view that shows it. Press Play to write the translation word by word.",
  strips:
    "A strip is a vector: the colours are its first eight numbers, blue below and orange above zero. At the bottom they " +
    "are embeddings, at the top what the stack has made of them. On the bridge a strip is as dark as its weight.",
  here: HERE,
  drawing: "The model as a map",
  /** @param {string} label @param {string} view */
  open: (label, view) => `${label}: open ${view}`,
  play: "Play",
  pause: "Pause",
  tour: "60-second tour",
  skip: "Skip the tour",
  back: "Back",
  next: "Next",
  done: "Done",
  /** @param {number} at @param {number} all */
  place: (at, all) => `${at} of ${all}`,
  /** The tour, from the words that are read to the word that is written. */
  stops: [
    "It starts with your sentence, cut into pieces that the model knows.",
    "Each piece becomes a vector: a list of learned numbers that stands for it.",
    "Attention has no order of its own, so the place of each piece is added.",
    "Self-attention: each word scores all words, softmax makes weights of the scores, and it takes their weighted sum.",
    "Then a small network changes each vector alone. The layers repeat, each on what the one below has written.",
    "The decoder writes one piece at a time. It looks at what it has written so far, and never ahead.",
    "Cross-attention is the bridge: to write the next word it looks at the source again, where it is needed.",
    "At the top every piece of the vocabulary gets a probability. One is written, read again, and so on to the end.",
  ],
};
