/** Chapter 1: a model that counts pairs of words, of whatever the reader gives it to read. */
import { reading, steering, typed } from "course/figure";
import { matrix } from "page/drawing/matrix";
import { segmented } from "page/elements/controls";
import { h } from "page/elements/dom";
import { digits } from "page/numbers/numbers";

/** @import { Figure } from "course/figure" */

const BEGIN = "(begin)";
const END = "end";
/** Padding, begin, end and unknown have numbers too; the first two are never written. */
const SPECIALS = 4;

/** The sentences of a text, each a list of words. @param {string} text */
export const sentencesOf = (text) =>
  text
    .toLowerCase()
    .split(/[.!?\n]+/)
    .map((line) => line.trim().split(/\s+/).filter(Boolean))
    .filter((line) => line.length > 0);

/**
 * How often each word stood after each other one.
 * @param {string[][]} sentences
 */
export function counted(sentences) {
  const words = [...new Set(sentences.flat())];
  /** @type {Map<string, Map<string, number>>} */
  const after = new Map();
  for (const sentence of sentences)
    [BEGIN, ...sentence].forEach((before, i) => {
      const next = sentence[i] ?? END;
      const row = after.get(before) ?? new Map();
      after.set(before, row.set(next, (row.get(next) ?? 0) + 1));
    });
  return { words, after };
}

/** D = n1 / (n1 + 2 n2); a half where there is nothing to tell it from. @param {number[]} counts */
function discount(counts) {
  const [once, twice] = [1, 2].map((often) => counts.filter((count) => count === often).length);
  return once * twice > 0 ? once / (once + 2 * twice) : 0.5;
}

/**
 * P(word | before): shares alone, or shares from which a little is taken for what was never seen (Kneser and Ney 1995).
 * @param {ReturnType<typeof counted>} read
 * @param {boolean} smoothed
 * @returns {(before: string, word: string) => number}
 */
export function probabilities({ words, after }, smoothed) {
  /** @param {Map<string, number> | undefined} row */
  const total = (row) => [...(row?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  if (!smoothed) return (before, word) => (after.get(before)?.get(word) ?? 0) / (total(after.get(before)) || 1);
  // Below pairs a word counts as often as there are different words that it has followed.
  /** @type {Map<string, number>} */
  const followed = new Map();
  for (const row of after.values()) for (const word of row.keys()) followed.set(word, (followed.get(word) ?? 0) + 1);
  const low = discount([...followed.values()]);
  const high = discount([...after.values()].flatMap((row) => [...row.values()]));
  const all = total(followed);
  const even = 1 / (words.length + SPECIALS - 2);
  /** @param {string} word */
  const alone = (word) => (Math.max((followed.get(word) ?? 0) - low, 0) + low * followed.size * even) / (all || 1);
  return (before, word) => {
    const row = after.get(before);
    if (!row) return alone(word);
    return (Math.max((row.get(word) ?? 0) - high, 0) + high * row.size * alone(word)) / total(row);
  };
}

/** @type {Figure} */
export const countingWords = {
  start: {
    text: "the cat sleeps. the dog sleeps. the cat eats the fish.",
    line: "the dog eats the fish",
    smoothed: true,
  },
  render(context, { text, line, smoothed }, set) {
    const read = counted(sentencesOf(text));
    const probability = probabilities(read, smoothed);
    const shown = read.words.slice(0, 12);
    const columns = [...shown, END];
    const data = Float64Array.from(shown.flatMap((before) => columns.map((word) => probability(before, word))));
    const [asked = []] = sentencesOf(line);
    const steps = [...asked, END].map((word, i) => probability(asked[i - 1] ?? BEGIN, word));
    const product = steps.reduce((so, one) => so * one, 1);
    return [
      steering(
        typed("All it reads", text, (value) => set({ text: value }), 2),
        segmented(
          "Estimate",
          [
            { value: false, name: "count only" },
            { value: true, name: "smoothed" },
          ],
          smoothed,
          (value) => set({ smoothed: value }),
        ),
      ),
      matrix(context, {
        values: { rows: shown.length, columns: columns.length, data },
        rows: shown,
        columns,
        title: "Probability of the next word",
        name: "counting-words",
        axes: ["after", "next word"],
      }),
      steering(typed("A sentence to judge", line, (value) => set({ line: value }))),
      reading(
        steps.map((step) => digits(step, 2)).join(" × "),
        " = ",
        h("b", {}, product > 0 && product < 1e-4 ? product.toExponential(1) : digits(product, 4)),
        product > 0 ? `: perplexity ${digits(product ** (-1 / steps.length), 2)}.` : ": impossible, says this model.",
      ),
    ];
  },
};
