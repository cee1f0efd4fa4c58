/**
 * Global and local attention: models/luong.py, after Luong et al. 2015.
 *
 *   h_t = lstm([E y_{t-1}; h~_{t-1}], h_{t-1})        c_t = attend(h_t)        h~_t = tanh(W_c [c_t; h_t])
 *
 * The decoder steps first and looks then, and hears at the next position what it made of that (input feeding).
 */

import { Matrix, stacked } from "page/engine/arithmetic/matrix";
import { watch } from "page/engine/attention/recording";
import { selected, wordsReversed } from "page/engine/layers/rnn";
import { Transducer } from "page/engine/models/transducer";

/** @import { Prepared } from "page/engine/attention/single-query" */
/** @import { Carry } from "page/engine/layers/rnn" */

/** The encoder's top states in the order of the source, and every layer's last. @typedef {{ states: Matrix, carry: Carry }} LuongMemory */
/** For each hypothesis the layers' states and the last h~; how much is written; the source. @typedef {{ carry: Carry, attentional: Matrix, position: number, source: Prepared }} LuongState */

export class Luong extends Transducer {
  projection = this.parts.output.weight;

  /** Reads the source, last word first where the settings say so. @param {number[]} source @returns {LuongMemory} */
  encode(source) {
    const { source_embedding: embedding, encoder } = this.parts;
    const order = this.settings.reverse_source ? wordsReversed(source.length) : [...source.keys()];
    if (this.settings.reverse_source) watch(encoder.name, () => ({ order }));
    const read = embedding.forward(order.map((place) => source[place]));
    const { top, carry } = encoder.forward(read, encoder.initialState());
    const states = new Matrix(top.rows, top.columns);
    order.forEach((place, at) => {
      states.row(place).set(top.row(at));
    });
    return { states, carry };
  }

  /** A row for each position of the source, and how many numbers there are in all. @param {LuongMemory} memory */
  remembered({ states, carry }) {
    const carried = [...carry.hidden, ...carry.cell].reduce((count, one) => count + one.data.length, 0);
    return { kind: /** @type {const} */ ("list"), states, numbers: states.data.length + carried, stays: null };
  }

  /** h~ at every position. @param {number[]} reads @param {LuongMemory} memory @returns {Matrix} */
  states(reads, memory) {
    let state = this.start(memory);
    const rows = reads.map((token) => {
      state = this.advance([token], state);
      return state.attentional.row(0);
    });
    return stacked(rows, rows[0].length);
  }

  /** The score of every token of the vocabulary. @param {Matrix} states @returns {Matrix} */
  logits(states) {
    return this.projection.linear(states);
  }

  /** The decoder goes on where the encoder stopped, and nothing was looked at yet. @param {LuongMemory} memory @returns {LuongState} */
  start({ states, carry }) {
    const source = this.parts.attention.prepare(states, states);
    return { carry, attentional: new Matrix(1, states.columns), position: 0, source };
  }

  /** The hypotheses at these places, in this order. @param {LuongState} state @param {number[]} places @returns {LuongState} */
  select(state, places) {
    return { ...state, carry: selected(state.carry, places), attentional: state.attentional.select(places) };
  }

  /** One more position of each hypothesis. @param {number[]} tokens @param {LuongState} state */
  step(tokens, state) {
    const after = this.advance(tokens, state);
    return { logits: this.logits(after.attentional), state: after };
  }

  /** @param {number[]} tokens @param {LuongState} state @returns {LuongState} */
  advance(tokens, { carry, attentional, position, source }) {
    const { target_embedding: embedding, decoder, attention, combine } = this.parts;
    const words = embedding.forward(tokens);
    const inputs = this.settings.input_feeding ? words.beside(attentional) : words;
    const stepped = decoder.step(inputs, carry);
    const context = attention.forward(
      stepped.top,
      source,
      tokens.map(() => position),
    );
    /** @type {Matrix} */
    const mixed = combine.forward(context.beside(stepped.top));
    const after = new Matrix(mixed.rows, mixed.columns, mixed.data.map(Math.tanh));
    return { carry: stepped.carry, attentional: after, position: position + 1, source };
  }
}
