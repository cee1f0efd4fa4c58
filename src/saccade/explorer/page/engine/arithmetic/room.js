/**
 * Room for numbers, cut from large arrays.
 *
 * A step of a decoder makes some fifty short-lived arrays, and a browser takes longer to make one than to fill it: ten
 * microseconds against one, in Chromium. A part of a larger array is made at once. The larger one is collected when no
 * part of it is used any more.
 */

/** How many numbers a large array has: one megabyte of them. */
const LARGE = 2 ** 18;

let large = new Float32Array(LARGE);
let used = 0;

/** So many zeros. @param {number} count */
export function zeros(count) {
  if (count > LARGE / 4) return new Float32Array(count);
  if (used + count > LARGE) {
    large = new Float32Array(LARGE);
    used = 0;
  }
  used += count;
  return large.subarray(used - count, used);
}

/** The same numbers elsewhere. @param {Float32Array} numbers */
export function copied(numbers) {
  const copy = zeros(numbers.length);
  copy.set(numbers);
  return copy;
}
