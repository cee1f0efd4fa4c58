/** FFN(x) = max(0, x W1 + b1) W2 + b2: Eq. 2 of the paper. */
import { linear } from "page/train/network/linear";

/** @import { Parameter, Parameters } from "page/train/network/parameters" */

/** @typedef {Record<"inner" | "innerBias" | "outer" | "outerBias", Parameter>} FeedForward */

/**
 * @param {Parameters} parameters
 * @param {string} name
 * @param {number} width
 * @param {number} innerWidth
 * @returns {FeedForward}
 */
export const feedForward = (parameters, name, width, innerWidth) => ({
  inner: parameters.matrix(`${name}.inner`, innerWidth, width),
  innerBias: parameters.vector(`${name}.inner.bias`, innerWidth, 0),
  outer: parameters.matrix(`${name}.outer`, width, innerWidth),
  outerBias: parameters.vector(`${name}.outer.bias`, width, 0),
});

/** @param {FeedForward} block @param {Float32Array} x  [rows, width] */
export function transform(block, x) {
  const inner = linear(block.inner, block.innerBias, x);
  const outer = linear(block.outer, block.outerBias, inner.y.map(positivePart));

  /** Where the inner number was cut to zero, a small change of it changes nothing. @param {Float32Array} dy */
  const backward = (dy) => inner.backward(outer.backward(dy).map((d, i) => (inner.y[i] > 0 ? d : 0)));
  return { y: outer.y, backward };
}

/** @param {number} value */
const positivePart = (value) => Math.max(0, value);
