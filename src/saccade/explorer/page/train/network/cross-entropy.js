/** The mean over all rows of -log p(the right token), p being the softmax of the row's logits. */

/**
 * @param {Float32Array} logits  [rows, vocabulary]
 * @param {number[]} right  the token that belongs to each row
 */
export function crossEntropy(logits, right) {
  const rows = right.length;
  const vocabulary = logits.length / rows;
  const probabilities = new Float32Array(logits.length);
  let loss = 0;
  for (let row = 0; row < rows; row++) {
    const at = row * vocabulary;
    let largest = -Infinity;
    for (let i = 0; i < vocabulary; i++) largest = Math.max(largest, logits[at + i]);
    let total = 0;
    for (let i = 0; i < vocabulary; i++) total += Math.exp(logits[at + i] - largest);
    for (let i = 0; i < vocabulary; i++) probabilities[at + i] = Math.exp(logits[at + i] - largest) / total;
    loss += (largest + Math.log(total) - logits[at + right[row]]) / rows;
  }

  /** Softmax and logarithm together have a simple gradient: p, less 1 at the right token. */
  const backward = () => {
    const dlogits = probabilities.map((p) => p / rows);
    right.forEach((token, row) => {
      dlogits[row * vocabulary + token] -= 1 / rows;
    });
    return dlogits;
  };
  return { loss, probabilities, backward };
}
