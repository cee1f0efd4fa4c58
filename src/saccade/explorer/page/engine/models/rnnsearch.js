/**
 * RNNsearch: models/rnnsearch.py, after Bahdanau et al. 2015.
 *
 *   encoder   h_j = [forward gru_j ; backward gru_j]
 *   look      e_ij = v^T tanh(W s_{i-1} + U h_j);   alpha_i = softmax(e_i);   c_i = sum_j alpha_ij h_j
 *   decoder   s_0 = tanh(W_s backward_1);   s_i = gru(E y_{i-1}, s_{i-1}, c_i)
 *   output    t~_i = U_o s_i + V_o E y_{i-1} + C_o c_i;   t = pairwise max;   p(y_i) = softmax(W_o t_i)
 *
 * Without the search, which is what the paper compares with, c_i is the forward encoder's last state throughout.
 */

import { Matrix, stacked } from "page/engine/arithmetic/matrix";
import { withOne } from "page/engine/layers/biased-projection";
import { readBothWays } from "page/engine/layers/cells";
import { Transducer } from "page/engine/models/transducer";

/** @import { Remembered } from "page/engine/live-model" */
/** @import { Prepared } from "page/engine/attention/single-query" */

/** What the encoder says of each position, and what the decoder begins with. @typedef {{ annotations: Matrix, opening: Matrix }} Annotations */
/** The decoder's state for each hypothesis, how much is written, and the annotations as the score wants them. @typedef {{ carried: Matrix, position: number, source: Prepared }} RNNsearchState */

export class RNNsearch extends Transducer {
  projection = this.parts.output.weight;

  /** Each position in the light of what precedes it and of what follows it. @param {number[]} source @returns {Annotations} */
  encode(source) {
    const { source_embedding: embedding, forward_encoder: forward, backward_encoder: backward } = this.parts;
    if (!backward) {
      const final = forward.read(embedding.forward(source)).select([source.length - 1]);
      return { annotations: final, opening: final };
    }
    const { ahead, back } = readBothWays(forward, backward, embedding.forward(source));
    return { annotations: ahead.beside(back), opening: new Matrix(1, back.columns, back.row(0).slice()) };
  }

  /** A row for each position of the source, and how many numbers there are in all. @param {Annotations} memory @returns {Remembered} */
  remembered({ annotations, opening }) {
    const numbers = annotations.data.length + opening.data.length;
    if (!this.parts.attention) {
      const states = stacked([annotations.row(0), opening.row(0)], annotations.columns);
      return { kind: "vector", states, numbers, stays: true };
    }
    return { kind: "list", states: annotations, numbers, stays: null };
  }

  /** The maxout units of each position. @param {number[]} reads @param {Annotations} memory @returns {Matrix} */
  states(reads, memory) {
    let state = this.start(memory);
    const rows = reads.map((token) => {
      const after = this.advance([token], state);
      state = after.state;
      return after.units.row(0);
    });
    return stacked(rows, rows[0].length);
  }

  /** The score of every token of the vocabulary. @param {Matrix} states @returns {Matrix} */
  logits(states) {
    return this.parts.output.logits(states);
  }

  /**
   * s_0 = tanh(W_s backward_1); what the score makes of the annotations is computed here, once.
   * @param {Annotations} memory
   * @returns {RNNsearchState}
   */
  start({ annotations, opening }) {
    const { opening: layer, decoder, attention } = this.parts;
    /** @type {Matrix} */
    const first = layer.forward(opening);
    const hidden = new Matrix(1, first.columns, first.data.map(Math.tanh));
    const source = attention ? attention.prepare(annotations, annotations) : { keys: annotations, values: annotations };
    return { carried: decoder.stateFromHidden(hidden), position: 0, source };
  }

  /** The hypotheses at these places, in this order. @param {RNNsearchState} state @param {number[]} places */
  select(state, places) {
    return { ...state, carried: state.carried.select(places) };
  }

  /** Looks, reads one word of each hypothesis, gives the scores of the next. @param {number[]} tokens @param {RNNsearchState} state */
  step(tokens, state) {
    const after = this.advance(tokens, state);
    return { logits: this.logits(after.units), state: after.state };
  }

  /** @param {number[]} tokens @param {RNNsearchState} state @returns {{ units: Matrix, state: RNNsearchState }} */
  advance(tokens, { carried, position, source }) {
    const { attention, decoder, maxout, target_embedding: embedding } = this.parts;
    const before = decoder.hidden(carried);
    const everyone = tokens.map(() => position);
    const context = attention ? attention.forward(before, source, everyone) : source.values.select(tokens.map(() => 0));
    const words = embedding.forward(tokens);
    const after = decoder.step(decoder.project(words), carried, decoder.projectContext(context));
    const hidden = this.settings.output_state === "previous" ? before : decoder.hidden(after);
    return {
      units: withOne(maxout.forward(hidden, words, context)),
      state: { carried: after, position: position + 1, source },
    };
  }
}
