/** Tokens to vectors, and states back to logits: layers/embedding.py, after Vaswani et al. 2017, section 3.4. */

import { Matrix } from "page/engine/arithmetic/matrix";

/** @import { Description } from "page/engine/interpreter" */

/** E[token] * sqrt(d), and as the pre-softmax projection logits = H E^T. */
export class Embedding {
  /** @param {Description} description */
  constructor({ settings, tensors }) {
    this.scale = settings.scale;
    this.weight = tensors.weight;
  }

  /** The scaled vector of each token. @param {number[]} tokens */
  forward(tokens) {
    const { columns } = this.weight;
    const vectors = new Matrix(tokens.length, columns);
    tokens.forEach((token, place) => {
      const row = vectors.row(place);
      row.set(this.weight.row(token));
      for (let at = 0; at < columns; at++) row[at] *= this.scale;
    });
    return vectors;
  }

  /** The score of each token of the vocabulary for each state. @param {Matrix} states @param {Float32Array | null} [bias] */
  logits(states, bias = null) {
    return this.weight.linear(states, bias);
  }
}
