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
   * @param {number} position  of the queries in their own sequence
   */
  forward(queries, { keys, values }, position) {
    const { score, alignment } = this;
    const asked = score.ask(queries);
    const [scores, seen] = [new Matrix(queries.rows, keys.rows), new Matrix(queries.rows, keys.rows)];
    const [context, centres] = [new Matrix(queries.rows, values.columns), new Matrix(queries.rows, 1)];
    const weights = new Matrix(queries.rows, keys.rows);
    for (let row = 0; row < queries.rows; row++) {
      const centre = alignment.centre(queries.row(row), position, keys.rows);
      centres.data[row] = centre;
      for (let key = 0; key < keys.rows; key++) {
        weights.row(row)[key] = score.compare(asked.row(row), keys.row(key));
        seen.row(row)[key] = alignment.sees(key, centre) ? 1 : 0;
        scores.row(row)[key] = seen.row(row)[key] ? weights.row(row)[key] / score.scale : 0;
      }
      alignment.weigh(weights.row(row), centre);
      for (let key = 0; key < values.rows; key++) {
        const value = values.row(key);
        for (let at = 0; at < value.length; at++) context.row(row)[at] += weights.row(row)[key] * value[at];
      }
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
      q_hidden: asked,
      k_hidden: keys,
      vector: score.vector,
    }));
    return context;
  }
}
