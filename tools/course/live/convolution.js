/** Chapter 8: how far one word reaches through layers of a kernel. */
import { range, reading, steering } from "course/figure";
import { matrix } from "page/drawing/matrix";
import { segmented, slider } from "page/elements/controls";
import { sum } from "page/numbers/numbers";

/** @import { Figure } from "course/figure" */

const SIDE = 8;

/** A row of Pascal's triangle as shares: 1/4, 1/2, 1/4. @param {number} width */
export function kernelOf(width) {
  let row = [1];
  while (row.length < width) row = [...row, 0].map((one, i) => one + (row[i - 1] ?? 0));
  return row.map((one) => one / 2 ** (width - 1));
}

/**
 * What is at each place after each layer, where there was a 1 in the middle before the first.
 * @param {number} width  of the kernel
 * @param {number} layers
 * @param {boolean} dilated  whether each layer's taps stand twice as far apart as those of the one before
 * @param {number} [side]
 */
export function reached(width, layers, dilated, side = SIDE) {
  const kernel = kernelOf(width);
  /** @type {number[]} */
  let now = range(-side, side).map((place) => (place === 0 ? 1 : 0));
  return range(1, layers).map((layer) => {
    const apart = dilated ? 2 ** (layer - 1) : 1;
    now = now.map((_, place) =>
      sum(kernel.map((share, tap) => share * (now[place + (tap - (width - 1) / 2) * apart] ?? 0))),
    );
    return now;
  });
}

/** @type {Figure} */
export const convolution = {
  start: { width: 3, layers: 4, dilated: false },
  render(context, { width, layers, dilated }, set) {
    const rows = reached(width, layers, dilated);
    const far = dilated ? ((width - 1) / 2) * (2 ** layers - 1) : ((width - 1) / 2) * layers;
    return [
      steering(
        segmented(
          "Kernel",
          [3, 5, 7].map((value) => ({ value, name: `${value} words wide` })),
          width,
          (value) => set({ width: value }),
        ),
        slider("layers", { min: 1, max: 8, value: layers, onchange: (value) => set({ layers: value }) }),
        segmented(
          "Taps",
          [
            { value: false, name: "side by side" },
            { value: true, name: "twice as far apart each layer" },
          ],
          dilated,
          (value) => set({ dilated: value }),
        ),
      ),
      matrix(context, {
        values: { rows: rows.length, columns: rows[0].length, data: Float64Array.from(rows.flat()) },
        rows: range(1, layers).map((layer) => `layer ${layer}`),
        columns: range(-SIDE, SIDE).map(String),
        title: "How much of one word arrives where",
        name: "convolution",
        axes: ["after", "places from the word"],
      }),
      reading(
        `After ${layers} ${layers === 1 ? "layer" : "layers"} the word is felt ${far} places away. Two words at the ends of a ` +
          `sentence of 40 words need ${needed(width, dilated, 39)} layers to meet; in self-attention, one.`,
      ),
    ];
  },
};

/** Layers until a word is felt at a distance. @param {number} width @param {boolean} dilated @param {number} distance */
export function needed(width, dilated, distance) {
  const side = (width - 1) / 2;
  return dilated ? Math.ceil(Math.log2(distance / side + 1)) : Math.ceil(distance / side);
}
