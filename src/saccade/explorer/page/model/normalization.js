/**
 * Two ways to bring numbers to zero mean and unit variance: along a word's own vector (layer norm), or along all words
 * at each place of the vector (batch norm, here over the positions of one sentence). Pure arithmetic.
 */

/** @import { Numbers } from "page/types" */

/** The value of the paper's own code. */
export const EPSILON = 1e-6;

/** @param {number} count @param {any} read @param {any} write @param {number} epsilon */
function normalised(count, read, write, epsilon) {
  let mean = 0;
  for (let i = 0; i < count; i++) mean += read(i);
  mean /= count;
  let variance = 0;
  for (let i = 0; i < count; i++) variance += (read(i) - mean) ** 2;
  const deviation = Math.sqrt(variance / count + epsilon);
  for (let i = 0; i < count; i++) write(i, (read(i) - mean) / deviation);
}

/**
 * Each row by itself.
 * @param {ArrayLike<number>} values [rows, width]
 * @param {number} rows
 * @param {number} width
 * @param {number} [epsilon]
 */
export function overWidth(values, rows, width, epsilon = EPSILON) {
  const out = new Float64Array(rows * width);
  for (let row = 0; row < rows; row++)
    normalised(
      width,
      (/** @type {number} */ j) => values[row * width + j],
      (/** @type {number} */ j, /** @type {number} */ value) => (out[row * width + j] = value),
      epsilon,
    );
  return out;
}

/**
 * Each column by itself: a word's numbers depend on which other words stand there.
 * @param {Numbers} values
 * @param {number} rows
 * @param {number} width
 * @param {number} [epsilon]
 */
export function overPositions(values, rows, width, epsilon = EPSILON) {
  const out = new Float64Array(rows * width);
  for (let column = 0; column < width; column++)
    normalised(
      rows,
      (/** @type {number} */ i) => values[i * width + column],
      (/** @type {number} */ i, /** @type {number} */ value) => (out[i * width + column] = value),
      epsilon,
    );
  return out;
}

/**
 * Gain and shift of each place of the width.
 * @param {Numbers} values
 * @param {any} _rows
 * @param {number} width
 * @param {any} gain
 * @param {any} shift
 */
export function affine(values, _rows, width, gain, shift) {
  return Float64Array.from(values, (value, at) => value * gain[at % width] + shift[at % width]);
}

/**
 * The same states with one row replaced by another one's: as if another word stood there.
 * @param {Numbers} values
 * @param {number} width
 * @param {number} row
 * @param {any} by
 */
export function replaced(values, width, row, by) {
  const out = Float64Array.from(values);
  for (let j = 0; j < width; j++) out[row * width + j] = values[by * width + j];
  return out;
}

/**
 * How far each row moved: the largest change of any of its numbers.
 * @param {any} before
 * @param {any} after
 * @param {number} rows
 * @param {number} width
 */
export function moved(before, after, rows, width) {
  return Array.from({ length: rows }, (_, row) => {
    let most = 0;
    for (let j = 0; j < width; j++) most = Math.max(most, Math.abs(before[row * width + j] - after[row * width + j]));
    return most;
  });
}

/**
 * The largest difference of two arrays.
 * @param {any} left
 * @param {any} right
 */
export function apart(left, right) {
  let most = 0;
  for (let i = 0; i < left.length; i++) most = Math.max(most, Math.abs(left[i] - right[i]));
  return most;
}

/**
 * Mean and variance of each row.
 * @param {Numbers} values
 * @param {number} rows
 * @param {number} width
 */
export function moments(values, rows, width) {
  return Array.from({ length: rows }, (_, row) => {
    let mean = 0;
    for (let j = 0; j < width; j++) mean += values[row * width + j];
    mean /= width;
    let variance = 0;
    for (let j = 0; j < width; j++) variance += (values[row * width + j] - mean) ** 2;
    return { mean, variance: variance / width };
  });
}
