/**
 * ConvS2S: models/convs2s.py, after Gehring et al. 2017.
 *
 *   input    e_j = w_j + p_j,  g_i the same on the target side
 *   stacks   gated convolutions; every decoder layer attends to z, and takes z + e
 *   output   softmax(W_o h_i^L + b_o)
 */

import { addPositions } from "page/engine/layers/position";
import { Transducer } from "page/engine/models/transducer";

/** @import { Matrix } from "page/engine/arithmetic/matrix" */
/** @import { ConvSource, Recent } from "page/engine/layers/convs2s-stacks" */

/** What every decoder layer attends to, z and z + e, and what a context is multiplied by. @typedef {{ keys: Matrix, values: Matrix, factor: number }} ConvS2SMemory */
/** For each layer its last inputs, how much is written, and the source. @typedef {{ recent: Recent[], position: number, source: ConvSource }} ConvS2SState */

export class ConvS2S extends Transducer {
  projection = null;

  /** Every position within sight of (k-1)/2 neighbours to each side in each layer. @param {number[]} source @returns {ConvS2SMemory} */
  encode(source) {
    const { source_embedding: embedding, source_places: places, encoder } = this.parts;
    const embedded = placed(embedding.forward(source), places, [...source.keys()]);
    const keys = encoder.forward(embedded);
    const factor = this.settings.by_length ? Math.sqrt(source.length) : 1;
    return { keys, values: keys.plus(embedded).times(this.settings.values), factor };
  }

  /** A row for each position of the source, and how many numbers there are in all. @param {ConvS2SMemory} memory */
  remembered({ keys, values }) {
    const numbers = keys.data.length + values.data.length + 1;
    return { kind: /** @type {const} */ ("list"), states: keys, numbers, stays: null };
  }

  /** All positions of the target at once. @param {number[]} reads @param {ConvS2SMemory} memory @returns {Matrix} */
  states(reads, memory) {
    const { target_embedding: embedding, target_places: places, decoder } = this.parts;
    const embedded = placed(embedding.forward(reads), places, [...reads.keys()]);
    return decoder.forward(embedded, this.source(memory));
  }

  /** The score of every token of the vocabulary. @param {Matrix} states @returns {Matrix} */
  logits(states) {
    return this.parts.output.forward(states);
  }

  /** Nothing but zeros before the first position. @param {ConvS2SMemory} memory @returns {ConvS2SState} */
  start(memory) {
    return { recent: this.parts.decoder.nothing(), position: 0, source: this.source(memory) };
  }

  /** The hypotheses at these places, in this order. @param {ConvS2SState} state @param {number[]} places @returns {ConvS2SState} */
  select(state, places) {
    return { ...state, recent: state.recent.map((inputs) => inputs.select(places)) };
  }

  /** One more position of each hypothesis. @param {number[]} tokens @param {ConvS2SState} state */
  step(tokens, { recent, position, source }) {
    const { target_embedding: embedding, target_places: places, decoder } = this.parts;
    const positions = tokens.map(() => position);
    const after = decoder.step(placed(embedding.forward(tokens), places, positions), recent, source, position);
    return { logits: this.logits(after.states), state: { recent: after.recent, position: position + 1, source } };
  }

  /** @param {ConvS2SMemory} memory @returns {ConvSource} */
  source({ keys, values, factor }) {
    return { prepared: this.parts.decoder.prepared(keys, values), factor };
  }
}

/** With the vectors of their places, where the model has some. @param {Matrix} vectors @param {any} table @param {number[]} places */
const placed = (vectors, table, places) => (table ? addPositions(vectors, table, places, 1) : vectors);
