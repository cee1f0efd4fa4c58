/** Chapter 7: five scores that the reader sets, under six alignments. */
import { range, reading, steering } from "course/figure";
import { matrix } from "page/drawing/matrix";
import { slider } from "page/elements/controls";
import { argmax, digits, softmax, sum } from "page/numbers/numbers";

/** @import { Figure } from "course/figure" */

const START = [1.5, 1, 0.5, 0, -1];
/** Where the query stands, how far a window reaches, how many keys top-k keeps. */
const [PLACE, REACH, KEPT] = [1, 1, 2];

/** max(e - tau, 0), with the one tau for which the weights sum to one. @param {number[]} scores */
export function sparsemax(scores) {
  const ordered = scores.toSorted((a, b) => b - a);
  const sums = ordered.map((_, k) => sum(ordered.slice(0, k + 1)));
  const kept = ordered.filter((score, k) => 1 + (k + 1) * score > sums[k]).length;
  const threshold = (sums[kept - 1] - 1) / kept;
  return scores.map((score) => Math.max(score - threshold, 0));
}

/** @type {Record<string, (scores: number[]) => number[]>} */
export const ALIGNMENTS = {
  soft: (scores) => [...softmax(scores)],
  hard: (scores) => scores.map((_, i) => (i === argmax(scores) ? 1 : 0)),
  "local-m": (scores) => [
    ...softmax(
      scores,
      scores.map((_, i) => (Math.abs(i - PLACE) <= REACH ? 1 : 0)),
    ),
  ],
  "top-k": (scores) => {
    const lowest = scores.toSorted((a, b) => b - a)[KEPT - 1];
    return [
      ...softmax(
        scores,
        scores.map((score) => (score >= lowest ? 1 : 0)),
      ),
    ];
  },
  sparsemax,
  sigmoid: (scores) => scores.map((score) => 1 / (1 + Math.exp(-score))),
};

/** @type {Figure} */
export const scoresAndAlignments = {
  start: { scores: START, factor: 1 },
  render(context, { scores, factor }, set) {
    const used = /** @type {number[]} */ (scores).map((score) => score * factor);
    const names = Object.keys(ALIGNMENTS);
    const rows = names.map((name) => ALIGNMENTS[name](used));
    const most = Math.max(...rows[0]);
    return [
      steering(
        range(0, scores.length - 1).map((i) =>
          slider(`word ${i + 1}`, {
            min: -2,
            max: 3,
            step: 0.1,
            value: scores[i],
            shown: digits(scores[i], 1),
            onchange: (value) => set({ scores: scores.with(i, value) }),
          }),
        ),
        slider("all scores times", {
          min: 0,
          max: 8,
          step: 0.25,
          value: factor,
          shown: digits(factor, 2),
          onchange: (value) => set({ factor: value }),
        }),
      ),
      matrix(context, {
        values: { rows: names.length, columns: used.length, data: Float64Array.from(rows.flat()) },
        rows: names,
        columns: used.map((score, i) => `word ${i + 1}: ${digits(score, 1)}`),
        title: "The same scores under six alignments",
        name: "scores-and-alignments",
        axes: ["alignment", "score"],
      }),
      reading(
        `The slope of softmax's largest weight is ${digits(most * (1 - most), 4)}. `,
        factor > 4 ? "Large scores: soft has become hard, and hardly a slope is left to learn by." : "",
        factor === 0 ? "All scores alike: an average. Only local and top-k still choose." : "",
      ),
    ];
  },
};
