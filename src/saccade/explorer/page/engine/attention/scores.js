/**
 * Score functions: how well a key answers a query (attention/scores.py).
 *
 *   additive   w^T tanh(W1 q + W2 k)     Bahdanau 2015
 *   dot        q^T k                     Luong 2015; scaled, Vaswani 2017
 *   general    k^T W q                   Luong 2015
 *
 * `prepare` makes of the keys what needs no query, and `ask` of the queries what needs no key; `compare` scores the two.
 */

import { dot } from "page/engine/arithmetic/matrix";

/** @import { Matrix } from "page/engine/arithmetic/matrix" */
/** @import { Description } from "page/engine/interpreter" */

export class Additive {
  name = "additive";
  scale = 1;

  /** @param {Description} description */
  constructor({ parts, tensors }) {
    this.query = parts.query;
    this.key = parts.key;
    /** @type {Float32Array} */
    this.vector = tensors.vector;
  }

  /** W2 k. @param {Matrix} keys @returns {Matrix} */
  prepare(keys) {
    return this.key.forward(keys);
  }

  /** W1 q. @param {Matrix} queries @returns {Matrix} */
  ask(queries) {
    return this.query.forward(queries);
  }

  /** w^T tanh(W1 q + W2 k). @param {Float32Array} asked @param {Float32Array} prepared */
  compare(asked, prepared) {
    let sum = 0;
    for (let at = 0; at < asked.length; at++) sum += this.vector[at] * Math.tanh(asked[at] + prepared[at]);
    return sum;
  }
}

export class Dot {
  vector = null;

  /** @param {Description} description */
  constructor({ settings }) {
    this.scale = settings.factor;
    this.name = settings.factor === 1 ? "dot" : "scaled-dot";
  }

  /** The keys themselves. @param {Matrix} keys */
  prepare(keys) {
    return keys;
  }

  /** The queries themselves. @param {Matrix} queries */
  ask(queries) {
    return queries;
  }

  /** @param {Float32Array} asked @param {Float32Array} prepared */
  compare(asked, prepared) {
    return dot(asked, prepared, 0, asked.length) * this.scale;
  }
}

export class General {
  scale = 1;
  vector = null;

  /** @param {Description} description */
  constructor({ parts }) {
    this.query = parts.query;
    this.name = parts.query.bias ? "biased-general" : "general";
  }

  /** The keys themselves. @param {Matrix} keys */
  prepare(keys) {
    return keys;
  }

  /** W q. @param {Matrix} queries @returns {Matrix} */
  ask(queries) {
    return this.query.forward(queries);
  }

  /** @param {Float32Array} asked @param {Float32Array} prepared */
  compare(asked, prepared) {
    return dot(asked, prepared, 0, asked.length);
  }
}
