/**
 * Convolution over the positions of a sentence: layers/convolution.py. Closed by a gate, after Gehring et al. 2017:
 *
 *   [A; B]_i = W [x_{i-o}; ...; x_{i-o+k-1}] + b          v([A; B]) = A * sigma(B)
 *
 * A window of k positions laid side by side and one matrix are a convolution.
 */

import { Matrix } from "page/engine/arithmetic/matrix";
import { watch } from "page/engine/attention/recording";

/** @import { Description } from "page/engine/interpreter" */

export class GatedConvolution {
  /** @param {Description} description */
  constructor({ name, settings, parts }) {
    this.name = name;
    /** How many positions a window has. @type {number} */
    this.size = settings.size;
    /** How many of them come before the position it is for. @type {number} */
    this.before = settings.before;
    this.product = parts.product;
  }

  /** At every position of one sequence; around it there are zeros. @param {Matrix} states */
  forward(states) {
    const windows = new Matrix(states.rows, states.columns * this.size);
    for (let place = 0; place < states.rows; place++)
      for (let offset = 0; offset < this.size; offset++) {
        const from = place - this.before + offset;
        if (from >= 0 && from < states.rows) windows.row(place).set(states.row(from), offset * states.columns);
      }
    return this.of(windows);
  }

  /** Of windows that are given, one to a row. @param {Matrix} windows */
  of(windows) {
    watch(this.name, () => ({ kernel: this.size, reaches_back: this.before }));
    /** @type {Matrix} */
    const both = this.product.forward(windows);
    const width = both.columns / 2;
    const gated = new Matrix(both.rows, width);
    for (let row = 0; row < both.rows; row++) {
      const [own, made] = [both.row(row), gated.row(row)];
      for (let at = 0; at < width; at++) made[at] = own[at] / (1 + Math.exp(-own[width + at]));
    }
    return gated;
  }
}

/** y_i = w_1 * x_{i-k+1} + ... + w_k * x_i: every place of the width for itself, with the k last positions. */
export class ShortConvolution {
  /** @param {Description} description */
  constructor({ tensors }) {
    /** The weights of each position of a window, the oldest first. @type {Float32Array[]} */
    this.rows = Array.from({ length: tensors.weight.rows }, (_, row) => tensors.weight.row(row));
  }

  /** The inputs before the first position of one sequence: zeros. @returns {Float32Array[][]} */
  initialState() {
    return [this.rows.slice(1).map((row) => new Float32Array(row.length))];
  }

  /** At every position of one sequence. @param {Matrix} states */
  forward(states) {
    const known = [...this.initialState()[0], ...states.list()];
    return this.of(Array.from({ length: states.rows }, (_, place) => known.slice(place, place + this.rows.length)));
  }

  /** One position of each sequence, after the inputs before it; and those before the next. @param {Matrix} states @param {Float32Array[][]} recent */
  step(states, recent) {
    const windows = recent.map((before, row) => [...before, states.row(row)]);
    return { near: this.of(windows), recent: windows.map((window) => window.slice(1)) };
  }

  /** Of windows that are given, one for each row. @param {Float32Array[][]} windows */
  of(windows) {
    const total = new Matrix(windows.length, this.rows[0].length);
    windows.forEach((window, place) => {
      const into = total.row(place);
      window.forEach((states, offset) => {
        for (let at = 0; at < into.length; at++) into[at] += states[at] * this.rows[offset][at];
      });
    });
    return total;
  }
}
