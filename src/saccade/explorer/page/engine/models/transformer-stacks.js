/**
 * Stacks of self-attention layers: models/transformer_stacks.py, after Vaswani et al. 2017, section 3.1.
 *
 *   self-attention layer   self-attention, feed-forward
 *
 * A stack of such layers is the paper's encoder. With a causal rule the same stack is its decoder without a source, and
 * so a language model; then each position hands on what it has written, the keys and values of every layer.
 */

import { BranchKeysValues, KeysValues } from "page/engine/attention/keys-values";

/** @import { Matrix } from "page/engine/arithmetic/matrix" */
/** @import { Visibility } from "page/engine/attention/multihead" */
/** @import { Description } from "page/engine/interpreter" */

/** Self-attention, then feed-forward. */
export class SelfAttentionLayer {
  /** @param {Description} description */
  constructor({ parts }) {
    this.parts = parts;
  }

  /**
   * The states of new positions, and everything written up to and including them.
   * @template {KeysValues | BranchKeysValues} Memory
   * @param {Matrix} states
   * @param {Memory} before
   * @param {Visibility} visibility
   * @returns {{ states: Matrix, written: Memory }}
   */
  step(states, before, visibility) {
    const { self_attention: attention, feedforward, around_self_attention, around_feedforward } = this.parts;
    let written = before;
    const attended = around_self_attention.forward(states, (/** @type {Matrix} */ x) => {
      const looked = attention.lookBack(x, before, visibility);
      written = looked.written;
      return looked.mixed;
    });
    return {
      states: around_feedforward.forward(attended, (/** @type {Matrix} */ x) => feedforward.forward(x)),
      written,
    };
  }
}

/** A stack of such layers; one position or many, with or without a past, is the same computation. */
export class SelfAttentionStack {
  /** @param {Description} description */
  constructor({ parts }) {
    this.parts = parts;
  }

  /** From embeddings to final states, all positions of one sequence at once. @param {Matrix} states @param {Visibility} visibility */
  forward(states, visibility) {
    const nothing = this.parts.layers.map(() => new KeysValues());
    return this.step(states, nothing, visibility).states;
  }

  /** For each layer, the keys and values of one hypothesis that has written nothing. @returns {BranchKeysValues[]} */
  initialState() {
    return this.parts.layers.map(() => new BranchKeysValues([new KeysValues()]));
  }

  /**
   * From embeddings of new positions to their final states, and all that is written now.
   * @template {KeysValues | BranchKeysValues} Memory
   * @param {Matrix} states
   * @param {Memory[]} before  for each layer
   * @param {Visibility} visibility
   * @returns {{ states: Matrix, written: Memory[] }}
   */
  step(states, before, visibility) {
    const written = this.parts.layers.map((/** @type {SelfAttentionLayer} */ layer, /** @type {number} */ at) => {
      const after = layer.step(states, before[at], visibility);
      states = after.states;
      return after.written;
    });
    return { states: this.parts.end.forward(states), written };
  }
}
