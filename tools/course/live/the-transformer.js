/** Chapter 11: every weight of a Transformer of the reader's own sizes, counted. */
import { bars, reading, steering } from "course/figure";
import { segmented, slider } from "page/elements/controls";
import { digits } from "page/numbers/numbers";

/** @import { Figure } from "course/figure" */

/** @typedef {{layers: number, width: number, inner: number, heads: number, vocabulary: number}} Sizes */

/** The paper's two models, Table 3. @type {Record<string, Sizes>} */
const MODELS = {
  base: { layers: 6, width: 512, inner: 2048, heads: 8, vocabulary: 37000 },
  big: { layers: 6, width: 1024, inner: 4096, heads: 16, vocabulary: 37000 },
};

/**
 * Weights by part. A layer of the encoder has one attention, one of the decoder two; four matrices each, however many
 * heads share them. Words are counted once: the same table is read, written from and compared with.
 * @param {Sizes} sizes
 */
export function counts({ layers, width, inner, vocabulary }) {
  return {
    attention: 3 * layers * 4 * width ** 2,
    "feed-forward": 2 * layers * (2 * width * inner + inner + width),
    words: vocabulary * width,
    norms: 5 * layers * 2 * width,
  };
}

/** @type {Figure} */
export const theTransformer = {
  start: MODELS.base,
  render(_context, sizes, set) {
    const parts = counts(sizes);
    const total = Object.values(parts).reduce((all, one) => all + one, 0);
    const chosen = Object.keys(MODELS).find((name) =>
      Object.entries(MODELS[name]).every(([key, value]) => sizes[key] === value),
    );
    /** @param {keyof Sizes} key @param {string} label @param {number} min @param {number} max @param {number} step */
    const size = (key, label, min, max, step) =>
      slider(label, { min, max, step, value: sizes[key], onchange: (value) => set({ [key]: value }) });
    return [
      steering(
        segmented(
          "Model",
          Object.keys(MODELS).map((value) => ({ value, name: value })),
          chosen,
          (value) => set(MODELS[value]),
        ),
        size("layers", "layers each side", 1, 12, 1),
        size("width", "width", 64, 1024, 64),
        size("inner", "inner width", 128, 4096, 128),
        size("heads", "heads", 1, 16, 1),
        size("vocabulary", "pieces", 1000, 50000, 1000),
      ),
      bars(
        "Weights, in millions",
        Object.entries(parts).map(([name, value]) => ({ name, value, shown: digits(value / 1e6, 2) })),
      ),
      reading(
        `${digits(total / 1e6, 1)} million in all. Move the heads: nothing changes. They share the same matrices.`,
      ),
    ];
  },
};
