/** x W^T + b, with a bias or without one. */

/** @import { Matrix } from "page/engine/arithmetic/matrix" */
/** @import { Description } from "page/engine/interpreter" */

export class Linear {
  /** @param {Description} description */
  constructor({ tensors }) {
    this.weight = tensors.weight;
    /** @type {Float32Array | null} */
    this.bias = tensors.bias ?? null;
  }

  /** @param {Matrix} states */
  forward(states) {
    return this.weight.linear(states, this.bias);
  }
}
