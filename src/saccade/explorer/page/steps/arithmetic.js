/**
 * The arithmetic of one head, in plain numbers: what a step adds up, term by term.
 *
 * Nothing here knows a model or a page. Vectors are arrays or typed arrays; sums are made in double precision.
 */
import { entropy } from "page/numbers/numbers";

/** @import { Numbers } from "page/types" */

/**
 * A sum written out: its terms as pairs of factors, and what they add up to.
 * @typedef {{terms: [number, number][], plus: number, sum: number}} Spelled
 */

/**
 * The product of two vectors, term by term; `plus` is what is added at the end (a bias).
 * @param {ArrayLike<number>} left
 * @param {ArrayLike<number>} right
 * @param {number} [plus]
 * @returns {Spelled}
 */
export function dot(left, right, plus = 0) {
  /** @type {[number, number][]} */
  const terms = [];
  let sum = plus;
  for (let i = 0; i < left.length; i++) {
    terms.push([left[i], right[i]]);
    sum += left[i] * right[i];
  }
  return { terms, plus, sum };
}

/**
 * Row `row` of a matrix that lies in memory row by row.
 * @param {any} data
 * @param {number} columns
 * @param {any} row
 */
export function row(data, columns, row) {
  return data.subarray
    ? data.subarray(row * columns, (row + 1) * columns)
    : data.slice(row * columns, (row + 1) * columns);
}

/**
 * Column `column` of a matrix that lies in memory row by row.
 * @param {any} data
 * @param {number} columns
 * @param {number} column
 */
export function column(data, columns, column) {
  const found = [];
  for (let i = column; i < data.length; i += columns) found.push(data[i]);
  return found;
}

/**
 * softmax(scale * scores / temperature) over what is allowed, and zero elsewhere, with everything a reader may ask for:
 * the largest score (subtracted first, so that no exponential can overflow), the exponentials and their sum.
 * A row that may see nothing takes nothing.
 * @param {any} scores
 * @param {{scale?: number, temperature?: number, allowed?: ArrayLike<number> | null}} [given]
 */
export function softmax(scores, { scale = 1, temperature = 1, allowed = null } = {}) {
  const n = scores.length;
  const scaled = Array.from(scores, (score) => (score * scale) / temperature);
  /** @param {number} i */
  const may = (i) => !allowed || Boolean(allowed[i]);
  let largest = -Infinity;
  for (let i = 0; i < n; i++) if (may(i) && scaled[i] > largest) largest = scaled[i];
  const exponentials = scaled.map((score, i) => (may(i) ? Math.exp(score - largest) : 0));
  const total = exponentials.reduce((sum, value) => sum + value, 0);
  const weights = exponentials.map((value) => (total > 0 ? value / total : 0));
  return { scaled, largest, exponentials, total, weights };
}

/** Each number divided by the sum of all: what softmax is often taken for. @param {any} values */
export function proportions(values) {
  const total = Array.from(values).reduce((sum, value) => sum + value, 0);
  return Array.from(values, (value) => value / total);
}

/**
 * Entropy in bits, and the number of equally weighted places that would have the same.
 * @param {any} weights
 */
export function spread(weights) {
  const bits = entropy(weights);
  return { bits, places: 2 ** bits };
}

/** Euclidean length. @param {ArrayLike<number>} vector */
export function length(vector) {
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += vector[i] * vector[i];
  return Math.sqrt(squares);
}

/**
 * Mean and variance over a vector, the variance with n below, as layer norm has it.
 * @param {ArrayLike<number>} vector
 */
export function moments(vector) {
  let mean = 0;
  for (let i = 0; i < vector.length; i++) mean += vector[i];
  mean /= vector.length;
  let variance = 0;
  for (let i = 0; i < vector.length; i++) variance += (vector[i] - mean) ** 2;
  return { mean, variance: variance / vector.length };
}

/**
 * The gradient that can pass through a softmax: the largest |d weight_i / d score_j|. It is w (1 - w) at its largest,
 * so a row that is one-hot lets nothing through.
 * @param {any} weights
 */
export function slope(weights) {
  let largest = 0;
  for (const weight of weights) largest = Math.max(largest, weight * (1 - weight));
  return largest;
}

/**
 * softmax over every row of a [query, key] matrix; `mask` has 1 where a query may look.
 * @param {Numbers} scores
 * @param {number} queries
 * @param {number} keys
 * @param {any} [given]
 */
export function softmaxRows(scores, queries, keys, { scale = 1, temperature = 1, mask = null } = {}) {
  const weights = new Float32Array(queries * keys);
  for (let q = 0; q < queries; q++) {
    const allowed = mask ? row(mask, keys, q) : null;
    weights.set(softmax(row(scores, keys, q), { scale, temperature, allowed }).weights, q * keys);
  }
  return weights;
}

/**
 * The largest difference between two lists of equal length.
 * @param {any} left
 * @param {any} right
 */
export function apart(left, right) {
  let largest = 0;
  for (let i = 0; i < left.length; i++) largest = Math.max(largest, Math.abs(left[i] - right[i]));
  return largest;
}

/**
 * PE(position, dimension) of section 3.5: sine and cosine alternate.
 * @param {number} position
 * @param {number} dimension
 * @param {number} width
 */
export function sinusoid(position, dimension, width) {
  const angle = position / 10000 ** ((dimension - (dimension % 2)) / width);
  return { angle, value: dimension % 2 ? Math.cos(angle) : Math.sin(angle) };
}

/** The same sum with the terms of the largest first factors in front. @param {Spelled} spelled */
export function heaviestFirst(spelled) {
  return {
    ...spelled,
    terms: [...spelled.terms].sort((left, right) => Math.abs(right[0]) - Math.abs(left[0])),
    sorted: true,
  };
}

/**
 * Which terms of a long sum to print: the first ones and the last, with what the rest adds up to, so that a reader with
 * a calculator arrives at the same sum.
 * @param {any} spelled
 * @param {number} [first]
 */
export function shown(spelled, first = 3) {
  const { terms } = spelled;
  if (terms.length <= first + 2) return { head: terms, hidden: 0, rest: 0, tail: [] };
  const tail = [terms[terms.length - 1]];
  let rest = 0;
  for (const [x, y] of terms.slice(first, -1)) rest += x * y;
  return { head: terms.slice(0, first), hidden: terms.length - first - 1, rest, tail };
}
