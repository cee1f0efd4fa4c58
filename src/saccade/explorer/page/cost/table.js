/**
 * Table 1 of the Transformer's paper as functions of n, d, k and r: what one layer computes, how many of its steps wait
 * for another, and how many layers or steps lie between the two ends of a sentence. Pure arithmetic.
 *
 *   n  tokens      d  numbers of a token's vector      k  positions a convolution sees      r  positions a window sees
 */

import { MAGNITUDES } from "page/cost/magnitudes";
import { thousands } from "page/numbers/thousands";

/** @typedef {{n: number, d: number, k: number, r: number}} Sizes */

/** The kinds of layer in the order of the table. */
export const KINDS = ["self-attention", "recurrent", "convolutional", "restricted"];

/** A window cannot see more than the sentence has. @param {Sizes} given */
export const seen = ({ n, r }) => Math.min(n, r);

/**
 * Operations of a layer as the table counts them: no constants, no projections.
 * @type {Record<string, (s: Sizes) => number>}
 */
export const OPERATIONS = {
  "self-attention": ({ n, d }) => n * n * d,
  recurrent: ({ n, d }) => n * d * d,
  convolutional: ({ n, d, k }) => k * n * d * d,
  restricted: (sizes) => seen(sizes) * sizes.n * sizes.d,
};

/**
 * Multiply-adds of the layers of this package, constants and projections included: layers/vaswani_table_1.py.
 * @type {Record<string, (s: Sizes) => number>}
 */
export const MULTIPLY_ADDS = {
  "self-attention": ({ n, d }) => 4 * n * d * d + 2 * n * n * d,
  recurrent: ({ n, d }) => 8 * n * d * d,
  convolutional: ({ n, d, k }) => 2 * k * n * d * d,
  restricted: ({ n, d, r }) => {
    const block = Math.floor(r / 2) + 1;
    const computed = n > 4 * block ? Math.ceil(n / block) * 3 * block * block : n * n;
    return 4 * n * d * d + 2 * computed * d;
  },
};

/** Steps of a layer that come one after the other, however many processors there are. */
export const SEQUENTIAL = {
  "self-attention": () => 1,
  /** @param {Sizes} given */
  recurrent: ({ n }) => n,
  convolutional: () => 1,
  restricted: () => 1,
};

/** The table's longest way between two positions, rounded up to whole layers or steps. */
export const PATH = {
  "self-attention": () => 1,
  /** @param {Sizes} given */
  recurrent: ({ n }) => n,
  /** @param {Sizes} given */
  convolutional: ({ n, k }) => (k > 1 ? logarithm(n, k) : Infinity),
  /** @param {Sizes} sizes */
  restricted: (sizes) => Math.ceil(sizes.n / seen(sizes)),
};

/**
 * ceil(log_k n) without rounding errors: how often 1 must be multiplied by k to reach n; at least one layer.
 * @param {number} n
 * @param {number} k
 */
function logarithm(n, k) {
  let layers = 0;
  for (let reach = 1; reach < n; reach *= k) layers += 1;
  return Math.max(1, layers);
}

/**
 * Layers until the first and the last word meet when every layer sees as far to the left as to the right and none is
 * dilated: each reaches (k - 1) / 2 further. This is what a stack of plain layers really needs.
 * @param {number} n
 * @param {number} width
 */
export function plainStack(n, width) {
  const reach = Math.floor((width - 1) / 2);
  if (n < 2) return 1;
  return reach > 0 ? Math.max(1, Math.ceil((n - 1) / reach)) : Infinity;
}

/** All four rows. @param {Sizes} sizes */
export function table(sizes) {
  return KINDS.map((kind) => ({
    kind,
    operations: OPERATIONS[kind](sizes),
    sequential: SEQUENTIAL[/** @type {keyof typeof SEQUENTIAL} */ (kind)](sizes),
    path: PATH[/** @type {keyof typeof PATH} */ (kind)](sizes),
    plain:
      kind === "convolutional"
        ? plainStack(sizes.n, sizes.k)
        : kind === "restricted"
          ? plainStack(sizes.n, seen(sizes))
          : null,
  }));
}

/** 1, 2, 4, 8 ... up to `most`, which is the last one: where a curve is drawn. @param {number} most */
export function doubling(most) {
  const lengths = [];
  for (let n = 1; n < most; n *= 2) lengths.push(n);
  lengths.push(most);
  return lengths;
}

/** A count in words people read: 1,234,567. @param {number} count */
export const grouped = (count) => (Number.isFinite(count) ? thousands(count) : "∞");

/** How many times: 16, 2.1. @param {number} ratio */
export const times = (ratio) => (ratio >= 10 ? thousands(ratio) : ratio.toPrecision(2));

/** Three digits that count, and never an exponent. @param {number} value */
const three = (value) => (value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2));

/**
 * The largest unit of which there is at least one, once rounded.
 * @param {number} value
 * @param {[number, string][]} units
 */
export function inUnits(value, units) {
  const [size, name] = units.find(([one]) => Number((value / one).toPrecision(3)) >= 1) ?? units[units.length - 1];
  return `${three(value / size)} ${name}`;
}

/** A count in few characters: 3.10 million. @param {number} count */
export function rounded(count) {
  if (!Number.isFinite(count)) return "∞";
  return count < 1000
    ? grouped(count)
    : inUnits(count, [
        [1e12, MAGNITUDES.trillion],
        [1e9, MAGNITUDES.billion],
        [1e6, MAGNITUDES.million],
        [1e3, MAGNITUDES.thousand],
      ]);
}

/** A size of memory. @param {number} count */
export function bytes(count) {
  return count < 1024
    ? `${count} ${MAGNITUDES.bytes}`
    : inUnits(count, [
        [2 ** 40, "TiB"],
        [2 ** 30, "GiB"],
        [2 ** 20, "MiB"],
        [2 ** 10, "KiB"],
      ]);
}

/** Seconds as people say them: 41.0 µs, 3.20 ms, 1.10 s. @param {number} seconds */
export function duration(seconds) {
  return inUnits(seconds, [
    [1, "s"],
    [1e-3, "ms"],
    [1e-6, "µs"],
  ]);
}

/**
 * The measured seconds at n: read off where n was measured, else along the straight line between its neighbours on
 * logarithmic axes, and null beyond the ends.
 * @param {{lengths: number[], kinds: Record<string, {seconds: number[]}>}} cost
 * @param {string} kind
 * @param {number} n
 */
export function secondsAt(cost, kind, n) {
  const { lengths } = cost;
  const { seconds } = cost.kinds[kind];
  const exact = lengths.indexOf(n);
  if (exact >= 0) return seconds[exact];
  const above = lengths.findIndex((length) => length > n);
  if (above <= 0) return null;
  const share = Math.log(n / lengths[above - 1]) / Math.log(lengths[above] / lengths[above - 1]);
  return seconds[above - 1] * (seconds[above] / seconds[above - 1]) ** share;
}
