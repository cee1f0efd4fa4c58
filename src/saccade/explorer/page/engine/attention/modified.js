/** Multi-head attention that computes something else than the model was trained with: tracing/modified_attention.py. */

import { dot } from "page/engine/arithmetic/matrix";
import { MultiHeadAttention, within } from "page/engine/attention/multihead";

/** @import { Visibility } from "page/engine/attention/multihead" */

/**
 * What to change: another score, no scale, one more factor on scores, no causal mask, a head that outputs zeros.
 * @typedef {{ score?: "dot" | "cosine", scaled?: boolean, factor?: number, causal?: boolean, zeroed?: number }} AttentionChange
 */

/** The least length of a vector that something is divided by, as torch has it. */
const SHORTEST = 1e-12;

export class ModifiedMultiHeadAttention extends MultiHeadAttention {
  /** @param {MultiHeadAttention} original @param {AttentionChange} change */
  constructor(original, change) {
    const { query, key, value, output } = original;
    super({
      name: original.name,
      settings: { heads: original.heads },
      parts: { query, key, value, output },
      tensors: {},
    });
    this.change = change;
    if (change.score === "cosine") this.compare = cosine;
  }

  get score() {
    const { score, scaled = true } = this.change;
    return score ?? (scaled ? super.score : "dot");
  }

  get scale() {
    const { score, scaled = true, factor = 1 } = this.change;
    return factor * (scaled && !score ? super.scale : 1);
  }

  /** @param {Visibility} asked */
  rule(asked) {
    return this.change.causal === false ? within(false, asked.window) : asked;
  }

  /** @param {Float32Array} weights @param {Float32Array[]} values @param {number} head @param {Float32Array} into */
  blend(weights, values, head, into) {
    if (head !== this.change.zeroed) super.blend(weights, values, head, into);
  }

  /** @type {MultiHeadAttention["told"]} */
  told(queries, memory, visibility) {
    const { zeroed } = this.change;
    return { ...super.told(queries, memory, visibility), off: zeroed === undefined ? [] : [zeroed] };
  }
}

/**
 * The cosine of the angle between a query and a key: their product, as if both had the length 1.
 * @param {Float32Array} query
 * @param {Float32Array} key
 * @param {number} from
 * @param {number} to
 */
function cosine(query, key, from, to) {
  const lengths = [query, key].map((one) => Math.max(Math.sqrt(dot(one, one, from, to)), SHORTEST));
  return dot(query, key, from, to) / (lengths[0] * lengths[1]);
}
