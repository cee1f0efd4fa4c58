/**
 * The neural probabilistic language model: models/neural_probabilistic.py, after Bengio et al. 2003.
 *
 *   x = [C(w_{t-1}); C(w_{t-2}); ..; C(w_{t-n+1})]        the vectors of the last n - 1 words, the newest first
 *   scores of w_t = b + W x + U tanh(d + H x)             W, the direct links from words to scores, is optional
 *
 * Before the beginning of a sentence there is BOS.
 */

import { Matrix } from "page/engine/arithmetic/matrix";
import { BOS } from "page/engine/data/tokenizer";
import { withOne } from "page/engine/layers/biased-projection";
import { LanguageModel } from "page/engine/models/language-model";

export class NeuralProbabilistic extends LanguageModel {
  projection = this.parts.output.weight;

  /** All positions at once: nothing is carried from one to the next. @param {number[]} reads */
  states(reads) {
    const { seen } = this.settings;
    const words = [...Array(seen - 1).fill(BOS), ...reads];
    return this.read(reads.map((_, place) => words.slice(place, place + seen)));
  }

  /** The words' bias, and U tanh(..) and W x as one product. @param {Matrix} states @returns {Matrix} */
  logits(states) {
    return this.parts.output.logits(states);
  }

  /** There is always something to see: BOS, before all words. @returns {number[][]} the last words of each hypothesis, the newest last */
  start() {
    return [Array(this.settings.seen).fill(BOS)];
  }

  /** The hypotheses at these places, in this order. @param {number[][]} state @param {number[]} places */
  select(state, places) {
    return places.map((place) => state[place]);
  }

  /** One word more is seen, and the oldest no longer. @param {number[]} tokens @param {number[][]} state */
  step(tokens, state) {
    const words = state.map((seen, row) => [...seen.slice(1), tokens[row]]);
    return { logits: this.logits(this.read(words)), state: words };
  }

  /** What the output matrix reads after each of these histories. @param {number[][]} histories */
  read(histories) {
    const { embedding, hidden: layer } = this.parts;
    const newestFirst = histories.flatMap((words) => [...words].reverse());
    const x = new Matrix(histories.length, this.settings.seen * embedding.weight.columns);
    x.data.set(embedding.forward(newestFirst).data);
    /** @type {Matrix} */
    const hidden = layer.forward(x);
    for (let at = 0; at < hidden.data.length; at++) hidden.data[at] = Math.tanh(hidden.data[at]);
    return withOne(this.settings.direct_links ? hidden.beside(x) : hidden);
  }
}
