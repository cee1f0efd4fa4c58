/**
 * The Transformer: models/transformer.py, after Vaswani et al. 2017.
 *
 *   encoder layer   self-attention, feed-forward
 *   decoder layer   causal self-attention, attention over the encoder's output, feed-forward
 *
 * Like every model it offers `encode`, `start` and `step` to a search, and `states` and `logits` to a trace.
 */

import { Matrix } from "page/engine/arithmetic/matrix";
import { BranchKeysValues, KeysValues } from "page/engine/attention/keys-values";
import { everything, within } from "page/engine/attention/multihead";
import { addPositions } from "page/engine/layers/position";
import { Transducer } from "page/engine/models/transducer";
import { SelfAttentionStack } from "page/engine/models/transformer-stacks";

/** @import { Visibility } from "page/engine/attention/multihead" */
/** @import { Description } from "page/engine/interpreter" */

const BOS = 3;

/** A stack of self-attention layers: from embeddings to what the decoder will attend to. */
export class Encoder extends SelfAttentionStack {}

/** Causal self-attention, attention over the source, then feed-forward. */
export class DecoderLayer {
  /** @param {Description} description */
  constructor({ parts }) {
    this.parts = parts;
  }

  /**
   * The states of new positions, and everything written up to and including them.
   * @template {KeysValues | BranchKeysValues} Memory
   * @param {Matrix} states
   * @param {Memory} before
   * @param {KeysValues} source
   * @param {Visibility} visibility
   * @returns {{ states: Matrix, written: Memory }}
   */
  forward(states, before, source, visibility) {
    const { self_attention, cross_attention, feedforward, ...around } = this.parts;
    let written = before;
    states = around.around_self_attention.forward(states, (/** @type {Matrix} */ x) => {
      const looked = self_attention.lookBack(x, before, visibility);
      written = looked.written;
      return looked.mixed;
    });
    states = around.around_cross_attention.forward(states, (/** @type {Matrix} */ x) =>
      cross_attention.forward(x, source, everything),
    );
    states = around.around_feedforward.forward(states, (/** @type {Matrix} */ x) => feedforward.forward(x));
    return { states, written };
  }
}

/** A stack of decoder layers; one position or many, with or without a past, is the same computation. */
export class Decoder {
  /** @param {Description} description */
  constructor({ parts }) {
    this.parts = parts;
  }

  /** For each layer, the keys and values of the source. @param {Matrix} memory @returns {KeysValues[]} */
  source(memory) {
    return this.parts.layers.map((/** @type {DecoderLayer} */ layer) => layer.parts.cross_attention.keysValues(memory));
  }

  /**
   * @template {KeysValues | BranchKeysValues} Memory
   * @param {Matrix} states
   * @param {Memory[]} before  for each layer
   * @param {KeysValues[]} source  for each layer
   * @param {Visibility} visibility
   * @returns {{ states: Matrix, written: Memory[] }}
   */
  forward(states, before, source, visibility) {
    const written = this.parts.layers.map((/** @type {DecoderLayer} */ layer, /** @type {number} */ at) => {
      const after = layer.forward(states, before[at], source[at], visibility);
      states = after.states;
      return after.written;
    });
    return { states: this.parts.end.forward(states), written };
  }
}

/**
 * For each decoder layer, the keys and values of what each hypothesis has written and of the source.
 * @typedef {{ written: BranchKeysValues[], source: KeysValues[] }} TransformerState
 */

/** An encoder and a decoder made of attention alone. */
export class Transformer extends Transducer {
  /** @param {Description} description */
  constructor(description) {
    super(description);
    this.outputBias = description.tensors.output_bias ?? null;
    this.projection = description.parts.output.weight;
  }

  /** Every position of the source, having looked at all the others in each layer. @param {number[]} source */
  encode(source) {
    const { source_embedding: embedding, source_positions: positions, target_space: space, encoder } = this.parts;
    const everywhere = space?.weight.row(0);
    const embedded = addPositions(
      embedding.forward(source),
      positions,
      [...source.keys()],
      embedding.scale,
      everywhere,
    );
    return encoder.forward(embedded, within(false, this.settings.attention_window));
  }

  /** A row for each position of the source, and how many numbers there are in all. @param {Matrix} memory */
  remembered(memory) {
    return { kind: /** @type {const} */ ("list"), states: memory, numbers: memory.data.length, stays: null };
  }

  /** All positions of the target at once. @param {number[]} reads @param {Matrix} memory @returns {Matrix} */
  states(reads, memory) {
    const { decoder } = this.parts;
    const nothing = decoder.parts.layers.map(() => new KeysValues());
    return decoder.forward(this.embedded(reads, [...reads.keys()]), nothing, decoder.source(memory), this.rule).states;
  }

  /** The score of every token of the vocabulary. @param {Matrix} states @returns {Matrix} */
  logits(states) {
    return this.parts.output.logits(states, this.outputBias);
  }

  /**
   * One hypothesis with nothing written yet; the source is projected here, once.
   * @param {Matrix} memory
   * @returns {TransformerState}
   */
  start(memory) {
    const { decoder } = this.parts;
    return {
      written: decoder.parts.layers.map(() => new BranchKeysValues([new KeysValues()])),
      source: decoder.source(memory),
    };
  }

  /** The hypotheses at these places, in this order. @param {TransformerState} state @param {number[]} places */
  select(state, places) {
    return { ...state, written: state.written.map((branches) => branches.select(places)) };
  }

  /**
   * One more position of each hypothesis.
   * @param {number[]} tokens
   * @param {TransformerState} state
   * @returns {{ logits: Matrix, state: TransformerState }}
   */
  step(tokens, state) {
    const place = state.written[0].length;
    const embedded = this.embedded(
      tokens,
      tokens.map(() => place),
    );
    const { states, written } = this.parts.decoder.forward(embedded, state.written, state.source, this.rule);
    return { logits: this.logits(states), state: { written, source: state.source } };
  }

  get rule() {
    return within(true, this.settings.attention_window);
  }

  /** @param {number[]} tokens @param {number[]} places */
  embedded(tokens, places) {
    const { target_embedding: embedding, target_positions: positions } = this.parts;
    const vectors = embedding.forward(tokens);
    if (this.settings.start_of_target === "zero")
      tokens.forEach((token, row) => {
        if (token === BOS) vectors.row(row).fill(0);
      });
    return addPositions(vectors, positions, places, embedding.scale);
  }
}
