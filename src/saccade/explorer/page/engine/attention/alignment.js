/**
 * Alignment functions: from scores to weights, which say how much of each value a query takes (attention/alignment.py).
 *
 *   soft      softmax over everything                                            Bahdanau 2015
 *   local-m   softmax within [t - D, t + D] around the query's own position t     Luong 2015
 *   local-p   the same around a predicted place p = S sigma(v^T tanh(W q)), times exp(-(s - p)^2 / (2 (D/2)^2))
 *   hard      all weight on the best position; so do those that learned to choose by reward    Xu 2015
 *   diagonal  a fixed bump that moves along with the query                     what Bahdanau tried second
 *   sigmoid   every key for itself, sigma(e)
 *
 * sparse-alignment.js has those that give most keys exactly nothing.
 *
 * `centre` is the place around which a query looks, `reach` how far from there it sees: null for everywhere. `weigh`
 * makes weights of scores, in place.
 */

import { Matrix } from "page/engine/arithmetic/matrix";

/** @import { Description } from "page/engine/interpreter" */

/** Sees everything. */
export class Soft {
  /** In configurations and traces. */
  name = "soft";
  sumsToOne = true;
  /** @type {number | null} */
  reach = null;

  /** @param {Float32Array} _query @param {number} position @param {number} _length  of the source */
  centre(_query, position, _length) {
    return position;
  }

  /** @param {Float32Array} scores @param {number} centre */
  weigh(scores, centre) {
    softmaxWhere(scores, (key) => this.sees(key, centre));
  }

  /** @param {number} key @param {number} centre */
  sees(key, centre) {
    return this.reach === null || Math.abs(key - centre) <= this.reach;
  }
}

/** Both sides are taken to run at the same pace. */
export class LocalMonotonic extends Soft {
  name = "local-m";

  /** @param {Description} description */
  constructor({ settings }) {
    super();
    this.reach = settings.reach;
  }
}

/** The query predicts where to look; the bell around that place is not made to sum to one again. */
export class LocalPredictive extends Soft {
  name = "local-p";
  sumsToOne = false;

  /** @param {Description} description */
  constructor({ settings, parts, tensors }) {
    super();
    /** @type {number} */
    this.reach = settings.reach;
    this.inner = parts.inner;
    /** @type {Float32Array} */
    this.vector = tensors.vector;
  }

  /** S sigma(v^T tanh(W q)). @param {Float32Array} query @param {number} _position @param {number} length */
  centre(query, _position, length) {
    /** @type {Matrix} */
    const { data } = this.inner.forward(new Matrix(1, query.length, query));
    const predicted = data.reduce((sum, value, at) => sum + this.vector[at] * Math.tanh(value), 0);
    return length / (1 + Math.exp(-predicted));
  }

  /** @param {Float32Array} scores @param {number} centre */
  weigh(scores, centre) {
    super.weigh(scores, centre);
    const width = 2 * /** @type {number} */ (this.reach / 2) ** 2;
    for (let key = 0; key < scores.length; key++) scores[key] *= Math.exp(-((key - centre) ** 2) / width);
  }
}

/** One position takes everything. */
export class Hard extends Soft {
  name = "hard";

  /** @param {Float32Array} scores */
  weigh(scores) {
    const best = scores.indexOf(scores.reduce((highest, score) => Math.max(highest, score)));
    scores.fill(0)[best] = 1;
  }
}

/** The same choice, learned from the reward alone. */
export class Reinforced extends Hard {
  name = "reinforced";
}

/** A fixed bump at j = i, at the last word once the source is over; the scores are not asked. */
export class Diagonal extends Soft {
  name = "diagonal";

  /** @param {Description} description */
  constructor({ settings }) {
    super();
    this.spread = settings.spread;
  }

  /** @param {Float32Array} scores @param {number} position */
  weigh(scores, position) {
    const place = Math.min(position, scores.length - 1);
    for (let key = 0; key < scores.length; key++) scores[key] = -((key - place) ** 2) / (2 * this.spread ** 2);
    softmaxWhere(scores, () => true);
  }
}

/** sigma(e), key by key. */
export class Sigmoid extends Soft {
  name = "sigmoid";
  sumsToOne = false;

  /** @param {Float32Array} scores */
  weigh(scores) {
    for (let key = 0; key < scores.length; key++) scores[key] = 1 / (1 + Math.exp(-scores[key]));
  }
}

/** The softmax over some keys, in place; the others, and those whose score is -Infinity, get nothing. @param {Float32Array} scores @param {(key: number) => boolean} sees */
export function softmaxWhere(scores, sees) {
  let highest = -Infinity;
  for (let key = 0; key < scores.length; key++) if (sees(key) && scores[key] > highest) highest = scores[key];
  let total = 0;
  for (let key = 0; key < scores.length; key++) {
    scores[key] = sees(key) && scores[key] > -Infinity ? Math.exp(scores[key] - highest) : 0;
    total += scores[key];
  }
  if (total > 0) for (let key = 0; key < scores.length; key++) scores[key] /= total;
}
