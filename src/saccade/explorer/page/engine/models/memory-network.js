/**
 * End-to-end memory networks as a language model: models/memory_network.py, after Sukhbaatar et al. 2015.
 *
 *   m_i = A x_i + T_A(i),  c_i = C x_i + T_C(i)                       the last N words as keys and as values
 *   p = softmax(u^T m_i),  o = sum_i p_i c_i,  u <- H u + o           a hop; there are several
 *   softmax(W u)
 *
 * All hops share A, C and H (layer-wise); or the values of one hop are the keys of the next, those of the last are W,
 * and there is no H (adjacent). After each hop half of the units of u go through a ReLU.
 */

import { Matrix } from "page/engine/arithmetic/matrix";
import { LanguageModel } from "page/engine/models/language-model";

/** @import { Weight } from "page/engine/arithmetic/weights" */
/** @import { Description } from "page/engine/interpreter" */
/** @import { Hop, Seen } from "page/engine/layers/memory-hop" */

export class MemoryNetwork extends LanguageModel {
  /** @param {Description} description */
  constructor(description) {
    super(description);
    /** W: a matrix of its own, or the values of the last hop. @type {Weight} */
    this.projection = description.tensors.output ?? description.parts.words.at(-1);
  }

  /** All positions at once, each with the words up to its own. @param {number[]} reads */
  states(reads) {
    const { memory_size: size } = this.settings;
    return this.hopped(reads.map((_, place) => reads.slice(Math.max(0, place + 1 - size), place + 1)));
  }

  /** W u. @param {Matrix} states @returns {Matrix} */
  logits(states) {
    return this.projection.linear(states);
  }

  /** No words. @returns {number[][]} what each hypothesis has read, the newest last */
  start() {
    return [[]];
  }

  /** The hypotheses at these places, in this order. @param {number[][]} state @param {number[]} places */
  select(state, places) {
    return places.map((place) => state[place]);
  }

  /** Its word comes into the memory, and the oldest leaves it. @param {number[]} tokens @param {number[][]} state */
  step(tokens, state) {
    const memories = state.map((words, row) => [...words, tokens[row]].slice(-this.settings.memory_size));
    return { logits: this.logits(this.hopped(memories)), state: memories };
  }

  /** The paper's u after the last hop, for each list of words. @param {number[][]} memories */
  hopped(memories) {
    const { hops, words, times, carry } = this.parts;
    const longest = Math.max(...memories.map((one) => one.length));
    /** @type {Seen[]} */
    const tables = words.map((/** @type {Weight} */ table, /** @type {number} */ at) => ({
      words: vectors(table, memories),
      times: Array.from({ length: longest }, (_, age) => times[at].row(age)),
    }));
    let inner = new Matrix(memories.length, this.projection.columns);
    inner.data.fill(this.settings.question);
    hops.forEach((/** @type {Hop} */ hop, /** @type {number} */ place) => {
      const [key, value] = carry ? [0, 1] : [place, place + 1];
      const found = hop.forward(inner, tables[key], tables[value]);
      inner = halfBent((carry ? carry.forward(inner) : inner).plus(found));
    });
    return inner;
  }
}

/** The vector of every word of every list; the same array for the same word. @param {Weight} table @param {number[][]} memories */
function vectors(table, memories) {
  const known = new Map([...new Set(memories.flat())].map((word) => [word, table.row(word)]));
  return memories.map((words) => words.map((word) => /** @type {Float32Array} */ (known.get(word))));
}

/** A ReLU on the first half of every row, the rest as it is; in place. @param {Matrix} states */
function halfBent(states) {
  const half = Math.floor(states.columns / 2);
  for (const row of states.list()) for (let at = 0; at < half; at++) row[at] = Math.max(row[at], 0);
  return states;
}
