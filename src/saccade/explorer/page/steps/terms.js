/** Numbers as they stand in a sum that is written out. */
import { digits } from "page/numbers/numbers";
import { dot, moments, row, shown } from "page/steps/arithmetic";
import { SAY } from "page/steps/words";
import { role } from "page/trace/trace";

/** @import { Spelled } from "page/steps/arithmetic" */
/** @import { Choice } from "page/steps/facts" */
/** @import { Tensor, Trace } from "page/types" */

export const MINUS = "−";

/**
 * A number as it stands in a sum: a sign of its own in brackets.
 * @param {number} value
 * @param {number} [places]
 */
export const factor = (value, places = 3) => {
  const size = digits(Math.abs(value), places);
  return value < 0 && Number(size) !== 0 ? `(${MINUS}${size})` : size;
};

/**
 * A number alone.
 * @param {number} value
 * @param {number} [places]
 */
export const plain = (value, places = 4) => {
  const size = digits(Math.abs(value), places);
  return value < 0 && Number(size) !== 0 ? `${MINUS}${size}` : size;
};

/** Factors as "0.120 × 0.800 + ... + (60 more terms: 1.2040) + ...". @param {any} spelled */
export function product(spelled) {
  const { head, hidden, rest, tail } = shown(spelled);
  const written = head.map((/** @type {[number, number]} */ [x, y]) => `${factor(x)} × ${factor(y)}`);
  if (hidden) written.push(`(${spelled.sorted ? SAY.lighter(hidden) : SAY.rest(hidden)}: ${plain(rest)})`);
  written.push(...tail.map(([x, y]) => `${factor(x)} × ${factor(y)}`));
  if (spelled.plus) written.push(factor(spelled.plus));
  return written.join(" + ");
}

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {string[]} parts
 * @property {number | null} result
 * @property {number | null} stored
 * @property {number} [places]
 * @property {string} [note]
 */

/** @param {string} name @param {Spelled} spelled @param {number | null} stored */
export const sumLine = (name, spelled, stored) => ({ name, parts: [product(spelled)], result: spelled.sum, stored });

/** @param {any} name @param {...any} places */
export const cellOf = (name, ...places) => `${name}[${places.join(", ")}]`;

/** @param {Tensor} found @param {...any} places */
export const at = (found, ...places) => places.reduce((offset, place, axis) => offset * found.shape[axis] + place, 0);

/** @param {number} d @param {number} size */
export const within = (d, size) => Math.min(d, size - 1);

/**
 * w^T tanh(a + b): one unit of the tanh, and the sum over all of them.
 * @param {any} given
 * @param {ArrayLike<number>} vector
 * @param {any} unit
 * @param {string} name
 * @param {number | null} stored
 */
export function squeezed([asked, answered], vector, unit, name, stored) {
  const units = Array.from(vector, (_, i) => Math.tanh(asked[i] + answered[i]));
  return [
    {
      name: `tanh[${unit}]`,
      parts: [`tanh(${factor(asked[unit], 4)} + ${factor(answered[unit], 4)})`],
      result: units[unit],
      stored: null,
    },
    sumLine(name, dot(vector, units), stored),
  ];
}

/** @param {any} exponentials */
export function sumOfPowers(exponentials) {
  const { head, hidden, rest, tail } = shown({ terms: exponentials.map((/** @type {number} */ value) => [value, 1]) });
  const written = head.map((/** @type {any} */ [value]) => digits(value, 4));
  if (hidden) written.push(`(${SAY.rest(hidden)}: ${digits(rest, 4)})`);
  return [...written, ...tail.map(([value]) => digits(value, 4))].join(" + ");
}

/** @param {Trace} trace @param {Choice} choice @param {any} from @param {number} d */
export function normLine(trace, choice, from, d) {
  const [gain, shift, out] = ["norm_gain", "norm_shift", "norm_out"].map((name) => role(trace, choice.block, name));
  if (!from || !gain || !shift || !out) return null;
  const values = row(from.data, from.shape[1], choice.q);
  const { mean, variance } = moments(values);
  const deviation = Math.sqrt(variance + (choice.block.epsilon ?? 1e-6));
  const result = ((values[d] - mean) / deviation) * gain.data[d] + shift.data[d];
  const parts = [
    `(${plain(values[d])} ${MINUS} ${factor(mean, 4)}) ÷ ${digits(deviation, 4)} × ` +
      `${factor(gain.data[d], 4)} + ${factor(shift.data[d], 4)}`,
  ];
  return { name: cellOf("norm", choice.q, d), parts, result, stored: out.data[choice.q * from.shape[1] + d] };
}
