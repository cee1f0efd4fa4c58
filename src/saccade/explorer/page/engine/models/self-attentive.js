/**
 * A sentence as a matrix of several looks at it: models/self_attentive.py, after Lin et al. 2017.
 *
 *   H = [forward LSTM; backward LSTM]              one row of 2u numbers for each of the n words
 *   A = softmax(W_s2 tanh(W_s1 H^T))               r hops, each a distribution over the words
 *   M = A H                                        r rows of 2u numbers: the embedding
 *   label scores = W_2 relu(W_1 M + b_1) + b_2
 */

import { Matrix } from "page/engine/arithmetic/matrix";
import { softmaxWhere } from "page/engine/attention/alignment";
import { everything } from "page/engine/attention/multihead";
import { watch } from "page/engine/attention/recording";
import { Classifier } from "page/engine/models/classifier";

/** @import { Description } from "page/engine/interpreter" */

/** A sentence as one vector, and where each hop looked to make it. @typedef {{ embedding: Float32Array, weights: Matrix }} Annotated */

/** A = softmax(W_s2 tanh(W_s1 H^T)). */
export class Annotation {
  /** @param {Description} description */
  constructor({ name, parts }) {
    this.name = name;
    this.parts = parts;
  }

  /** The weight of every word for every hop, a row for each hop. @param {Matrix} states */
  forward(states) {
    const { inner, outer } = this.parts;
    /** @type {Matrix} */
    const hidden = inner.forward(states);
    for (let at = 0; at < hidden.data.length; at++) hidden.data[at] = Math.tanh(hidden.data[at]);
    /** @type {Matrix} */
    const scores = outer.forward(hidden);
    const weights = new Matrix(scores.columns, scores.rows);
    for (let hop = 0; hop < weights.rows; hop++) {
      const row = weights.row(hop);
      for (let word = 0; word < row.length; word++) row[word] = scores.row(word)[hop];
      softmaxWhere(row, () => true);
    }
    return weights;
  }
}

export class SelfAttentive extends Classifier {
  /** M = A H, row after row as one vector. @param {number[]} source @returns {Annotated} */
  encode(source) {
    const { embedding, onward, backward, annotation } = this.parts;
    /** @type {Matrix} */
    const words = embedding.forward(source);
    const order = [...source.keys()].reverse();
    const read = onward.forward(words, onward.initialState()).top;
    watch(backward.name, () => ({ order }));
    const readBack = backward.forward(words.select(order), backward.initialState()).top;
    /** @type {Matrix} */
    const states = read.beside(readBack.select(order));
    const weights = annotation.forward(states);
    const found = new Matrix(weights.rows, states.columns);
    for (let hop = 0; hop < weights.rows; hop++)
      weights.row(hop).forEach((/** @type {number} */ weight, /** @type {number} */ word) => {
        const [into, from] = [found.row(hop), states.row(word)];
        for (let at = 0; at < into.length; at++) into[at] += weight * from[at];
      });
    return { embedding: found.data, weights };
  }

  /** As for every classifier; a trace receives the weights of the hops, one head each. @param {number[]} reads @param {Annotated} memory */
  states(reads, memory) {
    watch(this.parts.annotation.name, () => told(memory.weights, reads.length));
    return super.states(reads, memory);
  }

  /** Two layers with a ReLU between them. @param {Matrix} embeddings @returns {Matrix} */
  classify(embeddings) {
    const { inner, outer } = this.parts;
    /** @type {Matrix} */
    const hidden = inner.forward(embeddings);
    for (let at = 0; at < hidden.data.length; at++) hidden.data[at] = Math.max(hidden.data[at], 0);
    return outer.forward(hidden);
  }
}

/** The same for every position that is written. @param {Matrix} weights @param {number} positions */
function told(weights, positions) {
  const repeated = weights.list().flatMap((row) => Array.from({ length: positions }, () => [...row]));
  return {
    heads: weights.rows,
    own: false,
    weights: Float32Array.from(repeated.flat()),
    score: "self-attentive",
    scale: 1,
    alignment: "soft",
    visibility: everything,
  };
}
