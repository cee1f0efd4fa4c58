/** Chapter 14: the systems side by side, by whichever measurement the reader asks for. */
import { bars, reading, steering } from "course/figure";
import { segmented, slider } from "page/elements/controls";

/** @import { Figure } from "course/figure" */

/** A row of the table of the lineage: {system, "BLEU, test 2016": "12.4 ± 0.1", ...}. @typedef {Record<string, string>} Row */

/** What grows with the sentence: "2 n + 11". @param {string} formula @param {number} words */
export function atLength(formula, words) {
  const [, factor, , rest] = /^(?:(\d*) ?(n)(?: \+ )?)?(\d*)$/.exec(formula) ?? [];
  const grows = formula.includes("n") ? Number(factor || 1) * words : 0;
  return grows + Number(rest || 0);
}

/** @type {Record<string, {column: string, name: string, better: string}>} */
const MEASURES = {
  bleu: { column: "BLEU, test 2016", name: "BLEU", better: "More is better." },
  perplexity: {
    column: "perplexity",
    name: "perplexity",
    better: "Less is better: among how many words it had to choose.",
  },
  training: {
    column: "training, tokens/s, 24 processes on one GPU",
    name: "training speed",
    better: "Tokens a second, 24 processes sharing one GPU; more is better.",
  },
  decoding: { column: "decoding, tokens/s", name: "decoding speed", better: "Tokens a second; more is better." },
  chain: {
    column: "sequential operations",
    name: "operations in a chain",
    better: "Operations that must wait for each other; less is better.",
  },
  path: {
    column: "path from the source",
    name: "path",
    better: "Steps from a source word to the output; less is better.",
  },
};

/** @returns {Row[]} */
const rows = () => JSON.parse(document.getElementById("lineage")?.textContent ?? "[]");

/** @type {Figure} */
export const whatEachIdeaBought = {
  start: { measure: "bleu", words: 20 },
  render(_context, { measure, words }, set) {
    const { column, name, better } = MEASURES[measure];
    const grows = measure === "chain" || measure === "path";
    const shown = rows().map((row) => {
      const text = row[column];
      const value = grows ? atLength(text, words) : Number(text.split(" ±")[0].replaceAll(",", ""));
      return { name: row.system, value, shown: grows && text.includes("n") ? `${value} = ${text}` : text };
    });
    return [
      steering(
        segmented(
          "Measured",
          Object.entries(MEASURES).map(([value, one]) => ({ value, name: one.name })),
          measure,
          (value) => set({ measure: value }),
        ),
        grows
          ? slider("words in the sentence, n", {
              min: 1,
              max: 100,
              value: words,
              onchange: (value) => set({ words: value }),
            })
          : null,
      ),
      bars(`${name[0].toUpperCase()}${name.slice(1)}, German to English captions`, shown),
      reading(better),
    ];
  },
};
