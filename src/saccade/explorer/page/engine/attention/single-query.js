/**
 * Attention with a single query at a time, as the ancestors had it: attention/single_query.py.
 *
 *   e = score(q, k_1..n)        a = softmax(e)        c = sum_l a_l v_l
 */

import { Matrix } from "page/engine/arithmetic/matrix";
import { everything } from "page/engine/attention/multihead";
import { watch } from "page/engine/attention/recording";

/** @import { Description } from "page/engine/interpreter" */

/** What can be attended to: keys as the score compares them, and values. @typedef {{ keys: Matrix, values: Matrix }} Prepared */

export class Attention {
  /** Heads that output zeros. @type {number[]} */
  off = [];

  /** @param {Description} description */
  constructor({ name, parts }) {
    this.name = name;
    this.score = parts.score;
    this.alignment = parts.alignment;
  }

  /** What does not depend on the query, computed once. @param {Matrix} keys @param {Matrix} values @returns {Prepared} */
  prepare(keys, values) {
    watch(this.name, () => ({ keys }));
    return { keys: this.score.prepare(keys), values };
  }

  /**
   * The context of each query.
   * @param {Matrix} queries
   * @param {Prepared} source
   * @param {number[]} positions  of the queries in their own sequence
   */
  forward(queries, { keys, values }, positions) {
    const { score, alignment } = this;
    const asked = score.ask(queries);
    const [scores, seen] = [new Matrix(queries.rows, keys.rows), new Matrix(queries.rows, keys.rows)];
    const [context, centres] = [new Matrix(queries.rows, values.columns), new Matrix(queries.rows, 1)];
    const weights = new Matrix(queries.rows, keys.rows);
    for (let row = 0; row < queries.rows; row++) {
      const centre = alignment.centre(queries.row(row), positions[row], keys.rows);
      centres.data[row] = centre;
      for (let key = 0; key < keys.rows; key++) {
        const found = score.compare(asked.row(row), keys.row(key), key);
        weights.row(row)[key] = found;
        seen.row(row)[key] = alignment.sees(key, centre) && found > -Infinity ? 1 : 0;
        scores.row(row)[key] = seen.row(row)[key] ? found / score.scale : 0;
      }
      alignment.weigh(weights.row(row), centre);
      this.blend(weights.row(row), values, context.row(row));
    }
    watch(this.name, () => ({
      heads: 1,
      own: false,
      weights: weights.data,
      query: queries,
      values,
      context,
      scores,
      seen,
      score: score.name,
      scale: score.scale,
      visibility: everything,
      alignment: alignment.name,
      sums_to_one: alignment.sumsToOne,
      reach: alignment.reach,
      centre: centres,
      ...score.inside(asked, keys),
      off: this.off,
    }));
    return context;
  }

  /** The weighted sum of the values. @param {Float32Array} weights @param {Matrix} values @param {Float32Array} into */
  blend(weights, values, into) {
    for (let key = 0; key < values.rows; key++) {
      const value = values.row(key);
      for (let at = 0; at < value.length; at++) into[at] += weights[key] * value[at];
    }
  }
}
