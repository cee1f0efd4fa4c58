/**
 * What an encoder makes of the same words in another order: tracing/word_order.py.
 *
 * Attention ignores where a key stands. Without positions, the states of shuffled words are the shuffled states: sorted
 * back, they differ by rounding only, and so does the one vector that a classifier makes of them. With positions they
 * differ.
 */

import { randomOrder } from "page/engine/arithmetic/random-order";

/** @import { SequenceModel } from "page/engine/live-model" */

const SEED = 1;

/**
 * The largest difference between the states of words and of shuffled words, with and without positions. Null for fewer
 * than two words: the last token, which ends the sentence, stays where it is.
 * @param {SequenceModel} model
 * @param {() => SequenceModel} without  the same without positions
 * @param {number[]} source
 */
export function shuffled(model, without, source) {
  if (source.length < 3) return null;
  const order = anotherOrder(source.length);
  return {
    order,
    with_positions: difference(model, source, order),
    without_positions: difference(without(), source, order),
  };
}

/** A random order of all positions but the last, never the original one. @param {number} length */
function anotherOrder(length) {
  const places = randomOrder(length - 1, SEED);
  if (places.every((place, at) => place === at)) places.push(/** @type {number} */ (places.shift()));
  return [...places, length - 1];
}

/** @param {SequenceModel} model @param {number[]} source @param {number[]} order */
function difference(model, source, order) {
  const before = model.remembered(model.encode(source));
  const after = model.remembered(model.encode(order.map((place) => source[place])));
  if (!before.states || !after.states) return null;
  const expected = before.kind === "list" ? before.states.select(order) : before.states;
  const found = after.states.data;
  return expected.data.reduce((largest, value, at) => Math.max(largest, Math.abs(value - found[at])), 0);
}
