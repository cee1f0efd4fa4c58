/**
 * Attention over the last few positions of a sequence, the present one excluded: attention/window.py, after Daniluk et
 * al. 2017. A query at position t sees the keys at t - L to t - 1; one that sees nothing takes nothing.
 */

import { Matrix } from "page/engine/arithmetic/matrix";
import { softmaxWhere } from "page/engine/attention/alignment";
import { within } from "page/engine/attention/multihead";
import { watch } from "page/engine/attention/recording";

/** @import { Description } from "page/engine/interpreter" */

/** What a later query finds of one position: its key as the score compares it, and its value. @typedef {{ key: Float32Array, value: Float32Array }} Past */

export class WindowAttention {
  /** @param {Description} description */
  constructor({ name, settings, parts }) {
    this.name = name;
    this.score = parts.score;
    /** L. @type {number} */
    this.window = settings.window;
  }

  /** What later queries find of these positions. @param {Matrix} keys @param {Matrix} values @returns {Past[]} */
  prepare(keys, values) {
    /** @type {Matrix} */
    const prepared = this.score.prepare(keys);
    return prepared.list().map((key, row) => ({ key, value: values.row(row) }));
  }

  /**
   * What each position takes of those before it.
   * @param {Matrix} keys  of the positions themselves, by which they ask
   * @param {Matrix} values
   * @param {Past[][]} pasts  for each position the last L before it, or as many as there are
   */
  forward(keys, values, pasts) {
    const { score, window } = this;
    /** @type {Matrix} */
    const asked = score.ask(keys);
    const taken = new Matrix(keys.rows, values.columns);
    const scores = pasts.map((past, row) =>
      Float32Array.from(past, ({ key }, at) => score.compare(asked.row(row), key, window - past.length + at)),
    );
    const weights = scores.map((own) => own.slice());
    pasts.forEach((past, row) => {
      softmaxWhere(weights[row], () => true);
      const into = taken.row(row);
      past.forEach(({ value }, key) => {
        for (let at = 0; at < into.length; at++) into[at] += weights[row][key] * value[at];
      });
    });
    watch(this.name, () => ({
      heads: 1,
      own: true,
      weights: byPosition(weights).data,
      scores: byPosition(scores).times(1 / score.scale),
      seen: byPosition(scores.map((own) => own.map(() => 1))),
      query: keys,
      keys,
      values,
      context: taken,
      score: score.name,
      scale: score.scale,
      alignment: "soft",
      visibility: within(true, null),
    }));
    return taken;
  }
}

/**
 * Numbers for the last positions that each row sees, each in the column of its position.
 * @param {Float32Array[]} rows
 * @param {number} own  1 where a row's own position is the last of them, 0 where it is the one before
 */
export function byPosition(rows, own = 0) {
  const spread = new Matrix(rows.length, rows.length);
  rows.forEach((numbers, row) => {
    spread.row(row).set(numbers, row + own - numbers.length);
  });
  return spread;
}
