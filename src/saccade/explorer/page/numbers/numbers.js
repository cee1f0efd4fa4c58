/** Arithmetic and digits: pure functions on plain and typed arrays. */

/** @import { Numbers } from "page/types" */

/** A number as people read it: fixed places, never an exponent. @param {number} value @param {number} [places] */
export function digits(value, places = 4) {
  return Number.isFinite(value) ? value.toFixed(places) : "–";
}

/** A number of any size in few characters: 0.0312, 12.35, 1.20e-7. @param {number} value */
export function short(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  return size >= 100 ? value.toFixed(1) : size >= 10 ? value.toFixed(2) : value.toFixed(4);
}

/** A share as a percentage; one that is hardly there says so. @param {number} value */
export function percent(value) {
  if (value > 0 && value < 0.0005) return "< 0.1 %";
  return `${(100 * value).toFixed(value >= 0.1 || value === 0 ? 0 : 1)} %`;
}

/** @param {Iterable<number>} values */
export function sum(values) {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** @param {ArrayLike<number>} left @param {ArrayLike<number>} right */
export function dot(left, right) {
  let total = 0;
  for (let i = 0; i < left.length; i++) total += left[i] * right[i];
  return total;
}

/** The place of the largest value; the first of several. @param {ArrayLike<number>} values */
export function argmax(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

/** The largest absolute value. @param {Iterable<number>} values */
export function extent(values) {
  let most = 0;
  for (const value of values) most = Math.max(most, Math.abs(value));
  return most;
}

/**
 * exp(x_i) / sum_j exp(x_j), over those that are allowed; zero elsewhere. The maximum is taken off first.
 * @param {ArrayLike<number>} scores
 * @param {ArrayLike<number> | null} [allowed]
 */
export function softmax(scores, allowed = null) {
  let most = -Infinity;
  for (let i = 0; i < scores.length; i++) if (!allowed || allowed[i]) most = Math.max(most, scores[i]);
  const out = new Float64Array(scores.length);
  let total = 0;
  for (let i = 0; i < scores.length; i++) {
    if (allowed && !allowed[i]) continue;
    out[i] = Math.exp(scores[i] - most);
    total += out[i];
  }
  if (total > 0) for (let i = 0; i < out.length; i++) out[i] /= total;
  return out;
}

/** -sum p log2 p, in bits. @param {Iterable<number>} weights */
export function entropy(weights) {
  let bits = 0;
  for (const p of weights) if (p > 0) bits -= p * Math.log2(p);
  return bits;
}

/**
 * (x - mean) / sqrt(variance + epsilon), times gain, plus shift.
 * @param {Numbers} values
 * @param {ArrayLike<number> | null} [gain]
 * @param {ArrayLike<number> | null} [shift]
 * @param {number} [epsilon]
 */
export function layerNorm(values, gain = null, shift = null, epsilon = 1e-5) {
  const mean = sum(values) / values.length;
  let variance = 0;
  for (const value of values) variance += (value - mean) ** 2;
  variance /= values.length;
  return Float64Array.from(
    values,
    (value, i) => ((value - mean) / Math.sqrt(variance + epsilon)) * (gain ? gain[i] : 1) + (shift ? shift[i] : 0),
  );
}

/**
 * [rows, inner] times [inner, columns].
 * @param {ArrayLike<number>} left
 * @param {ArrayLike<number>} right
 * @param {number} rows
 * @param {number} inner
 * @param {number} columns
 */
export function matmul(left, right, rows, inner, columns) {
  const out = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let k = 0; k < inner; k++) {
      const factor = left[i * inner + k];
      for (let j = 0; j < columns; j++) out[i * columns + j] += factor * right[k * columns + j];
    }
  return out;
}

/**
 * The places of a row from its largest value on, until they hold the share `mass` of the row's sum.
 * @param {Numbers} values
 * @param {number} mass
 */
export function heaviest(values, mass) {
  const order = [...values.keys()].sort((a, b) => values[b] - values[a]);
  const wanted = mass * sum(values) - 1e-9;
  const kept = new Set();
  let held = 0;
  for (const place of order) {
    if (held >= wanted) break;
    held += values[place];
    kept.add(place);
  }
  return kept;
}
