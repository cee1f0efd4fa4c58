/** Layer norm: y = gain (x - mean) / sqrt(variance + epsilon) + shift, for every row (Ba et al. 2016). */

/** @import { Parameter, Parameters } from "page/train/network/parameters" */

/** @typedef {{gain: Parameter, shift: Parameter}} Norm */

const EPSILON = 1e-5;

/** @param {Parameters} parameters @param {string} name @param {number} width @returns {Norm} */
export const norm = (parameters, name, width) => ({
  gain: parameters.vector(`${name}.gain`, width, 1),
  shift: parameters.vector(`${name}.shift`, width, 0),
});

/** @param {Norm} given @param {Float32Array} x  [rows, width] */
export function normalise({ gain, shift }, x) {
  const width = gain.value.length;
  const rows = x.length / width;
  const y = new Float32Array(x.length);
  const standard = new Float32Array(x.length); // (x - mean) / deviation
  const deviations = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    const at = row * width;
    let mean = 0;
    for (let i = 0; i < width; i++) mean += x[at + i] / width;
    let variance = 0;
    for (let i = 0; i < width; i++) variance += (x[at + i] - mean) ** 2 / width;
    deviations[row] = Math.sqrt(variance + EPSILON);
    for (let i = 0; i < width; i++) {
      standard[at + i] = (x[at + i] - mean) / deviations[row];
      y[at + i] = gain.value[i] * standard[at + i] + shift.value[i];
    }
  }

  /**
   * Moving all of x, or stretching it, changes nothing. So the part of the gradient along (1, ..., 1) and the part
   * along the standardised row itself are taken out.
   * @param {Float32Array} dy
   */
  const backward = (dy) => {
    const dx = new Float32Array(x.length);
    for (let row = 0; row < rows; row++) {
      const at = row * width;
      let alongOnes = 0;
      let alongRow = 0;
      for (let i = 0; i < width; i++) {
        gain.gradient[i] += dy[at + i] * standard[at + i];
        shift.gradient[i] += dy[at + i];
        const d = dy[at + i] * gain.value[i];
        alongOnes += d / width;
        alongRow += (d * standard[at + i]) / width;
      }
      for (let i = 0; i < width; i++) {
        const d = dy[at + i] * gain.value[i];
        dx[at + i] = (d - alongOnes - standard[at + i] * alongRow) / deviations[row];
      }
    }
    return dx;
  };
  return { y, backward };
}
