/** Chapter 3: one word among eight that say nothing, and what the state keeps of it. */
import { chart, range, reading, steering } from "course/figure";
import { segmented, slider } from "page/elements/controls";
import { digits } from "page/numbers/numbers";

/** @import { Figure } from "course/figure" */

const WORDS = 8;
const PLACES = [1, 3, 6];

/**
 * h' = tanh(x + u h), or the same without tanh: the state after each word.
 * @param {number[]} words
 * @param {number} keep  u
 * @param {boolean} bent
 */
export function states(words, keep, bent) {
  let state = 0;
  return words.map((word) => {
    const sum = word + keep * state;
    state = bent ? Math.tanh(sum) : sum;
    return state;
  });
}

/** @type {Figure} */
export const recurrence = {
  start: { keep: 0.5, bent: true },
  render(context, { keep, bent }, set) {
    const series = PLACES.map((place) => {
      const words = range(1, WORDS).map((t) => (t === place ? 1 : 0));
      return {
        name: `at word ${place}`,
        points: states(words, keep, bent).map((state, t) => [t + 1, state]),
        dots: true,
      };
    });
    const all = series.flatMap(({ points }) => points.map(([, y]) => y));
    const [low, high] = [Math.min(0, ...all), Math.max(1, ...all)];
    const last = series[0].points[WORDS - 1][1];
    return [
      steering(
        slider("u, what the state is multiplied by", {
          min: -1.2,
          max: 1.5,
          step: 0.05,
          value: keep,
          shown: digits(keep, 2),
          onchange: (value) => set({ keep: value }),
        }),
        segmented(
          "Bend",
          [
            { value: true, name: "h' = tanh(x + u h)" },
            { value: false, name: "h' = x + u h" },
          ],
          bent,
          (value) => set({ bent: value }),
        ),
      ),
      chart(context, {
        name: "recurrence",
        title: "The state after each word, where one word is 1 and the others 0",
        label: `After eight words ${digits(last, 4)} is left of the first.`,
        x: { label: "words read", domain: [1, WORDS], ticks: range(1, WORDS) },
        y: {
          label: "state",
          domain: [low, high],
          ticks: [low, 0, 0.5, high].filter((tick, i, ticks) => ticks.indexOf(tick) === i),
          write: (/** @type {number} */ one) => digits(one, 1),
        },
        series,
        right: 110,
      }),
      reading(
        `After eight words ${digits(last, 4)} is left of the first. `,
        Math.abs(keep) > 1 && !bent
          ? "A factor above one does not fade, it grows: nothing else will be seen beside it."
          : "",
        Math.abs(keep) > 1 && bent
          ? "tanh holds the state below one, so it no longer tells how large the word was."
          : "",
        Math.abs(keep) <= 1 ? `Each step multiplies by ${digits(keep, 2)}${bent ? " or less" : ""}.` : "",
      ),
    ];
  },
};
