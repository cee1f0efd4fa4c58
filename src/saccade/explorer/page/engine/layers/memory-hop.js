/** One hop of an end-to-end memory network: layers/memory_hop.py, after Sukhbaatar et al. 2015, section 2.1. */

import { dot, Matrix } from "page/engine/arithmetic/matrix";
import { softmaxWhere } from "page/engine/attention/alignment";
import { within } from "page/engine/attention/multihead";
import { watch } from "page/engine/attention/recording";
import { byPosition } from "page/engine/attention/window";

/** @import { Description } from "page/engine/interpreter" */

/** What a position sees of a table of words: the vector of each word, the oldest first, and one for each age. @typedef {{ words: Float32Array[][], times: Float32Array[] }} Seen */

export class Hop {
  /** @param {Description} description */
  constructor({ name }) {
    this.name = name;
  }

  /**
   * What is found for each position: p over u^T (A x + T_A), and with it the sum of C x + T_C. A word at the end of
   * what is seen has the age 0, the one before it 1.
   * @param {Matrix} inner
   * @param {Seen} keys
   * @param {Seen} values
   */
  forward(inner, keys, values) {
    const found = new Matrix(inner.rows, inner.columns);
    const scores = keys.words.map((words, row) => {
      const asked = inner.row(row);
      return Float32Array.from(words, (word, at) => {
        const time = keys.times[words.length - 1 - at];
        return dot(asked, word, 0, asked.length) + dot(asked, time, 0, asked.length);
      });
    });
    const weights = scores.map((own) => own.slice());
    values.words.forEach((words, row) => {
      softmaxWhere(weights[row], () => true);
      const into = found.row(row);
      words.forEach((word, key) => {
        const [weight, time] = [weights[row][key], values.times[words.length - 1 - key]];
        for (let at = 0; at < into.length; at++) into[at] += weight * (word[at] + time[at]);
      });
    });
    // Keys and values differ for every query, as the age of a word does, so a trace is given only the products.
    watch(this.name, () => ({
      heads: 1,
      own: true,
      weights: byPosition(weights, 1).data,
      scores: byPosition(scores, 1),
      seen: byPosition(
        scores.map((own) => own.map(() => 1)),
        1,
      ),
      query: inner,
      score: "dot",
      scale: 1,
      alignment: "soft",
      visibility: within(true, null),
    }));
    return found;
  }
}
