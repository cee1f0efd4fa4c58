/**
 * Sequence to sequence: models/seq2seq.py, after Sutskever et al. 2014.
 *
 * One deep LSTM reads the source, last word first, and another writes the target from the states it ended with. These
 * states are all that is left of the source.
 */

import { Matrix, stacked } from "page/engine/arithmetic/matrix";
import { watch } from "page/engine/attention/recording";
import { selected, wordsReversed } from "page/engine/layers/rnn";
import { Transducer } from "page/engine/models/transducer";

/** @import { Carry } from "page/engine/layers/rnn" */

export class Sutskever extends Transducer {
  projection = this.parts.output.weight;

  /** The states of every layer after the last position. @param {number[]} source @returns {Carry} */
  encode(source) {
    const { source_embedding: embedding, encoder } = this.parts;
    const order = this.settings.reverse_source ? wordsReversed(source.length) : [...source.keys()];
    if (this.settings.reverse_source) watch(encoder.name, () => ({ order }));
    const read = embedding.forward(order.map((place) => source[place]));
    return encoder.forward(read, encoder.initialState()).carry;
  }

  /** What of the source the decoder begins with, and loses. @param {Carry} memory */
  remembered({ hidden, cell }) {
    const states = stacked(
      [...hidden, ...cell].map((one) => one.row(0)),
      hidden[0].columns,
    );
    return { kind: /** @type {const} */ ("vector"), states, numbers: states.data.length, stays: false };
  }

  /** The top layer of the decoder at every position. @param {number[]} reads @param {Carry} memory @returns {Matrix} */
  states(reads, memory) {
    return this.parts.decoder.forward(this.parts.target_embedding.forward(reads), memory).top;
  }

  /** The score of every token of the vocabulary. @param {Matrix} states @returns {Matrix} */
  logits(states) {
    return this.projection.linear(states);
  }

  /** The decoder goes on where the encoder stopped. @param {Carry} memory */
  start(memory) {
    return memory;
  }

  /** The hypotheses at these places, in this order. @param {Carry} state @param {number[]} places */
  select(state, places) {
    return selected(state, places);
  }

  /** One position of every layer. @param {number[]} tokens @param {Carry} state */
  step(tokens, state) {
    const { top, carry } = this.parts.decoder.step(this.parts.target_embedding.forward(tokens), state);
    return { logits: this.logits(top), state: carry };
  }
}
