/**
 * LSTMN as a language model: models/lstmn_language_model.py, after Cheng et al. 2016, section 3.
 *
 * A stack of layers that keep tapes of all they have written and read them by attention (layers/lstmn-tape has the
 * equations). Layer l + 1 reads the hidden states of layer l, and with skip connections the word as well.
 */

import { blankTape, selectedTape } from "page/engine/layers/lstmn-tape";
import { LanguageModel } from "page/engine/models/language-model";

/** @import { Matrix } from "page/engine/arithmetic/matrix" */
/** @import { Tape, TapeLayer } from "page/engine/layers/lstmn-tape" */

export class LSTMNLanguageModel extends LanguageModel {
  /** W_o h + b_o: a matrix and a vector, where a trace shows one matrix only. @type {null} */
  projection = null;

  /** One position after the other, since each reads what those before it have written. @param {number[]} reads @returns {Matrix} */
  states(reads) {
    return this.read("forward", reads, this.start()).states;
  }

  /** W_o h + b_o. @param {Matrix} states @returns {Matrix} */
  logits(states) {
    return this.parts.output.forward(states);
  }

  /** Blank tapes. @returns {Tape[]} */
  start() {
    return this.parts.layers.map(() => blankTape(this.settings.width));
  }

  /** The hypotheses at these places, in this order. @param {Tape[]} state @param {number[]} places */
  select(state, places) {
    return state.map((tape) => selectedTape(tape, places));
  }

  /** One position: the tapes become longer by a slot. @param {number[]} tokens @param {Tape[]} state */
  step(tokens, state) {
    const { states, tapes } = this.read("step", tokens, state);
    return { logits: this.logits(states), state: tapes };
  }

  /**
   * The top layer's hidden states, and the tapes after them: of all positions of one sequence ("forward"), or of one
   * position of each hypothesis ("step").
   * @param {"forward" | "step"} how
   * @param {number[]} tokens
   * @param {Tape[]} before
   */
  read(how, tokens, before) {
    /** @type {Matrix} */
    const words = this.parts.embedding.forward(tokens);
    let states = words;
    /** @type {Tape[]} */
    const tapes = this.parts.layers.map((/** @type {TapeLayer} */ layer, /** @type {number} */ at) => {
      const inputs = at > 0 && this.settings.skip_connections ? states.beside(words) : states;
      const made = layer[how](inputs, before[at], null);
      states = made.hidden;
      return made.tape;
    });
    return { states, tapes };
  }
}
