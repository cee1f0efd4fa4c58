/** Chapter 2: a network of a few units learns a table of four cases, by gradients, from a start that is drawn. */
import { chart, reading, steering } from "course/figure";
import { matrix } from "page/drawing/matrix";
import { segmented, slider } from "page/elements/controls";
import { digits } from "page/numbers/numbers";
import { randomNumbers } from "page/train/network/random";

/** @import { Figure } from "course/figure" */

const CASES = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
];
/** @type {Record<string, number[]>} */
const ANSWERS = { and: [0, 0, 0, 1], or: [0, 1, 1, 1], "exclusive or": [0, 1, 1, 0] };
const RATE = 0.2;
const STEPS = 300;

/** @typedef {{inner: number[][], bias: number[], outer: number[], last: number}} Weights */

/** Between -1 and 1. @param {number} units @param {number} seed @returns {Weights} */
export function drawn(units, seed) {
  const random = randomNumbers(seed);
  const number = () => 2 * random() - 1;
  return {
    inner: Array.from({ length: units }, () => [number(), number()]),
    bias: Array.from({ length: units }, number),
    outer: Array.from({ length: units }, number),
    last: number(),
  };
}

/** max(0, W x + b), and the weighted sum of that. @param {Weights} weights @param {number[]} x */
export function forward({ inner, bias, outer, last }, x) {
  const hidden = inner.map(([w, v], i) => Math.max(0, w * x[0] + v * x[1] + bias[i]));
  return { hidden, answer: hidden.reduce((sum, one, i) => sum + outer[i] * one, last) };
}

/**
 * The mean of the squared errors of the four cases, and how it changes with every weight.
 * @param {Weights} weights
 * @param {number[]} wanted
 */
export function lossAndGradient(weights, wanted) {
  /** @type {Weights} */
  const gradient = {
    inner: weights.inner.map(() => [0, 0]),
    bias: weights.bias.map(() => 0),
    outer: weights.outer.map(() => 0),
    last: 0,
  };
  let loss = 0;
  CASES.forEach((x, at) => {
    const { hidden, answer } = forward(weights, x);
    const error = answer - wanted[at];
    loss += error ** 2 / CASES.length;
    const slope = (2 * error) / CASES.length;
    gradient.last += slope;
    hidden.forEach((one, i) => {
      gradient.outer[i] += slope * one;
      if (one <= 0) return; // a bent unit passes nothing back
      const back = slope * weights.outer[i];
      gradient.bias[i] += back;
      gradient.inner[i][0] += back * x[0];
      gradient.inner[i][1] += back * x[1];
    });
  });
  return { loss, gradient };
}

/** The weights after some steps, and the loss before each. @param {Weights} weights @param {number[]} wanted @param {number} steps */
export function learned(weights, wanted, steps) {
  const losses = [];
  let now = weights;
  for (let step = 0; step <= steps; step++) {
    const { loss, gradient } = lossAndGradient(now, wanted);
    losses.push(loss);
    if (step === steps) break;
    now = {
      inner: now.inner.map((row, i) => row.map((one, j) => one - RATE * gradient.inner[i][j])),
      bias: now.bias.map((one, i) => one - RATE * gradient.bias[i]),
      outer: now.outer.map((one, i) => one - RATE * gradient.outer[i]),
      last: now.last - RATE * gradient.last,
    };
  }
  return { weights: now, losses };
}

/** @type {Figure} */
export const perceptrons = {
  start: { table: "exclusive or", units: 2, steps: 0, seed: 5 },
  render(context, { table, units, steps, seed }, set) {
    const wanted = ANSWERS[table];
    const start = drawn(units, seed);
    const { losses } = learned(start, wanted, STEPS);
    const most = Math.max(0.5, Math.ceil(2 * losses[0]) / 2);
    const { weights } = learned(start, wanted, steps);
    const rows = CASES.map((x, at) => {
      const { hidden, answer } = forward(weights, x);
      return [...x, ...hidden, answer, wanted[at]];
    });
    const answers = rows.map((row) => row[row.length - 2]);
    const right = answers.every((answer, at) => (answer > 0.5 ? 1 : 0) === wanted[at]);
    const names = Array.from({ length: units }, (_, i) => `unit ${i + 1}`);
    return [
      steering(
        segmented(
          "Table",
          Object.keys(ANSWERS).map((value) => ({ value, name: value })),
          table,
          (value) => set({ table: value }),
        ),
        segmented(
          "Units",
          [1, 2, 3, 4].map((value) => ({ value, name: `${value} unit${value > 1 ? "s" : ""}` })),
          units,
          (value) => set({ units: value }),
        ),
        slider("steps learned", { min: 0, max: STEPS, value: steps, onchange: (value) => set({ steps: value }) }),
        slider("start", { min: 1, max: 20, value: seed, onchange: (value) => set({ seed: value }) }),
      ),
      matrix(context, {
        values: { rows: 4, columns: units + 4, data: Float64Array.from(rows.flat()) },
        rows: ["neither", "second only", "first only", "both"],
        columns: ["first", "second", ...names, "answer", "wanted"],
        scale: "diverging",
        limit: 1.5,
        title: "Four cases through the network",
        name: "perceptrons",
        axes: ["case", "number"],
        legend: false,
      }),
      chart(context, {
        name: "perceptrons-loss",
        title: "Error, step by step",
        label: `The mean squared error falls from ${digits(losses[0], 2)} to ${digits(losses[STEPS], 3)}.`,
        x: { label: "steps", domain: [0, STEPS], ticks: [0, 100, 200, 300] },
        y: {
          label: "error",
          domain: [0, most],
          ticks: [0, most / 2, most],
          write: (/** @type {number} */ one) => digits(one, 2),
        },
        series: [
          { name: "", points: losses.map((loss, step) => [step, loss]) },
          { name: "", points: [[steps, losses[steps]]], dots: true, line: false, style: 1 },
        ],
        right: 24,
      }),
      reading(
        right ? "Above 0.5 means yes: all four are right. " : "Above 0.5 means yes: not all four are right yet. ",
        units === 1 && table === "exclusive or"
          ? "One unit bends the plane once. However long it learns, exclusive or is beyond it."
          : "Try other starts: many are stuck, because a unit that is bent in all four cases has no slope to learn by. More units are more chances.",
      ),
    ];
  },
};
