/**
 * Numbers that look random and are the same for the same seed, in every browser.
 *
 * Weyl's sequence: a counter that grows by an odd constant visits all 2^32 states once; multiplications and shifts then
 * mix the bits of the state until neighbours have nothing in common.
 */

/** A source of numbers from 0 up to, but not including, 1. @param {number} seed @returns {() => number} */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

/**
 * A whole number from `least` to `most`, both included.
 * @param {() => number} random
 * @param {number} least
 * @param {number} most
 */
export const between = (random, least, most) => least + Math.floor(random() * (most - least + 1));

/** One of several. @template T @param {() => number} random @param {ArrayLike<T>} choices @returns {T} */
export const oneOf = (random, choices) => choices[between(random, 0, choices.length - 1)];
