/**
 * One language model with three kinds of state: models/state_language_model.py, after Sun et al. 2024, table 1.
 *
 *   a list       every key and value so far      self-attention
 *   a vector     s = cell(s, x)                  LSTM
 *   weights      one step of training            TTT-linear
 *
 * Every layer is the same around it: x + Mix(LayerNorm(x)), then x + FFN(LayerNorm(x)), with a short convolution first.
 */

import { BranchKeysValues, KeysValues } from "page/engine/attention/keys-values";
import { within } from "page/engine/attention/multihead";
import { selected } from "page/engine/layers/rnn";
import { LanguageModel } from "page/engine/models/language-model";

/** @import { Matrix } from "page/engine/arithmetic/matrix" */
/** @import { Description } from "page/engine/interpreter" */
/** @import { Carry } from "page/engine/layers/rnn" */

/** The last inputs of one layer's convolution, and what its state holds, for each hypothesis. @typedef {{ recent: Float32Array[][], held: any }} LayerState */

/** An LSTM: what was read is in two vectors. */
export class VectorState {
  /** @param {Description} description */
  constructor({ parts }) {
    this.recurrent = parts.recurrent;
  }

  /** The vectors before anything is read. @returns {Carry} */
  initialState() {
    return this.recurrent.initialState();
  }

  /** @param {Carry} held @param {number[]} places */
  select(held, places) {
    return selected(held, places);
  }

  /** What it makes of a whole sequence. @param {Matrix} states @returns {Matrix} */
  forward(states) {
    return this.recurrent.forward(states, this.initialState()).top;
  }

  /** One position of each hypothesis. @param {Matrix} states @param {Carry} held */
  step(states, held) {
    const { top, carry } = this.recurrent.step(states, held);
    return { said: top, held: carry };
  }
}

/** Causal self-attention: what was read is a list of keys and values. */
export class ListState {
  /** @param {Description} description */
  constructor({ parts }) {
    this.attention = parts.attention;
  }

  /** An empty list. */
  initialState() {
    return new BranchKeysValues([new KeysValues()]);
  }

  /** @param {BranchKeysValues} held @param {number[]} places */
  select(held, places) {
    return held.select(places);
  }

  /** What it makes of a whole sequence. @param {Matrix} states @returns {Matrix} */
  forward(states) {
    return this.attention.lookBack(states, new KeysValues(), within(true, null)).mixed;
  }

  /** One position of each hypothesis. @param {Matrix} states @param {BranchKeysValues} held */
  step(states, held) {
    const { mixed, written } = this.attention.lookBack(states, held, within(true, null));
    return { said: mixed, held: written };
  }
}

/** A convolution and a state, then a feed-forward network. */
export class StateLayer {
  /** @param {Description} description */
  constructor({ parts }) {
    this.parts = parts;
  }

  /** @returns {LayerState} */
  initialState() {
    return { recent: this.parts.convolution.initialState(), held: this.parts.mixer.initialState() };
  }

  /** @param {LayerState} state @param {number[]} places @returns {LayerState} */
  select({ recent, held }, places) {
    return { recent: places.map((place) => recent[place]), held: this.parts.mixer.select(held, places) };
  }

  /** A whole sequence from its beginning. @param {Matrix} states @returns {Matrix} */
  forward(states) {
    const { convolution, mixer } = this.parts;
    return this.around(states, (x) => mixer.forward(convolution.forward(x)));
  }

  /** One position of each hypothesis, and the state after it. @param {Matrix} states @param {LayerState} state */
  step(states, state) {
    const { convolution, mixer } = this.parts;
    let after = state;
    const made = this.around(states, (x) => {
      const { near, recent } = convolution.step(x, state.recent);
      const { said, held } = mixer.step(near, state.held);
      after = { recent, held };
      return said;
    });
    return { states: made, state: after };
  }

  /** @param {Matrix} states @param {(x: Matrix) => Matrix} mix @returns {Matrix} */
  around(states, mix) {
    const { around_mixer, around_feedforward, feedforward } = this.parts;
    return around_feedforward.forward(around_mixer.forward(states, mix), (/** @type {Matrix} */ x) =>
      feedforward.forward(x),
    );
  }
}

export class StateLanguageModel extends LanguageModel {
  projection = this.parts.output.weight;

  /** All positions of the sequence. @param {number[]} reads @returns {Matrix} */
  states(reads) {
    let states = this.parts.embedding.forward(reads);
    for (const layer of this.parts.layers) states = layer.forward(states);
    return this.parts.end.forward(states);
  }

  /** W h. @param {Matrix} states @returns {Matrix} */
  logits(states) {
    return this.parts.output.forward(states);
  }

  /** Nothing read yet. @returns {LayerState[]} */
  start() {
    return this.parts.layers.map((/** @type {StateLayer} */ layer) => layer.initialState());
  }

  /** The hypotheses at these places, in this order. @param {LayerState[]} state @param {number[]} places */
  select(state, places) {
    return state.map((own, at) => this.parts.layers[at].select(own, places));
  }

  /** One position of each hypothesis. @param {number[]} tokens @param {LayerState[]} state */
  step(tokens, state) {
    let states = this.parts.embedding.forward(tokens);
    const after = state.map((own, at) => {
      const made = this.parts.layers[at].step(states, own);
      states = made.states;
      return made.state;
    });
    return { logits: this.logits(this.parts.end.forward(states)), state: after };
  }
}
