/**
 * The Transformer's decoder alone, as a language model: models/transformer_language_model.py, after Liu et al. 2018.
 *
 *   x_t = E[w_t] sqrt(d) + PE(t)        h = layers(x), causal        p(w_{t+1} | w_1..t) = softmax(E h_t)
 */

import { within } from "page/engine/attention/multihead";
import { addPositions } from "page/engine/layers/position";
import { LanguageModel } from "page/engine/models/language-model";

/** @import { Matrix } from "page/engine/arithmetic/matrix" */
/** @import { BranchKeysValues } from "page/engine/attention/keys-values" */

export class TransformerLanguageModel extends LanguageModel {
  projection = this.parts.output.weight;

  /** All positions at once; the causal rule keeps each from seeing what it must predict. @param {number[]} reads @returns {Matrix} */
  states(reads) {
    return this.parts.decoder.forward(this.embedded(reads, [...reads.keys()]), this.rule);
  }

  /** The score of every token of the vocabulary. @param {Matrix} states @returns {Matrix} */
  logits(states) {
    return this.parts.output.logits(states);
  }

  /** Nothing written yet. @returns {BranchKeysValues[]} for each layer */
  start() {
    return this.parts.decoder.initialState();
  }

  /** The hypotheses at these places, in this order. @param {BranchKeysValues[]} state @param {number[]} places */
  select(state, places) {
    return state.map((branches) => branches.select(places));
  }

  /** One more position of each hypothesis. @param {number[]} tokens @param {BranchKeysValues[]} state */
  step(tokens, state) {
    const place = state[0].length;
    const embedded = this.embedded(
      tokens,
      tokens.map(() => place),
    );
    const { states, written } = this.parts.decoder.step(embedded, state, this.rule);
    return { logits: this.logits(states), state: written };
  }

  get rule() {
    return within(true, this.settings.attention_window);
  }

  /** @param {number[]} tokens @param {number[]} places */
  embedded(tokens, places) {
    const { embedding, positions } = this.parts;
    return addPositions(embedding.forward(tokens), positions, places, embedding.scale);
  }
}
