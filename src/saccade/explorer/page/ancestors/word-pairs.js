/** Two sentences word by word, and how differently one word looks in them: pure functions. */

/**
 * Places of the same word; null where a sentence has none. @typedef {{left: number | null, right: number | null,
 * same?: boolean}} Pair
 */

/**
 * Pairs the words of two sentences so that as many as possible are equal, in order (longest common subsequence).
 * @param {string[]} left @param {string[]} right
 * @returns {{left: number | null, right: number | null}[]}
 */
export function paired(left, right) {
  const best = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      best[i][j] = left[i] === right[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
  const pairs = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) pairs.push({ left: i++, right: j++ });
    else if (j >= right.length || (i < left.length && best[i + 1][j] >= best[i][j + 1]))
      pairs.push({ left: i++, right: null });
    else pairs.push({ left: null, right: j++ });
  }
  return together(pairs);
}

/** One word replaced by another stands as one pair, not as one lost and one won. @param {Pair[]} pairs */
function together(pairs) {
  const out = [];
  let at = 0;
  while (at < pairs.length) {
    const lost = [];
    const won = [];
    while (at < pairs.length && (pairs[at].left === null || pairs[at].right === null)) {
      if (pairs[at].left !== null) lost.push(pairs[at].left);
      else won.push(pairs[at].right);
      at += 1;
    }
    for (let i = 0; i < Math.max(lost.length, won.length); i++)
      out.push({ left: lost[i] ?? null, right: won[i] ?? null });
    if (at < pairs.length) out.push(pairs[at++]);
  }
  return out;
}

/**
 * A row of weights of each sentence, laid side by side over the pairs; nothing where a sentence has no such word.
 * @param {{left: number | null, right: number | null}[]} pairs
 * @param {ArrayLike<number>} left @param {ArrayLike<number>} right
 */
export function sideBySide(pairs, left, right) {
  return pairs.map((pair) => ({
    left: pair.left === null ? 0 : left[pair.left],
    right: pair.right === null ? 0 : right[pair.right],
  }));
}

/**
 * Half of the sum of absolute differences: the share of attention that went elsewhere, from 0 to 1.
 * @param {Pair[]} pairs
 * @param {ArrayLike<number>} left
 * @param {ArrayLike<number>} right
 */
export function moved(pairs, left, right) {
  let total = 0;
  for (const one of sideBySide(pairs, left, right)) total += Math.abs(one.left - one.right);
  return total / 2;
}

/**
 * The cosine of the angle between two vectors.
 * @param {ArrayLike<number>} left
 * @param {ArrayLike<number>} right
 */
export function cosine(left, right) {
  let [product, a, b] = [0, 0, 0];
  for (let i = 0; i < left.length; i++) {
    product += left[i] * right[i];
    a += left[i] ** 2;
    b += right[i] ** 2;
  }
  return a > 0 && b > 0 ? product / Math.sqrt(a * b) : 0;
}

/**
 * The mean of some rows of a matrix.
 * @param {{shape: number[], data: ArrayLike<number>}} matrix
 * @param {number[]} rows
 */
export function meanRow({ shape, data }, rows) {
  const width = shape[1];
  const mean = new Float64Array(width);
  for (const row of rows) for (let i = 0; i < width; i++) mean[i] += data[row * width + i] / rows.length;
  return mean;
}
