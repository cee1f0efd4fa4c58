/** Weight normalisation: layers/weight_normalisation.py, after Salimans and Kingma 2016, equation 2. */

/** @import { Matrix } from "page/engine/arithmetic/matrix" */
/** @import { Weight } from "page/engine/arithmetic/weights" */
/** @import { Description } from "page/engine/interpreter" */

/** x W^T + b with w = g v / |v| for each row w of W: the product with v is computed, and then made as long as g says. */
export class NormalisedLinear {
  /** @param {Description} description */
  constructor({ tensors }) {
    /** @type {Weight} */
    this.direction = tensors.direction;
    /** @type {Float32Array} */
    this.bias = tensors.bias;
    /** @type {Float32Array} */
    this.factors = tensors.length.map(
      (/** @type {number} */ length, /** @type {number} */ row) => length / norm(this.direction.row(row)),
    );
  }

  /** @param {Matrix} states */
  forward(states) {
    const products = this.direction.linear(states);
    for (let row = 0; row < products.rows; row++) {
      const own = products.row(row);
      for (let at = 0; at < own.length; at++) own[at] = own[at] * this.factors[at] + this.bias[at];
    }
    return products;
  }
}

/** @param {Float32Array} vector */
const norm = (vector) => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
