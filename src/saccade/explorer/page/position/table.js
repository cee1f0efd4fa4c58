/**
 * Positions as waves: the formulas, and what can be asked of a table whatever made it. Pure arithmetic.
 *
 *   sinusoidal      PE(pos, 2i) = sin(pos / 10000^(2i/d))     PE(pos, 2i+1) = cos(the same)
 *   halves          the same waves, all sines first, then all cosines
 *   tensor2tensor   all sines first, then all cosines; pos / 10000^(i / (d/2 - 1))
 */

/** @import { Numbers } from "page/types" */

/**
 * Which wave a place of the width is: its number, whether it is a cosine, and the exponent of 10000.
 * @param {string} kind
 * @param {number} place
 * @param {number} width
 */
export function wave(kind, place, width) {
  if (kind === "tensor2tensor") {
    const half = Math.floor(width / 2);
    if (place >= 2 * half) return null;
    const number = place % half;
    return { number, cosine: place >= half, exponent: number / Math.max(half - 1, 1) };
  }
  if (kind === "halves") {
    const half = Math.ceil(width / 2);
    const number = place % half;
    return { number, cosine: place >= half, exponent: (2 * number) / width };
  }
  const number = Math.floor(place / 2);
  return { number, cosine: place % 2 === 1, exponent: (2 * number) / width };
}

/**
 * One number of the table by the formula.
 * @param {string} kind
 * @param {number} pos
 * @param {number} place
 * @param {number} width
 */
export function position(kind, pos, place, width) {
  const found = wave(kind, place, width);
  if (!found) return 0;
  const angle = pos / 10000 ** found.exponent;
  return found.cosine ? Math.cos(angle) : Math.sin(angle);
}

/**
 * How many positions until the wave repeats: 2 pi 10000^exponent.
 * @param {string} kind
 * @param {number} place
 * @param {number} width
 */
export function wavelength(kind, place, width) {
  const found = wave(kind, place, width);
  return found ? 2 * Math.PI * 10000 ** found.exponent : Infinity;
}

/** Whether the kind is one of those that are computed by a formula. @param {string} kind */
export const computed = (kind) => ["sinusoidal", "halves", "tensor2tensor"].includes(kind);

/**
 * The largest difference between the formula and a table [positions, width] that was handed over.
 * @param {string} kind
 * @param {ArrayLike<number>} values
 * @param {any} positions
 * @param {number} width
 */
export function largestDifference(kind, values, positions, width) {
  let most = 0;
  for (let pos = 0; pos < positions; pos++)
    for (let place = 0; place < width; place++)
      most = Math.max(most, Math.abs(values[pos * width + place] - position(kind, pos, place, width)));
  return most;
}

/**
 * Row times row: how alike two positions are. [count, count]
 * @param {ArrayLike<number>} values
 * @param {number} count
 * @param {number} width
 */
export function products(values, count, width) {
  const out = new Float64Array(count * count);
  for (let i = 0; i < count; i++)
    for (let j = i; j < count; j++) {
      let total = 0;
      for (let place = 0; place < width; place++) total += values[i * width + place] * values[j * width + place];
      out[i * count + j] = total;
      out[j * count + i] = total;
    }
  return out;
}

/**
 * For each distance the mean of the products of all pairs that far apart, and how far the pairs differ among
 * themselves.
 * @param {Numbers} matrix
 * @param {number} count
 */
export function byDistance(matrix, count) {
  const rows = [];
  for (let distance = 0; distance < count; distance++) {
    let least = Infinity;
    let most = -Infinity;
    let total = 0;
    for (let i = 0; i + distance < count; i++) {
      const value = matrix[i * count + i + distance];
      least = Math.min(least, value);
      most = Math.max(most, value);
      total += value;
    }
    rows.push({ distance, mean: total / (count - distance), spread: most - least });
  }
  return rows;
}

/**
 * The length of a vector, row by row.
 * @param {ArrayLike<number>} values
 * @param {number} count
 * @param {number} width
 */
export function norms(values, count, width) {
  return Array.from({ length: count }, (_, row) => {
    let total = 0;
    for (let place = 0; place < width; place++) total += values[row * width + place] ** 2;
    return Math.sqrt(total);
  });
}
