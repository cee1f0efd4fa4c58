/** Attention that computes something else than the model was trained with: tracing/modified_attention.py. */

import { dot } from "page/engine/arithmetic/matrix";
import { MultiHeadAttention, within } from "page/engine/attention/multihead";
import { Cosine, Dot, ScaledScore } from "page/engine/attention/scores";
import { Attention } from "page/engine/attention/single-query";
import { WindowAttention } from "page/engine/attention/window";
import { Reader } from "page/engine/layers/lstmn-tape";
import { EngineProblem } from "page/engine/problem";

/** @import { Visibility } from "page/engine/attention/multihead" */
/** @import { Score } from "page/engine/attention/scores" */

/**
 * What to change: another score, no scale, one more factor on scores, no causal mask, a head that outputs zeros.
 * @typedef {{ score?: "dot" | "cosine", scaled?: boolean, factor?: number, causal?: boolean, zeroed?: number }} AttentionChange
 */

/** The least length of a vector that something is divided by, as torch has it. */
const SHORTEST = 1e-12;

/**
 * What stands in the place of an attention module; null where the change does not apply to it.
 * @param {any} module
 * @param {AttentionChange} change
 */
export function modifiedAttention(module, change) {
  const { zeroed, factor = 1, causal = true } = change;
  if (module instanceof MultiHeadAttention) {
    checkHead(zeroed, module.heads);
    if (module.scores && change.scaled === false) return null;
    return new ModifiedMultiHeadAttention(module, change);
  }
  if (module instanceof Reader) return factor === 1 ? null : scaledReader(module, factor);
  if (!(module instanceof Attention || module instanceof WindowAttention) || !causal) return null;
  if (zeroed !== undefined) {
    checkHead(zeroed, 1);
    return module instanceof Attention ? new ZeroedAttention(described(module, module.score)) : null;
  }
  const score = otherScore(module.score, change);
  if (!score) return null;
  if (module instanceof Attention) return new Attention(described(module, score));
  const { name, window } = module;
  return new WindowAttention({ name, settings: { window }, parts: { score }, tensors: {} });
}

/** @param {number | undefined} head @param {number} heads */
function checkHead(head, heads) {
  if (head === undefined || (head >= 0 && head < heads)) return;
  const known = heads === 1 ? "one head, 0" : `the heads 0 to ${heads - 1}`;
  throw new EngineProblem(`This block has ${known}, and no ${head}.`);
}

/** Its score ends with a product with a vector, so that a factor on the score is one on that vector. @param {Reader} reader @param {number} factor */
function scaledReader({ name, parts, vector }, factor) {
  return new Reader({ name, settings: {}, parts, tensors: { vector: vector.map((value) => value * factor) } });
}

/** @param {Attention} attention @param {Score} score */
function described({ name, alignment }, score) {
  return { name, settings: {}, parts: { score, alignment }, tensors: {} };
}

/** @param {Score} score @param {AttentionChange} change @returns {Score | null} */
function otherScore(score, { score: other, scaled = true, factor = 1 }) {
  const plain = { name: "", settings: { factor: 1 }, parts: {}, tensors: { log_factor: [0] } };
  if (other) return other === "cosine" ? new Cosine(plain) : new Dot(plain);
  if (!scaled) return score.name === "scaled-dot" ? new Dot(plain) : null;
  return new ScaledScore(score, factor);
}

/** Attention with its usual weights and an output of zeros. */
class ZeroedAttention extends Attention {
  off = [0];

  blend() {}
}

class ModifiedMultiHeadAttention extends MultiHeadAttention {
  /** @param {MultiHeadAttention} original @param {AttentionChange} change */
  constructor(original, change) {
    const { query, key, value, output } = original;
    // Another score compares the keys themselves, not what the original score prepares of them.
    const score = change.score ? null : original.scores;
    super({
      name: original.name,
      settings: { heads: original.heads },
      parts: { query, key, value, output, score },
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
  told(queries, asked, memory, visibility) {
    const { zeroed } = this.change;
    return { ...super.told(queries, asked, memory, visibility), off: zeroed === undefined ? [] : [zeroed] };
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
