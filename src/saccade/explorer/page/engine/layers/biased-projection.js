/**
 * Output layers with a bias, W h + b, as one product: [W, b] [h; 1] (layers/biased_projection.py).
 *
 * States carry a one at their end. Two layers compute the same and differ in what a saved model calls its parameters.
 */

import { Matrix } from "page/engine/arithmetic/matrix";

/** @import { Weight } from "page/engine/arithmetic/weights" */
/** @import { Description } from "page/engine/interpreter" */

/** [h; 1]. @param {Matrix} states */
export function withOne(states) {
  const wider = new Matrix(states.rows, states.columns + 1);
  wider.data.fill(1);
  states.list().forEach((row, at) => {
    wider.row(at).set(row);
  });
  return wider;
}

/** [W, b] as one parameter. */
export class BiasedProjection {
  /** @param {Description} description */
  constructor({ tensors }) {
    /** @type {Weight} */
    this.weight = tensors.weight;
  }

  /** @param {Matrix} states @returns {Matrix} */
  logits(states) {
    return this.weight.linear(states);
  }
}

/** W and b as two parameters. */
export class AffineProjection {
  /** @param {Description} description */
  constructor({ tensors }) {
    /** @type {Weight} */
    this.matrix = tensors.weight;
    /** @type {Float32Array} */
    this.bias = tensors.bias;
  }

  /** [W, b], as the states that carry a one meet it. @returns {Weight} */
  get weight() {
    const { matrix, bias } = this;
    return {
      rows: matrix.rows,
      columns: matrix.columns + 1,
      row: (row) => Float32Array.of(...matrix.row(row), bias[row]),
      linear: (states) => this.logits(states),
    };
  }

  /** @param {Matrix} states @returns {Matrix} */
  logits(states) {
    const width = states.columns - 1;
    const plain = new Matrix(states.rows, width);
    states.list().forEach((row, at) => {
      plain.row(at).set(row.subarray(0, width));
    });
    return this.matrix.linear(plain, this.bias);
  }
}
