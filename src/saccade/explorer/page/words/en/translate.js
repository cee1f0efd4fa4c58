/** What the view Translate says. */

export const TRANSLATE = {
  heading: "Translation",
  tries: "Sentences to try",
  noAlignment: "This model names no attention that aligns its words; Heat shows what it has.",
  axes: { writes: "writes", looks: "looks at", influenced: "influenced by" },
  /** @param {string} layers @param {boolean} mean */
  origin: (layers, mean) => `Drawn from the model's cross-attention in ${layers}${mean ? ", mean of its heads" : ""}. `,
  /** @param {number} layer */
  layer: (layer) => `layer ${layer}`,
  numbers: "See the numbers",
  /** @param {string} word @param {string} p */
  probability: (word, p) => `${word}: probability ${p}`,
  given: "given, not searched for",
  /** @param {string} value */
  logprob: (value) => `log-probability ${value}`,
  /** @param {string} whole */
  under: (whole) => `Under each word: how probable the model found it when it wrote it. The whole: ${whole}.`,
  steps: "Decoding step by step",
  /** @param {number} step */
  step: (step) => `Decoding step ${step}`,
  /** @param {string} value */
  whole: (value) => `${value} probable`,
  noEnd: "Lines to the mark that ends the sentence are left out.",
  wordColumns: ["word", "writes", "how sure"],
  instead: "what else it could have begun with",
  stepsWords:
    "The model writes one word after the other. Each time it reads what it has written so far, and gives every possible " +
    "continuation a probability. A long word is written in pieces, whose probabilities are multiplied.",
  /** @param {number} at */
  word: (at) => `Word ${at}`,
  stepsNumbers:
    "Each decoding step reads one token more than the step before, and gives every token of the vocabulary a " +
    "probability. These are the five largest.",
  columns: ["step", "reads", "writes", "p"],
  most: "most probable",
  /** @param {number} from @param {number} to @param {number} all */
  some: (from, to, all) => `Decoding steps ${from} to ${to} of ${all}: the slider below leads to the others.`,
};
