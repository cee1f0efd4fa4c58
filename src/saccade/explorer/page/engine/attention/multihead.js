/**
 * Multi-head attention: attention/multihead.py, after Vaswani et al. 2017, sections 3.2.1 and 3.2.2.
 *
 *   Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V
 *   MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O        head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
 *
 * The numbers of all heads lie side by side in a row: head i has the i-th part of it.
 */

import { dot, Matrix, stacked } from "page/engine/arithmetic/matrix";
import { zeros } from "page/engine/arithmetic/room";
import { transposed } from "page/engine/arithmetic/weights";
import { KeysValues } from "page/engine/attention/keys-values";
import { watch } from "page/engine/attention/recording";

/** @import { HeadScores } from "page/engine/attention/head-scores" */
/** @import { BranchKeysValues } from "page/engine/attention/keys-values" */
/** @import { Description } from "page/engine/interpreter" */

/**
 * Which keys a query may see, by the places of both; and the rule in words, for a trace.
 * @typedef {{ sees: (query: number, key: number) => boolean, causal: boolean, window: number | null }} Visibility
 */

/** @type {Visibility} */
export const everything = { sees: () => true, causal: false, window: null };

/** Self-attention's rule. @param {boolean} causal @param {number | null} window @returns {Visibility} */
export function within(causal, window) {
  return {
    sees: (query, key) => !(causal && key > query) && (window === null || Math.abs(query - key) <= window),
    causal,
    window,
  };
}

export class MultiHeadAttention {
  /** @param {Description} description */
  constructor({ name, settings, parts }) {
    this.name = name;
    this.heads = settings.heads;
    this.query = parts.query;
    this.key = parts.key;
    this.value = parts.value;
    this.output = parts.output;
    /** Scores other than the scaled dot product. @type {HeadScores | null} */
    this.scores = parts.score ?? null;
    if (this.scores) this.compare = this.scores.compare.bind(this.scores);
  }

  /** K W^K and V W^V: they do not depend on the query, so a decoder computes them once. @param {Matrix} memory */
  keysValues(memory) {
    return new KeysValues().append(this.keys(memory), this.value.forward(memory));
  }

  /** K W^K, or what the scores make of it. @param {Matrix} states @returns {Matrix} */
  keys(states) {
    const keys = this.key.forward(states);
    return this.scores ? this.scores.prepare(keys) : keys;
  }

  /** The name of the score, for a trace. @returns {string} */
  get score() {
    return this.scores?.name ?? "scaled-dot";
  }

  /** What scores are multiplied by. */
  get scale() {
    return this.scores ? 1 : 1 / Math.sqrt(this.query.weight.rows / this.heads);
  }

  /**
   * q k^T of one head, whose numbers stand from one place to another.
   * @param {Float32Array} query
   * @param {Float32Array} key
   * @param {number} from
   * @param {number} to
   * @param {number} _place  of the key
   */
  compare(query, key, from, to, _place) {
    return dot(query, key, from, to);
  }

  /** The rule that is followed where this one is asked for. @param {Visibility} asked @returns {Visibility} */
  rule(asked) {
    return asked;
  }

  /**
   * Attention over what has been projected already.
   * @param {Matrix} states
   * @param {KeysValues | BranchKeysValues} memory
   * @param {Visibility} visibility
   */
  forward(states, memory, visibility) {
    return this.mix(this.query.forward(states), memory, visibility);
  }

  /**
   * New positions attend to what was written before and to each other; and all that is written then.
   * @template {KeysValues | BranchKeysValues} Memory
   * @param {Matrix} states
   * @param {Memory} before
   * @param {Visibility} visibility
   * @returns {{ mixed: Matrix, written: Memory }}
   */
  lookBack(states, before, visibility) {
    const written = /** @type {Memory} */ (before.append(this.keys(states), this.value.forward(states)));
    return { mixed: this.mix(this.query.forward(states), written, visibility, before.length), written };
  }

  /**
   * Each query's mixture of the values it may see, joined over the heads. Where keys are of the queries' own sequence,
   * its queries stand at the places from `first` on; those of several hypotheses stand at the same place.
   * @param {Matrix} queries
   * @param {KeysValues | BranchKeysValues} memory
   * @param {Visibility} rule
   * @param {number | null} first  null where keys are of another sequence
   */
  mix(queries, memory, rule, first = null) {
    const visibility = this.rule(rule);
    const asked = this.scores ? this.scores.ask(queries) : queries;
    const width = this.value.weight.rows;
    const joined = new Matrix(queries.rows, width);
    const weights = zeros(this.heads * queries.rows * memory.length);
    const sequence = memory instanceof KeysValues;
    for (let row = 0; row < queries.rows; row++) {
      const { keys, values } = memory.of(row);
      const place = (first ?? 0) + (sequence ? row : 0);
      const [query, into] = [asked.row(row), joined.row(row)];
      for (let head = 0; head < this.heads; head++) {
        const at = (head * queries.rows + row) * keys.length;
        const own = weights.subarray(at, at + keys.length);
        this.weigh(query, keys, head, visibility, place, own);
        this.blend(own, values, head, into);
      }
    }
    const out = this.output.forward(joined);
    watch(this.name, () => ({
      ...this.told(queries, asked, memory.of(0), visibility),
      own: first !== null,
      weights,
      context: joined,
      concat: joined,
      out,
    }));
    return out;
  }

  /**
   * softmax(q K^T / sqrt(d_k)) of one query and head, over the keys that it may see.
   * @param {Float32Array} query  as the score asks it
   * @param {Float32Array[]} keys
   * @param {number} head
   * @param {Visibility} visibility
   * @param {number} place  of the query
   * @param {Float32Array} weights  where they are written
   */
  weigh(query, keys, head, visibility, place, weights) {
    const size = keys[0].length / this.heads;
    const [from, to] = [head * size, (head + 1) * size];
    const { scale } = this;
    let highest = -Infinity;
    for (let key = 0; key < keys.length; key++) {
      weights[key] = visibility.sees(place, key) ? this.compare(query, keys[key], from, to, key) * scale : -Infinity;
      if (weights[key] > highest) highest = weights[key];
    }
    let total = 0;
    for (let key = 0; key < keys.length; key++) {
      weights[key] = Math.exp(weights[key] - highest);
      total += weights[key];
    }
    for (let key = 0; key < keys.length; key++) weights[key] /= total;
  }

  /**
   * The weighted sum of the values, for one head.
   * @param {Float32Array} weights
   * @param {Float32Array[]} values
   * @param {number} head
   * @param {Float32Array} into
   */
  blend(weights, values, head, into) {
    const size = into.length / this.heads;
    const [from, to] = [head * size, (head + 1) * size];
    for (let key = 0; key < values.length; key++) {
      const [weight, value] = [weights[key], values[key]];
      for (let at = from; at < to; at++) into[at] += weight * value[at];
    }
  }

  /**
   * What a trace shows of one sequence.
   * @param {Matrix} queries
   * @param {Matrix} asked  the same as the score asks them
   * @param {KeysValues} memory
   * @param {Visibility} visibility
   * @returns {Record<string, any>}
   */
  told(queries, asked, memory, visibility) {
    const keys = stacked(memory.keys, queries.columns);
    return {
      heads: this.heads,
      query: queries,
      asked,
      keys,
      ...this.scores?.inside(asked, keys),
      values: stacked(memory.values, this.value.weight.rows),
      score: this.score,
      alignment: "soft",
      scale: this.scale,
      compare: this.compare,
      visibility,
      w_q: () => transposed(this.query.weight),
      w_k: () => transposed(this.key.weight),
      w_v: () => transposed(this.value.weight),
      w_o: () => transposed(this.output.weight),
      b_q: this.query.bias,
      b_k: this.key.bias,
      b_v: this.value.bias,
      b_o: this.output.bias,
    };
  }
}
