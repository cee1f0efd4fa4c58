/** What is learned: named tensors, each with the gradient that the backward pass adds up beside it. */

/**
 * @typedef {object} Parameter
 * @property {string} name
 * @property {number[]} shape
 * @property {Float32Array} value  row by row
 * @property {Float32Array} gradient  of the loss by the value, of the same shape
 */

export class Parameters {
  /** @param {() => number} random  where the first values are drawn from */
  constructor(random) {
    this.random = random;
    /** @type {Parameter[]} */
    this.list = [];
  }

  /**
   * A matrix [outputs, inputs] drawn evenly from ±sqrt(6 / (inputs + outputs)), so that neither the numbers on the way
   * forward nor the gradients on the way back grow or shrink from layer to layer (Glorot and Bengio 2010).
   * @param {string} name
   * @param {number} outputs
   * @param {number} inputs
   */
  matrix(name, outputs, inputs) {
    const limit = Math.sqrt(6 / (inputs + outputs));
    return this.add(name, [outputs, inputs], () => limit * (2 * this.random() - 1));
  }

  /**
   * A row of numbers for each token, of variance 1 / width: after the embedding's factor sqrt(width) it is 1.
   * @param {string} name
   * @param {number} tokens
   * @param {number} width
   */
  table(name, tokens, width) {
    const limit = Math.sqrt(3 / width);
    return this.add(name, [tokens, width], () => limit * (2 * this.random() - 1));
  }

  /** A vector of one number at first. @param {string} name @param {number} size @param {number} value */
  vector(name, size, value) {
    return this.add(name, [size], () => value);
  }

  /** @param {string} name @param {number[]} shape @param {() => number} draw @returns {Parameter} */
  add(name, shape, draw) {
    const size = shape.reduce((product, side) => product * side, 1);
    const parameter = { name, shape, value: new Float32Array(size).map(draw), gradient: new Float32Array(size) };
    this.list.push(parameter);
    return parameter;
  }

  /** How many numbers are learned. */
  get count() {
    return this.list.reduce((total, { value }) => total + value.length, 0);
  }

  clearGradients() {
    for (const { gradient } of this.list) gradient.fill(0);
  }

  /** All values one after the other, to be kept. */
  copied() {
    const kept = new Float32Array(this.count);
    let at = 0;
    for (const { value } of this.list) {
      kept.set(value, at);
      at += value.length;
    }
    return kept;
  }

  /** The values that `copied` gave. @param {Float32Array} kept */
  restore(kept) {
    let at = 0;
    for (const { value } of this.list) {
      value.set(kept.subarray(at, at + value.length));
      at += value.length;
    }
  }
}
