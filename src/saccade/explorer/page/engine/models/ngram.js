/**
 * The n-gram language model with interpolated Kneser-Ney smoothing: models/ngram.py, after Chen and Goodman 1999.
 *
 *   P(w | h) = max(c(h, w) - D, 0) / c(h) + D N(h) / c(h) P(w | h')        h' is h without its oldest word
 *
 * N(h) is the number of different words seen after h. Where h was never seen, P(w | h) is P(w | h'). Below everything
 * all words are equally probable. D = n1 / (n1 + 2 n2) for each order, from how many of its n-grams have the count one
 * and two.
 *
 * Of order m: `history` finds a history by its number one order below, times the vocabulary, plus its oldest word; its
 * place in that sorted table is its number here. The n-grams of history i are those in `gram` from `first`[i] up to
 * `first`[i + 1], with their counts in `count`; `total`[i] is the sum.
 */

import { Matrix } from "page/engine/arithmetic/matrix";
import { BOS, PAD } from "page/engine/data/tokenizer";
import { LanguageModel } from "page/engine/models/language-model";

/** @import { Description } from "page/engine/interpreter" */

/** Whole numbers. @typedef {Float64Array | Int32Array} Numbers */
/** @typedef {{ history: Numbers, first: Numbers, gram: Numbers, count: Numbers, total: Numbers, discount: number }} OrderTables */

/** The logarithm of a probability of zero. */
const IMPOSSIBLE = -1e4;

export class NGram extends LanguageModel {
  projection = null;

  /** @param {Description} description */
  constructor(description) {
    super(description);
    const { settings, tensors } = description;
    /** @type {number} */
    this.vocabulary = settings.vocabulary;
    /** How many words a state has. @type {number} */
    this.seen = Math.max(settings.order - 1, 1);
    /** @type {OrderTables[]} */
    this.orders = Array.from({ length: settings.order }, (_, at) => ({
      history: tensors[`history_${at + 1}`],
      first: tensors[`first_${at + 1}`],
      gram: tensors[`gram_${at + 1}`],
      count: tensors[`count_${at + 1}`],
      total: tensors[`total_${at + 1}`],
      discount: discountOf(tensors.once_and_twice[2 * at], tensors.once_and_twice[2 * at + 1]),
    }));
  }

  /** The last words themselves, as numbers, the newest first. @param {number[]} reads */
  states(reads) {
    const states = new Matrix(reads.length, this.seen);
    reads.forEach((_, place) => {
      for (let back = 0; back < this.seen; back++) states.row(place)[back] = reads[place - back] ?? PAD;
    });
    return states;
  }

  /** Log P of each word. @param {Matrix} states */
  logits(states) {
    const logits = new Matrix(states.rows, this.vocabulary);
    states.list().forEach((words, row) => {
      const probabilities = this.probabilities(words);
      const own = logits.row(row);
      for (let word = 0; word < own.length; word++) own[word] = Math.max(Math.log(probabilities[word]), IMPOSSIBLE);
    });
    return logits;
  }

  /** No words. @returns {Matrix} */
  start() {
    return new Matrix(1, this.seen);
  }

  /** The hypotheses at these places, in this order. @param {Matrix} state @param {number[]} places */
  select(state, places) {
    return state.select(places);
  }

  /** One word more is seen, and the oldest no longer. @param {number[]} tokens @param {Matrix} state */
  step(tokens, state) {
    const words = new Matrix(state.rows, this.seen);
    tokens.forEach((token, row) => {
      words.row(row).set([token, ...state.row(row).subarray(0, this.seen - 1)]);
    });
    return { logits: this.logits(words), state: words };
  }

  /** P(. | h) of a history, its newest word first. @param {Float32Array} words */
  probabilities(words) {
    // PAD and BOS are never written; there is a chance for everything else.
    const estimate = new Float32Array(this.vocabulary).fill(1 / (this.vocabulary - 2));
    estimate[PAD] = estimate[BOS] = 0;
    let number = 0;
    for (const [at, tables] of this.orders.entries()) {
      if (at > 0) number = placeOf(tables.history, number * this.vocabulary + words[at - 1]);
      if (number < 0) break; // what was never seen has no longer histories either
      this.interpolate(tables, number, estimate);
    }
    return estimate;
  }

  /** The smoothed estimate of this order, made of that of the one below. @param {OrderTables} tables @param {number} number  of the history @param {Float32Array} estimate */
  interpolate({ first, gram, count, total, discount }, number, estimate) {
    if (!total[number]) return;
    const left = (discount * (first[number + 1] - first[number])) / total[number];
    for (let word = 0; word < estimate.length; word++) estimate[word] *= left;
    for (let entry = first[number]; entry < first[number + 1]; entry++)
      estimate[gram[entry] % this.vocabulary] += (count[entry] - discount) / total[number];
  }
}

/** D; where a corpus is so small that there is nothing to tell it from, a half. @param {number} once @param {number} twice */
const discountOf = (once, twice) => (once * twice > 0 ? once / (once + 2 * twice) : 0.5);

/** The place of a number in a sorted table; -1 where it is not there. @param {Numbers} table @param {number} wanted */
function placeOf(table, wanted) {
  let [low, high] = [0, table.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (table[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return table[low] === wanted ? low : -1;
}
