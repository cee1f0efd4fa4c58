/**
 * Recurrent continuous translation models: models/rctm.py, after Kalchbrenner and Blunsom 2013.
 *
 *   decoder    h_i = sigma(R h_{i-1} + I v(f_i) + what the source adds),  softmax over O h_i
 *   RCTM I     S csm(source), the whole sentence as one vector, at every position
 *   RCTM II    S F_{:,i}, where F = icgm(sigma(T cgm(source))) has a column for each word of the target
 */

import { Matrix, stacked } from "page/engine/arithmetic/matrix";
import { watch } from "page/engine/attention/recording";
import { Transducer } from "page/engine/models/transducer";

/** @import { Description } from "page/engine/interpreter" */

/** What the source adds at each position, those beyond the last reading the last; and whether a longer source adds more rows. @typedef {{ additions: Matrix, grows: boolean }} RCTMMemory */
/** The units of each hypothesis (null: none were on yet), how much is written, and the source. @typedef {{ hidden: Matrix | null, position: number, memory: RCTMMemory }} RCTMState */

/** @param {Matrix} matrix */
const logistic = ({ rows, columns, data }) =>
  new Matrix(
    rows,
    columns,
    data.map((value) => 1 / (1 + Math.exp(-value))),
  );

/** RCTM I: S csm(source), for all positions. */
export class SourceAsSentence {
  /** @param {Description} description */
  constructor({ parts }) {
    this.parts = parts;
  }

  /** @param {number[]} source @returns {RCTMMemory} */
  forward(source) {
    const { embedding, sentence, condition } = this.parts;
    return { additions: condition.forward(sentence.forward(embedding.forward(source))), grows: false };
  }
}

/** RCTM II: S icgm(sigma(T cgm(source))), a row for each word of the target. */
export class SourceAsNgrams {
  /** @param {Description} description */
  constructor({ settings, parts }) {
    /** @type {number} */
    this.ngram = settings.ngram;
    /** @type {number} */
    this.ratio = settings.ratio;
    this.parts = parts;
  }

  /** How many words the target is taken to have. @param {number} length  of the source */
  words(length) {
    return Math.max(Math.ceil(length * this.ratio), this.ngram);
  }

  /** @param {number[]} source @returns {RCTMMemory} */
  forward(source) {
    const { embedding, ngrams, translation, words, condition } = this.parts;
    const translated = logistic(translation.forward(ngrams.forward(embedding.forward(source))));
    const count = this.words(source.length) - (this.ngram - 1);
    const spread = this.ratio === 1 ? translated : spaced(translated, count);
    const grows = this.words(source.length) !== this.words(source.length - 1);
    return { additions: condition.forward(words.forward(spread)), grows };
  }
}

/** So many rows that reach evenly from the first to the last, between two of them in proportion. @param {Matrix} rows @param {number} count */
function spaced(rows, count) {
  const last = rows.rows - 1;
  const taken = Array.from({ length: count }, (_, at) => {
    const place = Math.min((at / Math.max(count - 1, 1)) * last, last);
    const before = Math.floor(place);
    const [one, other] = [rows.row(before), rows.row(Math.min(before + 1, last))];
    return one.map((value, column) => value * (1 - (place - before)) + other[column] * (place - before));
  });
  return stacked(taken, rows.columns);
}

/** The decoder alone. */
export class NoSource {
  /** @param {Description} description */
  constructor({ settings }) {
    this.width = settings.width;
  }

  /** @returns {RCTMMemory} */
  forward() {
    return { additions: new Matrix(1, this.width), grows: false };
  }
}

export class RCTM extends Transducer {
  projection = this.parts.output.weight;

  /** What the source will add. @param {number[]} source @returns {RCTMMemory} */
  encode(source) {
    return this.parts.source.forward(source);
  }

  /** A row for each word of the target where they grow with the source, and otherwise one that stays. @param {RCTMMemory} memory */
  remembered({ additions: states, grows }) {
    const numbers = states.data.length;
    return grows
      ? { kind: /** @type {const} */ ("list"), states, numbers, stays: null }
      : { kind: /** @type {const} */ ("vector"), states, numbers, stays: true };
  }

  /** The units at every position. @param {number[]} reads @param {RCTMMemory} memory @returns {Matrix} */
  states(reads, memory) {
    let state = this.start(memory);
    const rows = reads.map((token) => {
      const { hidden, after } = this.advance([token], state);
      state = after;
      return hidden.row(0);
    });
    const states = stacked(rows, rows[0].length);
    watch("recurrence", () => ({ states, gate_names: [] }));
    return states;
  }

  /** O h. @param {Matrix} states @returns {Matrix} */
  logits(states) {
    return this.projection.linear(states);
  }

  /** No units are on. @param {RCTMMemory} memory @returns {RCTMState} */
  start(memory) {
    return { hidden: null, position: 0, memory };
  }

  /** The hypotheses at these places, in this order. @param {RCTMState} state @param {number[]} places @returns {RCTMState} */
  select(state, places) {
    return { ...state, hidden: state.hidden?.select(places) ?? null };
  }

  /** One position. @param {number[]} tokens @param {RCTMState} state */
  step(tokens, state) {
    const { hidden, after } = this.advance(tokens, state);
    return { logits: this.logits(hidden), state: after };
  }

  /** @param {number[]} tokens @param {RCTMState} state @returns {{ hidden: Matrix, after: RCTMState }} */
  advance(tokens, { hidden: before, position, memory }) {
    const { target_embedding: embedding, recurrence } = this.parts;
    const { additions } = memory;
    const added = additions.select(tokens.map(() => Math.min(position, additions.rows - 1)));
    /** @type {Matrix} */
    const inputs = embedding.forward(tokens).plus(added);
    const hidden = logistic(before ? inputs.plus(recurrence.forward(before)) : inputs);
    return { hidden, after: { hidden, position: position + 1, memory } };
  }
}
