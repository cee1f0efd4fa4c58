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

/** softmax(e). */
export class Soft {
  name = "soft";

  /** Scores become weights, in place. @param {Float32Array} scores */
  weigh(scores) {
    const highest = scores.reduce((one, other) => Math.max(one, other), -Infinity);
    let total = 0;
    for (let key = 0; key < scores.length; key++) {
      scores[key] = Math.exp(scores[key] - highest);
      total += scores[key];
    }
    for (let key = 0; key < scores.length; key++) scores[key] /= total;
  }
}

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

  /** The context of each query. @param {Matrix} queries @param {Prepared} source */
  forward(queries, { keys, values }) {
    const asked = this.score.ask(queries);
    const scores = new Matrix(queries.rows, keys.rows);
    for (let row = 0; row < queries.rows; row++)
      for (let key = 0; key < keys.rows; key++)
        scores.row(row)[key] = this.score.compare(asked.row(row), keys.row(key));
    const weights = new Matrix(scores.rows, scores.columns, scores.data.slice());
    const context = new Matrix(queries.rows, values.columns);
    for (let row = 0; row < queries.rows; row++) {
      const [own, into] = [weights.row(row), context.row(row)];
      this.alignment.weigh(own);
      for (let key = 0; key < values.rows; key++) {
        const value = values.row(key);
        for (let at = 0; at < into.length; at++) into[at] += own[key] * value[at];
      }
    }
    const { name, scale, vector } = this.score;
    watch(this.name, () => ({
      heads: 1,
      own: false,
      weights: weights.data,
      query: queries,
      values,
      context,
      scores: new Matrix(
        scores.rows,
        scores.columns,
        scores.data.map((value) => value / scale),
      ),
      score: name,
      scale,
      visibility: everything,
      alignment: this.alignment.name,
      q_hidden: asked,
      k_hidden: keys,
      vector,
    }));
    return context;
  }
}
