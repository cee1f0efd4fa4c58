/**
 * Four numbers that describe an attention head, each a mean over its rows: tracing/head_statistics.py.
 *
 *   entropy     -sum_j p_j log p_j, in nats
 *   distance    sum_j p_j |i - j|, in positions
 *   special     the weight on special tokens
 *   diagonal    the weight within one position of the matrix's diagonal
 */

/** @import { Statistics } from "page/trace/schema" */

/**
 * The four numbers of each head.
 * @param {Float32Array} weights  [head, query, key]
 * @param {number[]} shape
 * @param {boolean[]} special
 * @returns {Statistics}
 */
export function statistics(weights, [heads, queries, keys], special) {
  const steps = Math.max(queries - 1, 1);
  /** @param {(p: number, row: number, key: number) => number} each */
  const mean = (each) =>
    Array.from({ length: heads }, (_, head) => {
      let sum = 0;
      for (let row = 0; row < queries; row++)
        for (let key = 0; key < keys; key++) sum += each(weights[(head * queries + row) * keys + key], row, key);
      return sum / queries;
    });
  return {
    entropy: mean((p) => (p > 0 ? -p * Math.log(p) : 0)),
    distance: mean((p, row, key) => p * Math.abs(row - key)),
    special: mean((p, _, key) => (special[key] ? p : 0)),
    // In whole numbers: no rounding decides what is exactly 1.
    diagonal: mean((p, row, key) => (Math.abs(key * steps - row * (keys - 1)) <= steps ? p : 0)),
  };
}
