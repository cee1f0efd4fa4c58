/**
 * Stacks of gated convolutions, the second of which looks at the first from every layer: layers/convs2s_stacks.py.
 *
 *   encoder layer  z^l = v(W^l [z^{l-1} around j] + b) + z^{l-1}
 *   decoder layer  h^l = v(W^l [h^{l-1} up to i] + b) + h^{l-1}
 *                  d_i^l = W_d^l h_i^l + b_d^l + g_i,  a_ij^l = softmax_j(d_i^l . z_j),
 *                  c_i^l = sum_j a_ij^l (z_j + e_j),  h_i^l + c_i^l goes on
 *
 * The factors on these sums, which keep their variance, are among the settings.
 */

import { Matrix, stacked } from "page/engine/arithmetic/matrix";

/** @import { Prepared } from "page/engine/attention/single-query" */
/** @import { Description } from "page/engine/interpreter" */

/** What decoder layers know of the source: keys and values for each that attends, and what contexts are multiplied by. @typedef {{ prepared: (Prepared | null)[], factor: number }} ConvSource */
/** For each hypothesis the last k - 1 inputs of a layer, side by side. @typedef {Matrix} Recent */

/** A gated convolution around each position, and a residual connection. */
export class ConvEncoderLayer {
  /** @param {Description} description */
  constructor({ settings, parts }) {
    this.factor = settings.factor;
    this.parts = parts;
  }

  /** @param {Matrix} states */
  forward(states) {
    const { convolution, residual } = this.parts;
    return convolution.forward(states).plus(residual.forward(states)).times(this.factor);
  }
}

/** From embeddings to keys: a map to the width of the layers, the layers, and a map back. */
export class ConvEncoder {
  /** @param {Description} description */
  constructor({ parts }) {
    this.parts = parts;
  }

  /** The paper's z^u. @param {Matrix} embedded @returns {Matrix} */
  forward(embedded) {
    let states = this.parts.entrance.forward(embedded);
    for (const layer of this.parts.layers) states = layer.forward(states);
    return this.parts.exit.forward(states);
  }
}

/** A gated convolution over what is written, a residual connection, and in layers that attend a look at the source. */
export class ConvDecoderLayer {
  /** @param {Description} description */
  constructor({ settings, parts }) {
    this.settings = settings;
    this.parts = parts;
  }

  /**
   * The states of the next layer at every position of one target.
   * @param {Matrix} states
   * @param {Matrix} embedded
   * @param {Prepared | null} source
   * @param {number} factor
   */
  forward(states, embedded, source, factor) {
    const positions = [...states.list().keys()];
    return this.joined(this.parts.convolution.forward(states), states, embedded, source, factor, positions);
  }

  /**
   * The same at one position of each hypothesis, after the inputs before it; and those that the next has before it.
   * @param {Matrix} states
   * @param {Recent} recent
   * @param {Matrix} embedded
   * @param {Prepared | null} source
   * @param {number} factor
   * @param {number} position
   */
  step(states, recent, embedded, source, factor, position) {
    const window = recent.beside(states);
    const positions = states.list().map(() => position);
    const gated = this.parts.convolution.of(window);
    const later = window.list().map((row) => row.subarray(states.columns));
    return {
      states: this.joined(gated, states, embedded, source, factor, positions),
      recent: stacked(later, recent.columns),
    };
  }

  /**
   * @param {Matrix} gated
   * @param {Matrix} states
   * @param {Matrix} embedded
   * @param {Prepared | null} source
   * @param {number} factor
   * @param {number[]} positions
   * @returns {Matrix}
   */
  joined(gated, states, embedded, source, factor, positions) {
    const { attention_inside: inside, residual: kept } = this.settings;
    const past = this.parts.residual.forward(states);
    const look = (/** @type {Matrix} */ x) => (source ? this.attended(x, embedded, source, factor, positions) : x);
    return inside ? look(gated).plus(past).times(kept) : look(gated.plus(past).times(kept));
  }

  /**
   * The states and what each has found in the source: the equations of section 3.3.
   * @param {Matrix} states
   * @param {Matrix} embedded
   * @param {Prepared} source
   * @param {number} factor
   * @param {number[]} positions
   */
  attended(states, embedded, source, factor, positions) {
    const { query, context, attention } = this.parts;
    const queries = query.forward(states).plus(embedded).times(this.settings.query);
    const found = attention.forward(queries, source, positions).times(factor);
    return states.plus(context.forward(found)).times(this.settings.context);
  }
}

/** From embeddings of the target to what the last matrix reads. */
export class ConvDecoder {
  /** @param {Description} description */
  constructor({ settings, parts }) {
    this.parts = parts;
    /** For each layer, how many earlier inputs it sees, and how wide they are. @type {[number, number][]} */
    this.before = settings.before;
    /** @type {ConvDecoderLayer[]} */
    this.layers = parts.layers;
  }

  /** The source as each layer that attends wants it. @param {Matrix} keys @param {Matrix} values */
  prepared(keys, values) {
    return this.layers.map(({ parts }) => parts.attention?.prepare(keys, values) ?? null);
  }

  /** All positions of one target. @param {Matrix} embedded @param {ConvSource} source @returns {Matrix} */
  forward(embedded, { prepared, factor }) {
    let states = this.parts.entrance.forward(embedded);
    this.layers.forEach((layer, at) => {
      states = layer.forward(states, embedded, prepared[at], factor);
    });
    return this.parts.exit.forward(states);
  }

  /** Before the first position there are zeros. @returns {Recent[]} */
  nothing() {
    return this.before.map(([count, width]) => new Matrix(1, count * width));
  }

  /**
   * One position of each hypothesis, and the recent inputs of each layer after it.
   * @param {Matrix} embedded
   * @param {Recent[]} recent
   * @param {ConvSource} source
   * @param {number} position
   */
  step(embedded, recent, { prepared, factor }, position) {
    let states = this.parts.entrance.forward(embedded);
    const after = this.layers.map((layer, at) => {
      const stepped = layer.step(states, recent[at], embedded, prepared[at], factor, position);
      states = stepped.states;
      return stepped.recent;
    });
    return { states: /** @type {Matrix} */ (this.parts.exit.forward(states)), recent: after };
  }
}
