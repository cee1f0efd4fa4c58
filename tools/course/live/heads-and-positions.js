/** Chapter 10: positions as waves, and how alike two of them are. */
import { range, reading, steering } from "course/figure";
import { matrix } from "page/drawing/matrix";
import { segmented, slider } from "page/elements/controls";
import { digits, dot } from "page/numbers/numbers";
import { sinusoids } from "page/train/network/embedding";

/** @import { Figure } from "course/figure" */

/** The product of each two positions, as a share of a position's product with itself. @param {number} count @param {number} width */
export function likeness(count, width) {
  const table = sinusoids(count, width);
  const row = (/** @type {number} */ place) => table.subarray(place * width, (place + 1) * width);
  return Float64Array.from(
    { length: count * count },
    (_, at) => (2 * dot(row(Math.floor(at / count)), row(at % count))) / width,
  );
}

/** @type {Figure} */
export const headsAndPositions = {
  start: { count: 10, width: 8, pair: 3 },
  render(context, { count, width, pair }, set) {
    const places = range(0, count - 1).map(String);
    const names = range(1, width / 2).flatMap((number) => [`sin ${number}`, `cos ${number}`]);
    const alike = likeness(count, width);
    return [
      steering(
        slider("positions", {
          min: 6,
          max: 24,
          value: count,
          onchange: (value) => set({ count: value, pair: Math.min(pair, value - 1) }),
        }),
        segmented(
          "Width",
          [4, 8, 16].map((value) => ({ value, name: `${value} numbers each` })),
          width,
          (value) => set({ width: value }),
        ),
        slider("distance", { min: 0, max: count - 1, value: pair, onchange: (value) => set({ pair: value }) }),
      ),
      matrix(context, {
        values: { rows: count, columns: width, data: sinusoids(count, width) },
        rows: places,
        columns: names,
        scale: "diverging",
        limit: 1,
        title: "Each position as the hands of clocks",
        name: "heads-and-positions",
        axes: ["position", "number"],
        cell: context.width < 480 ? 24 : 30,
        legend: false,
      }),
      matrix(context, {
        values: { rows: count, columns: count, data: alike },
        rows: places,
        columns: places,
        scale: "diverging",
        limit: 1,
        title: "How alike two positions are (the product of their rows)",
        name: "likeness",
        axes: ["position", "position"],
        cell: 18,
        legend: false,
      }),
      reading(
        `Positions ${pair} apart have a product of ${digits(alike[pair], 3)} of what a position has with itself, whether they are ` +
          `0 and ${pair} or ${count - 1 - pair} and ${count - 1}: each diagonal has one colour. The distance can be read off.`,
      ),
    ];
  },
};
