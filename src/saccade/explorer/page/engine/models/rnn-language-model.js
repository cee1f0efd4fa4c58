/**
 * Recurrent language models: models/rnn_language_model.py, after Mikolov et al. 2010.
 *
 *   h_t = cell(C(w_t), h_{t-1})        p(w_{t+1} | w_1..t) = softmax(V h_t)
 */

import { selected } from "page/engine/layers/rnn";
import { LanguageModel } from "page/engine/models/language-model";

/** @import { Matrix } from "page/engine/arithmetic/matrix" */
/** @import { Carry } from "page/engine/layers/rnn" */

export class RNNLanguageModel extends LanguageModel {
  projection = this.parts.output.weight;

  /** The top layer at every position. @param {number[]} reads @returns {Matrix} */
  states(reads) {
    const { embedding, recurrent } = this.parts;
    return recurrent.forward(embedding.forward(reads), recurrent.initialState()).top;
  }

  /** V h. @param {Matrix} states @returns {Matrix} */
  logits(states) {
    return this.parts.output.forward(states);
  }

  /** Zeros: nothing has been read. @returns {Carry} */
  start() {
    return this.parts.recurrent.initialState();
  }

  /** The hypotheses at these places, in this order. @param {Carry} state @param {number[]} places */
  select(state, places) {
    return selected(state, places);
  }

  /** One position of every layer. @param {number[]} tokens @param {Carry} state */
  step(tokens, state) {
    const { embedding, recurrent } = this.parts;
    const { top, carry } = recurrent.step(embedding.forward(tokens), state);
    return { logits: this.logits(top), state: carry };
  }
}
