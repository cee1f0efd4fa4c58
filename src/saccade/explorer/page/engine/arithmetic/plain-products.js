/**
 * Products with the weights of a model in plain JavaScript: what `wasm-products` does four numbers at a time.
 *
 * A weight in one byte stands for s_i q_ij, with a scale s_i for its row. The scale is the same for all of a row, so
 * it is multiplied once, after the sum: sum_j s_i q_ij x_j = s_i sum_j q_ij x_j.
 */

import { Matrix } from "page/engine/arithmetic/matrix";

/** @import { Stored, Weight } from "page/engine/arithmetic/weights" */

/** A matrix of weights, a row for each output. @implements {Weight} */
class PlainWeight {
  /** @param {Stored} stored @param {Float32Array | null} scales */
  constructor(stored, scales) {
    this.rows = stored.shape[0];
    this.columns = stored.shape[1];
    this.data = stored.data;
    this.scales = scales;
  }

  /** The numbers that a row stands for, as `quantization.unpack` makes them. @param {number} row */
  row(row) {
    const values = Float32Array.from(this.data.subarray(row * this.columns, (row + 1) * this.columns));
    if (this.scales) for (let at = 0; at < values.length; at++) values[at] *= this.scales[row];
    return values;
  }

  /** x W^T + b for each row x. @param {Matrix} input @param {Float32Array | null} [bias] */
  linear(input, bias = null) {
    const { rows, columns, data, scales } = this;
    const output = new Matrix(input.rows, rows);
    for (let at = 0; at < input.rows; at++) {
      const states = input.row(at);
      for (let row = 0; row < rows; row++) {
        const start = row * columns;
        let sum = 0;
        for (let column = 0; column < columns; column++) sum += data[start + column] * states[column];
        output.data[at * rows + row] = sum * (scales ? scales[row] : 1) + (bias ? bias[row] : 0);
      }
    }
    return output;
  }
}

/** Weights without WebAssembly. */
export const plainProducts = {
  name: "JavaScript",
  /** @param {Stored} stored @param {Float32Array | null} scales @returns {Weight} */
  hold: (stored, scales) => new PlainWeight(stored, scales),
};
