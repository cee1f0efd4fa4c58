/**
 * Score functions: how well a key answers a query (attention/scores.py).
 *
 *   additive            w^T tanh(W1 q + W2 k)               Bahdanau 2015
 *   concat              v^T tanh(W [q; k])                  Luong 2015; the same family, in one matrix
 *   dot                 q^T k                               Luong 2015; scaled, Vaswani 2017
 *   general             k^T W q                             Luong 2015; with a bias k^T (W q + b), Sordoni 2016
 *   activated-general   tanh(k^T W q + b)                   Ma 2017
 *   cosine              t q^T k / (|q| |k|), t learned      content addressing, Graves 2014
 *   location            (W q)_position                      Luong 2015: from the query alone
 *
 * `prepare` makes of the keys what needs no query, and `ask` of the queries what needs no key; `compare` scores the two.
 */

import { dot, Matrix } from "page/engine/arithmetic/matrix";

/** @import { Weight } from "page/engine/arithmetic/weights" */
/** @import { Description } from "page/engine/interpreter" */

/** The least length of a vector that something is divided by, as torch has it. */
const SHORTEST = 1e-12;

/** q^T k of what is asked and what is prepared, which are queries and keys as they are unless a score says otherwise. */
export class Score {
  name = "dot";
  /** The factor in front of what is compared. */
  scale = 1;

  /** @param {Matrix} keys @returns {Matrix} */
  prepare(keys) {
    return keys;
  }

  /** @param {Matrix} queries @returns {Matrix} */
  ask(queries) {
    return queries;
  }

  /** @param {Float32Array} asked @param {Float32Array} prepared @param {number} _place  of the key */
  compare(asked, prepared, _place) {
    return dot(asked, prepared, 0, asked.length) * this.scale;
  }

  /** The intermediate values for a trace. @param {Matrix} asked @param {Matrix} prepared @returns {Record<string, any>} */
  inside(asked, prepared) {
    return { q_hidden: asked, k_hidden: prepared };
  }
}

/** w^T tanh(a + b). */
class TanhScore extends Score {
  /** @param {Description} description */
  constructor({ tensors }) {
    super();
    /** @type {Float32Array} */
    this.vector = tensors.vector;
  }

  /** @type {Score["compare"]} */
  compare(asked, prepared) {
    let sum = 0;
    for (let at = 0; at < asked.length; at++) sum += this.vector[at] * Math.tanh(asked[at] + prepared[at]);
    return sum;
  }

  /** @type {Score["inside"]} */
  inside(asked, prepared) {
    return { ...super.inside(asked, prepared), vector: this.vector };
  }
}

export class Additive extends TanhScore {
  name = "additive";

  /** @param {Description} description */
  constructor(description) {
    super(description);
    this.parts = description.parts;
  }

  /** W2 k. @type {Score["prepare"]} */
  prepare(keys) {
    return this.parts.key.forward(keys);
  }

  /** W1 q. @type {Score["ask"]} */
  ask(queries) {
    return this.parts.query.forward(queries);
  }
}

/** The columns of W that meet the query stand before those that meet the key; zeros stand for the half that is missing. */
export class Concat extends TanhScore {
  name = "concat";

  /** @param {Description} description */
  constructor(description) {
    super(description);
    /** @type {Weight} */
    this.weight = description.tensors.weight;
  }

  /** @type {Score["prepare"]} */
  prepare(keys) {
    return this.weight.linear(new Matrix(keys.rows, this.weight.columns - keys.columns).beside(keys));
  }

  /** @type {Score["ask"]} */
  ask(queries) {
    return this.weight.linear(queries.beside(new Matrix(queries.rows, this.weight.columns - queries.columns)));
  }
}

export class Dot extends Score {
  /** @param {Description} description */
  constructor({ settings }) {
    super();
    this.scale = settings.factor;
    this.name = settings.factor === 1 ? "dot" : "scaled-dot";
  }
}

export class General extends Score {
  /** @param {Description} description */
  constructor({ parts }) {
    super();
    this.query = parts.query;
    this.name = parts.query.bias ? "biased-general" : "general";
  }

  /** W q. @type {Score["ask"]} */
  ask(queries) {
    return this.query.forward(queries);
  }
}

export class ActivatedGeneral extends General {
  /** @param {Description} description */
  constructor(description) {
    super(description);
    this.name = "activated-general";
    /** @type {Float32Array} */
    this.bias = description.tensors.bias;
  }

  /** @type {Score["compare"]} */
  compare(asked, prepared, place) {
    return Math.tanh(super.compare(asked, prepared, place) + this.bias[0]);
  }

  /** @type {Score["inside"]} */
  inside() {
    return {};
  }
}

export class Cosine extends Score {
  /** @param {Description} description */
  constructor({ tensors }) {
    super();
    this.name = "cosine";
    this.scale = Math.exp(tensors.log_factor[0]);
  }

  /** The directions of the keys. @type {Score["prepare"]} */
  prepare(keys) {
    return directions(keys);
  }

  /** The directions of the queries. @type {Score["ask"]} */
  ask(queries) {
    return directions(queries);
  }
}

/** Places that W has no row for cannot be seen. */
export class Location extends General {
  /** @param {Description} description */
  constructor(description) {
    super(description);
    this.name = "location";
  }

  /** @type {Score["compare"]} */
  compare(asked, _prepared, place) {
    return asked[place] ?? -Infinity;
  }

  /** @type {Score["inside"]} */
  inside() {
    return {};
  }
}

/** Every key is as good as any other: for an alignment that asks no score, and for taking the mean. */
export class Indifferent extends Score {
  name = "none";

  /** @type {Score["compare"]} */
  compare() {
    return 0;
  }

  /** @type {Score["inside"]} */
  inside() {
    return {};
  }
}

/** The scores of another score function, times a factor. */
export class ScaledScore extends Score {
  /** @param {Score} original @param {number} factor */
  constructor(original, factor) {
    super();
    this.original = original;
    this.factor = factor;
    this.name = original.name;
    this.scale = original.scale * factor;
  }

  /** @type {Score["prepare"]} */
  prepare(keys) {
    return this.original.prepare(keys);
  }

  /** @type {Score["ask"]} */
  ask(queries) {
    return this.original.ask(queries);
  }

  /** @type {Score["compare"]} */
  compare(asked, prepared, place) {
    return this.original.compare(asked, prepared, place) * this.factor;
  }

  /** @type {Score["inside"]} */
  inside(asked, prepared) {
    return this.original.inside(asked, prepared);
  }
}

/** Every row as if it had the length 1. @param {Matrix} rows */
function directions(rows) {
  const made = new Matrix(rows.rows, rows.columns, rows.data.slice());
  for (const row of made.list()) {
    const length = Math.max(Math.sqrt(dot(row, row, 0, row.length)), SHORTEST);
    for (let at = 0; at < row.length; at++) row[at] /= length;
  }
  return made;
}
