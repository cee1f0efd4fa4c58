// What can be said about a head without looking at its picture: five numbers, an order, a filter and a few tags.
// Weights are one head's [query, key] values as they are shown, row after row: of words or of pieces.

/** @import { Numbers, State } from "page/types" */

/**
 * What heads are compared with. @typedef {{rows: number, columns: number, values: Numbers, groups: number[][]}}
 * Reference
 */

/**
 * @typedef {{entropy: number, distance: number, special: number, diagonal: number, agreement: number|null}} HeadFacts
 */

/** The five badges, in the order in which they are shown; `share` ones run from 0 to 1. */
export const BADGES = ["entropy", "distance", "special", "diagonal", "agreement"];

/**
 * Mean over the rows of - sum p log2 p, in bits: 0 looks at one place only, log2(keys) looks everywhere alike.
 * @param {Numbers} weights
 * @param {number} queries
 * @param {number} keys
 */
export function entropy(weights, queries, keys) {
  let total = 0;
  for (let i = 0; i < queries * keys; i++) if (weights[i] > 0) total -= weights[i] * Math.log2(weights[i]);
  return total / queries;
}

/**
 * Mean over the rows of sum p |query - key|: how many places away a head looks.
 * @param {Numbers} weights
 * @param {number} queries
 * @param {number} keys
 */
export function distance(weights, queries, keys) {
  let total = 0;
  for (let q = 0; q < queries; q++) for (let k = 0; k < keys; k++) total += weights[q * keys + k] * Math.abs(q - k);
  return total / queries;
}

/**
 * Mean over the rows of the weight on these keys.
 * @param {Numbers} weights
 * @param {number} queries
 * @param {number} keys
 * @param {number[]} chosen
 */
export function shareOn(weights, queries, keys, chosen) {
  let total = 0;
  for (let q = 0; q < queries; q++) for (const k of chosen) total += weights[q * keys + k];
  return total / queries;
}

/**
 * Mean over the rows of the weight within one place of the diagonal, which leads from the first pair to the last.
 * @param {Numbers} weights
 * @param {number} queries
 * @param {number} keys
 */
export function diagonal(weights, queries, keys) {
  const steps = Math.max(queries - 1, 1); // in whole numbers no rounding decides what is exactly one place away
  let total = 0;
  for (let q = 0; q < queries; q++)
    for (let k = 0; k < keys; k++) if (Math.abs(k * steps - q * (keys - 1)) <= steps) total += weights[q * keys + k];
  return total / queries;
}

/**
 * The place of each row's largest value; of equals the first.
 * @param {Numbers} weights
 * @param {number} queries
 * @param {number} keys
 */
export function strongest(weights, queries, keys) {
  const places = [];
  for (let q = 0; q < queries; q++) {
    let best = 0;
    for (let k = 1; k < keys; k++) if (weights[q * keys + k] > weights[q * keys + best]) best = k;
    places.push(best);
  }
  return places;
}

/**
 * The share of rows that look most at the same source word as the reference does; null where the shapes differ. The
 * weight of a word is the sum over its pieces, which `groups` lists: no piece of a word is more to blame than another.
 * @param {Numbers} weights
 * @param {number} queries
 * @param {number} keys
 * @param {Reference | null} reference
 */
export function agreement(weights, queries, keys, reference) {
  if (!reference || reference.rows !== queries || reference.columns !== keys || !queries) return null;
  const { groups, values } = reference;
  const [ours, theirs] = [weights, values].map((given) =>
    strongest(summed(given, queries, keys, groups), queries, groups.length),
  );
  return ours.filter((place, q) => place === theirs[q]).length / queries;
}

/** @param {Numbers} weights @param {number} queries @param {number} keys @param {number[][]} groups */
function summed(weights, queries, keys, groups) {
  const out = new Float64Array(queries * groups.length);
  for (let q = 0; q < queries; q++)
    groups.forEach((pieces, g) => {
      for (const k of pieces) out[q * groups.length + g] += weights[q * keys + k];
    });
  return out;
}

/**
 * All five of one head. `special` lists the keys that are no words; `reference` is an alignment or null.
 * @param {Numbers} weights
 * @param {number} queries
 * @param {number} keys
 * @param {number[]} special
 * @param {Reference | null} reference
 */
export function factsOf(weights, queries, keys, special, reference) {
  return {
    entropy: entropy(weights, queries, keys),
    distance: distance(weights, queries, keys),
    special: shareOn(weights, queries, keys, special),
    diagonal: diagonal(weights, queries, keys),
    agreement: agreement(weights, queries, keys, reference),
  };
}

/**
 * The largest weight of all: {q, k, weight}.
 * @param {Numbers} weights
 * @param {number} queries
 * @param {number} keys
 */
export function peak(weights, queries, keys) {
  let best = 0;
  for (let i = 1; i < queries * keys; i++) if (weights[i] > weights[best]) best = i;
  return { q: Math.floor(best / keys), k: best % keys, weight: weights[best] };
}

/**
 * What stands out, by rules that the page prints: half of the weight on special tokens or beside the diagonal, and so
 * on.
 * @param {HeadFacts} facts
 * @param {number} keys
 */
export function tagsOf(facts, keys) {
  const tags = [];
  if (facts.special >= 0.5) tags.push("special");
  if (facts.diagonal >= 0.5) tags.push("diagonal");
  if (facts.entropy <= 0.25 * Math.log2(keys)) tags.push("sharp");
  if (facts.entropy >= 0.85 * Math.log2(keys)) tags.push("even");
  return tags;
}

/**
 * Heads in the chosen order: "grid" leaves them by layer and head; without a number they come last.
 * @param {any[]} heads
 * @param {State["badge"]} badge
 * @param {State["order"]} order
 */
export function inOrder(heads, badge, order) {
  if (order === "grid") return heads;
  const sign = order === "high" ? -1 : 1;
  return [...heads].sort((a, b) => {
    const [x, y] = [a.facts[badge], b.facts[badge]];
    if (x === null || y === null) return Number(x === null) - Number(y === null) || a.place - b.place;
    return sign * (x - y) || a.place - b.place;
  });
}

/**
 * Whether a head stays under the filter: at least so much, or with the lowest first, at most.
 * @param {HeadFacts} facts
 * @param {State["badge"]} badge
 * @param {State["order"]} order
 * @param {number | null} limit
 */
export function passes(facts, badge, order, limit) {
  if (limit === null) return true;
  const value = facts[badge];
  if (value === null) return false;
  return order === "low" ? value <= limit : value >= limit;
}

/**
 * Whole pixels of a cell: as many as fit, at most so many, never less than one.
 * @param {number} room
 * @param {number} columns
 * @param {number} [most]
 */
export function cellSize(room, columns, most = 12) {
  return Math.max(1, Math.min(most, Math.floor(room / Math.max(1, columns))));
}
