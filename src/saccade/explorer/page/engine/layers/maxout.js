/**
 * An output layer of maxout units, and the scores of words after it: layers/maxout.py, layers/biased_projection.py.
 *
 *   t~ = U s + V e(y) + C c         t_i = max(t~_{2i-1}, t~_{2i})         scores = W t + b
 */

import { Matrix } from "page/engine/arithmetic/matrix";

/** @import { Description } from "page/engine/interpreter" */

export class MaxoutOutput {
  /** @param {Description} description */
  constructor({ parts }) {
    this.parts = parts;
  }

  /** The units of each row, and a one for the bias of the scores. @param {Matrix} state @param {Matrix} word @param {Matrix} context */
  forward(state, word, context) {
    const { state: fromState, word: fromWord, context: fromContext } = this.parts;
    /** @type {Matrix} */
    const sums = fromState.forward(state).plus(fromWord.forward(word)).plus(fromContext.forward(context));
    const units = new Matrix(sums.rows, sums.columns / 2 + 1);
    for (let row = 0; row < sums.rows; row++) {
      const [own, into] = [sums.row(row), units.row(row)];
      for (let at = 0; at < units.columns - 1; at++) into[at] = Math.max(own[2 * at], own[2 * at + 1]);
      into[units.columns - 1] = 1;
    }
    return units;
  }
}

/** [W, b] as one matrix, for states that carry a one. */
export class BiasedProjection {
  /** @param {Description} description */
  constructor({ tensors }) {
    this.weight = tensors.weight;
  }

  /** @param {Matrix} states @returns {Matrix} */
  logits(states) {
    return this.weight.linear(states);
  }
}
