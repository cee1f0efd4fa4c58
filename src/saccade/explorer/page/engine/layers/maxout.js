/**
 * An output layer of maxout units: layers/maxout.py.
 *
 *   t~ = U s + V e(y) + C c         t_i = max(t~_{2i-1}, t~_{2i})
 */

import { Matrix } from "page/engine/arithmetic/matrix";

/** @import { Description } from "page/engine/interpreter" */

export class MaxoutOutput {
  /** @param {Description} description */
  constructor({ parts }) {
    this.parts = parts;
  }

  /** The units of each row. @param {Matrix} state @param {Matrix} word @param {Matrix} context */
  forward(state, word, context) {
    const { state: fromState, word: fromWord, context: fromContext } = this.parts;
    /** @type {Matrix} */
    const sums = fromState.forward(state).plus(fromWord.forward(word)).plus(fromContext.forward(context));
    const units = new Matrix(sums.rows, sums.columns / 2);
    for (let at = 0; at < units.data.length; at++) units.data[at] = Math.max(sums.data[2 * at], sums.data[2 * at + 1]);
    return units;
  }
}
