/**
 * The RNN encoder-decoder: models/rnn_encoder_decoder.py, after Cho et al. 2014.
 *
 *   encoder   c = tanh(V h_last)
 *   decoder   h'_0 = tanh(V' c);   h'_t = gru(E y_{t-1}, h'_{t-1}, c)
 *   output    maxout units of h'_t, E y_{t-1} and c;   logits = G_l G_r s
 *
 * The decoder hears the one vector c at every position.
 */

import { Matrix, stacked } from "page/engine/arithmetic/matrix";
import { BOS } from "page/engine/data/tokenizer";
import { withOne } from "page/engine/layers/biased-projection";
import { Transducer } from "page/engine/models/transducer";

/** For each hypothesis the decoder's state, and c, also as its unit hears it. @typedef {{ carried: Matrix, context: Matrix, heard: Matrix }} DecoderState */

export class RNNEncoderDecoder extends Transducer {
  projection = this.parts.output.weight;

  /** The state after the last word, squeezed once more. @param {number[]} source @returns {Matrix} */
  encode(source) {
    const { source_embedding: embedding, encoder, summary } = this.parts;
    const states = encoder.read(embedding.forward(source));
    return squeezed(summary.forward(new Matrix(1, states.columns, states.row(states.rows - 1).slice())));
  }

  /** The one vector, which the decoder keeps. @param {Matrix} memory */
  remembered(memory) {
    return { kind: /** @type {const} */ ("vector"), states: memory, numbers: memory.data.length, stays: true };
  }

  /** What the output matrix reads at each position. @param {number[]} reads @param {Matrix} memory @returns {Matrix} */
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

  /** h'_0 = tanh(V' c). @param {Matrix} memory @returns {DecoderState} */
  start(memory) {
    const { opening, decoder } = this.parts;
    const carried = decoder.stateFromHidden(squeezed(opening.forward(memory)));
    return { carried, context: memory, heard: decoder.projectContext(memory) };
  }

  /** The hypotheses at these places, in this order. @param {DecoderState} state @param {number[]} places */
  select({ carried, context, heard }, places) {
    return { carried: carried.select(places), context: context.select(places), heard: heard.select(places) };
  }

  /** One word read, the scores of the next. @param {number[]} tokens @param {DecoderState} state */
  step(tokens, state) {
    const after = this.advance(tokens, state);
    return { logits: this.logits(after.units), state: after.state };
  }

  /** @param {number[]} tokens @param {DecoderState} state @returns {{ units: Matrix, state: DecoderState }} */
  advance(tokens, { carried, context, heard }) {
    const { target_embedding: embedding, decoder, maxout, to_rank: toRank } = this.parts;
    /** @type {Matrix} */
    const words = embedding.forward(tokens);
    tokens.forEach((token, row) => {
      if (token === BOS) words.row(row).fill(0); // before the first word there is none
    });
    const after = decoder.step(decoder.project(words), carried, heard);
    const units = withOne(toRank.forward(maxout.forward(decoder.hidden(after), words, context)));
    return { units, state: { carried: after, context, heard } };
  }
}

/** tanh of every number. @param {Matrix} matrix */
const squeezed = ({ rows, columns, data }) => new Matrix(rows, columns, data.map(Math.tanh));
