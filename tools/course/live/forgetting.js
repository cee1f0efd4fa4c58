/** Chapter 4: the slope of the first word, step by step, in a network of one number and in a gated cell. */
import { chart, range, reading, steering } from "course/figure";
import { segmented, slider } from "page/elements/controls";
import { digits, short } from "page/numbers/numbers";

/** @import { Figure } from "course/figure" */

const FIRST = 1;
const SMALLEST = 1e-8;

/**
 * What is left of the slope after each step of h' = tanh(u h): the product of u (1 - h'^2), as in the chapter.
 * @param {number} weight  u
 * @param {number} steps
 */
export function slopes(weight, steps) {
  let state = Math.tanh(FIRST);
  let left = 1;
  return [1].concat(
    range(1, steps).map(() => {
      state = Math.tanh(weight * state);
      left *= weight * (1 - state ** 2);
      return left;
    }),
  );
}

/** What a forget gate lets through at each step. @param {number} bias */
export const gate = (bias) => 1 / (1 + Math.exp(-bias));

/** @type {Figure} */
export const forgetting = {
  start: { weight: 1, bias: 1, steps: 20, log: false },
  render(context, { weight, bias, steps, log }, set) {
    const tanh = slopes(weight, steps);
    const gated = range(0, steps).map((step) => gate(bias) ** step);
    /** @param {number[]} values */
    const points = (values) => values.map((value, step) => [step, log ? Math.max(value, SMALLEST) : value]);
    return [
      steering(
        slider("u of the tanh network", {
          min: 0.1,
          max: 1.5,
          step: 0.05,
          value: weight,
          shown: digits(weight, 2),
          onchange: (value) => set({ weight: value }),
        }),
        slider("bias of the forget gate", {
          min: -1,
          max: 6,
          step: 0.5,
          value: bias,
          shown: digits(bias, 1),
          onchange: (value) => set({ bias: value }),
        }),
        slider("steps", { min: 5, max: 100, step: 5, value: steps, onchange: (value) => set({ steps: value }) }),
        segmented(
          "Axis",
          [
            { value: false, name: "shares" },
            { value: true, name: "powers of ten" },
          ],
          log,
          (value) => set({ log: value }),
        ),
      ),
      chart(context, {
        name: "forgetting",
        title: "What is left of the first word's slope",
        label: `After ${steps} steps ${short(tanh[steps])} in the tanh network, ${short(gated[steps])} in the gated cell.`,
        x: {
          label: "steps",
          domain: [0, steps],
          ticks: [0, steps / 5, (2 * steps) / 5, (3 * steps) / 5, (4 * steps) / 5, steps],
        },
        y: log
          ? {
              label: "share",
              log,
              domain: [SMALLEST, 1],
              ticks: [1e-8, 1e-6, 1e-4, 1e-2, 1],
              write: (/** @type {number} */ one) => one.toExponential(0),
            }
          : { label: "share", domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1] },
        series: [
          { name: "tanh", points: points(tanh) },
          { name: "gated cell", points: points(gated) },
        ],
        right: 110,
      }),
      reading(
        `A gate with bias ${digits(bias, 1)} lets ${digits(gate(bias), 3)} through at each step: after ${steps} steps ` +
          `${short(gated[steps])} is left, and ${short(tanh[steps])} in the tanh network. `,
        log ? "A product of equal factors is a straight line here." : "",
      ),
    ];
  },
};
