/** The equations of the Steps view as they are read aloud. */

export const SPOKEN = {
  /** @param {boolean} scaled @param {boolean} positions */
  embedding: (scaled, positions) =>
    `x i = E of w i${scaled ? " times root d model" : ""}${positions ? " plus P E of i" : ""}`,
  /** @param {boolean} masked */
  attention: (masked) =>
    `Attention of Q, K, V = softmax of Q K transposed over root d k${masked ? " plus M" : ""}, times V`,
  /** @param {string} how @param {string} score */
  context: (how, score) => `c i = the sum over j of ${how} of the ${score} score of q i and k j, times v j`,
  heads: "MultiHead of Q, K, V = the heads one after the other, times W O",
  /** @param {string} wiring */
  wiring: (wiring) => `y = ${wiring} wiring of x and its sub-layer`,
  relu: "the maximum of zero and",
  /** @param {string} activation */
  activation: (activation) => `${activation} of`,
  /** @param {string} activated */
  feedForward: (activated) => `F F N of x = ${activated} x W 1 plus b 1, times W 2, plus b 2`,
  memory: "m = Encoder of x 1 to x n",
  /** @param {boolean} bias */
  output: (bias) => `P of y t = softmax of h t times W transposed${bias ? " plus b" : ""}`,
};
