/**
 * Chapter 15: pairs of a key and a value, read one after the other into three kinds of state, then asked for.
 *
 *   a list                every pair is kept; a key asks all of them by softmax
 *   a sum                 W <- W + k^T v
 *   a state that learns   W <- W - k^T (k W - v): one step of gradient descent for each pair, as in the chapter
 */
import { chart, range, reading, steering } from "course/figure";
import { segmented, slider } from "page/elements/controls";
import { argmax, digits, dot, matmul, softmax } from "page/numbers/numbers";
import { randomNumbers } from "page/train/network/random";

/** @import { Figure } from "course/figure" */

const SHARPNESS = 30;
/** What a later place adds to a score. */
const LATER = 3;
const TRIALS = 12;

/** @param {() => number} random @param {number} width */
function direction(random, width) {
  const row = Float64Array.from({ length: width }, () => random() + random() + random() - 1.5);
  const length = Math.sqrt(dot(row, row));
  return row.map((one) => one / length);
}

/** A row times the state. @param {Float64Array} key @param {Float64Array} state */
const asked = (key, state) => matmul(key, state, 1, key.length, state.length / key.length);

/**
 * The state after every pair: `learns` takes off first what the state says already.
 * @param {Float64Array[]} keys
 * @param {Float64Array[]} values
 * @param {boolean} learns
 */
export function written(keys, values, learns) {
  const [width, size] = [keys[0].length, values[0].length];
  const state = new Float64Array(width * size);
  keys.forEach((key, at) => {
    const said = learns ? asked(key, state) : new Float64Array(size);
    for (let i = 0; i < width; i++)
      for (let j = 0; j < size; j++) state[i * size + j] += key[i] * (values[at][j] - said[j]);
  });
  return state;
}

/**
 * The share of pairs that each kind of state gives back. Where they are `corrected`, every key was read before with
 * another value, and the new one is asked for.
 * @param {number} pairs
 * @param {number} width
 * @param {boolean} corrected
 */
export function recalled(pairs, width, corrected) {
  const random = randomNumbers(11);
  const right = { list: 0, learns: 0, sum: 0 };
  for (let trial = 0; trial < TRIALS; trial++) {
    const asking = range(1, pairs).map(() => direction(random, width));
    const values = range(1, corrected ? 2 * pairs : pairs).map(() => direction(random, width));
    const keys = corrected ? [...asking, ...asking] : asking;
    const first = keys.length - pairs; // of those that are asked for
    const states = { learns: written(keys, values, true), sum: written(keys, values, false) };
    const found = (/** @type {Float64Array} */ answer) => argmax(values.map((value) => dot(value, answer))) - first;
    asking.forEach((key, at) => {
      // A list knows what came later: an order that positions give to attention.
      const weights = softmax(keys.map((other, i) => SHARPNESS * dot(other, key) + (i >= first ? LATER : 0)));
      const mixed = values[0].map((_, j) => values.reduce((total, value, i) => total + weights[i] * value[j], 0));
      right.list += Number(found(mixed) === at);
      right.learns += Number(found(asked(key, states.learns)) === at);
      right.sum += Number(found(asked(key, states.sum)) === at);
    });
  }
  const all = pairs * TRIALS;
  return { list: right.list / all, learns: right.learns / all, sum: right.sum / all };
}

/** @type {Figure} */
export const afterThePaper = {
  start: { width: 16, corrected: true },
  render(context, { width, corrected }, set) {
    const counts = [2, 4, 8, 16, 24, 32, 48, 64];
    const shares = counts.map((pairs) => recalled(pairs, width, corrected));
    /** @param {"list" | "learns" | "sum"} kind @param {string} name */
    const series = (kind, name) => ({ name, points: counts.map((pairs, i) => [pairs, shares[i][kind]]), dots: true });
    const last = shares[shares.length - 1];
    return [
      steering(
        slider("width of a key", {
          min: 4,
          max: 24,
          step: 2,
          value: width,
          onchange: (value) => set({ width: value }),
        }),
        segmented(
          "What is read",
          [
            { value: true, name: "each key twice, with a new value" },
            { value: false, name: "each key once" },
          ],
          corrected,
          (value) => set({ corrected: value }),
        ),
      ),
      chart(context, {
        name: "after-the-paper",
        title: "Pairs that come back, by how many were read",
        label: `Of 64 pairs the list gives back ${digits(last.list, 2)}, the state that learns ${digits(last.learns, 2)}, the sum ${digits(last.sum, 2)}.`,
        x: { label: "pairs read", domain: [0, 64], ticks: [0, 16, 32, 48, 64] },
        y: { label: "share", domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1] },
        series: [series("list", "a list"), series("learns", "learns"), series("sum", "a sum")],
        right: 100,
      }),
      reading(
        `The list of 64 pairs holds ${(corrected ? 256 : 128) * width} numbers and still grows; the two others ${width * width}, however much was read. `,
        corrected
          ? "Asked for the new value, a sum gives back a mixture of old and new. A state that learns has taken the old one off."
          : "Where nothing has to be corrected, adding up is no worse: each correction disturbs what was written before.",
        " Keys and values are random here, and nothing else is learned; the picture above is of trained models.",
      ),
    ];
  },
};
