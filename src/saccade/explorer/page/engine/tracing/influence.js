/**
 * How much each source word mattered for each target word, without attention weights: tracing/influence.py.
 *
 *   occlusion   log p(y_t) - log p(y_t | word j unknown)      the loss when all pieces of a word become UNK
 *
 * The loss of a word is divided equally among its pieces, so that they add up to what was measured.
 */

import { Matrix } from "page/engine/arithmetic/matrix";
import { BOS, UNK } from "page/engine/data/tokenizer";
import { logNormaliser } from "page/engine/decoding/beam";
import { identity } from "page/engine/tracing/blocks";

/** @import { SequenceModel } from "page/engine/live-model" */
/** @import { ModuleRecord } from "page/engine/tracing/blocks" */
/** @import { Axis } from "page/trace/schema" */

/**
 * The log-probability that every target token loses with each word.
 * @param {SequenceModel} model
 * @param {number[]} source
 * @param {number[]} target
 * @param {Axis} axis  of the source
 * @param {(written: number, share: number) => Promise<void>} breathe  called before each pass; it may throw, to stop
 */
export async function occlusion(model, source, target, axis, breathe) {
  const whole = scores(model, source, target);
  const lost = new Matrix(target.length, source.length);
  for (const [done, { pieces }] of axis.words.entries()) {
    await breathe(target.length, done / axis.words.length);
    const changed = source.map((token, place) => (pieces.includes(place) ? UNK : token));
    scores(model, changed, target).forEach((left, row) => {
      for (const place of pieces) lost.row(row)[place] = (whole[row] - left) / pieces.length;
    });
  }
  return lost;
}

/**
 * log P of each token of a target, in single precision: what cannot follow has a log P of minus ten thousand, of which
 * differences would show other digits than Python's.
 * @param {SequenceModel} model
 * @param {number[]} source
 * @param {number[]} target
 */
function scores(model, source, target) {
  const reads = [BOS, ...target.slice(0, -1)];
  const logits = model.logits(model.states(reads, model.encode(source)));
  return target.map((token, place) => {
    const row = logits.row(place);
    return Math.fround(row[token] - Math.fround(logNormaliser(row)));
  });
}

/**
 * The head whose weights correlate most with occlusion, over the source tokens that belong to words.
 * @param {ModuleRecord[]} blocks
 * @param {Matrix} reference
 * @param {Axis} axis  of the source
 */
export function bestHead(blocks, reference, axis) {
  const ordinary = axis.tokens.filter((token) => token.special === null).map((token) => token.i);
  /** @type {{ block: string, head: number, agreement: number } | null} */
  let best = null;
  for (const block of blocks.filter(({ kind }) => kind === "cross"))
    for (let head = 0; head < block.what.heads; head++) {
      const { length } = reference.data;
      const weights = new Matrix(
        reference.rows,
        reference.columns,
        block.what.weights.subarray(head * length, (head + 1) * length),
      );
      const agreed = agreement(weights, reference, ordinary);
      if (agreed !== null && agreed > (best?.agreement ?? -Infinity))
        best = { block: identity(block), head, agreement: agreed };
    }
  return best;
}

/**
 * The correlation of two matrices over these columns; null where one of them does not vary.
 * @param {Matrix} one
 * @param {Matrix} other
 * @param {number[]} columns
 */
function agreement(one, other, columns) {
  const [centred, reference] = [one, other].map((matrix) => {
    const values = matrix.list().flatMap((row) => columns.map((column) => row[column]));
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => value - mean);
  });
  /** @param {number[]} values @param {number[]} others */
  const product = (values, others) => values.reduce((sum, value, at) => sum + value * others[at], 0);
  const lengths = [centred, reference].map((values) => Math.sqrt(product(values, values)));
  return Math.min(...lengths) < 1e-12 ? null : product(centred, reference) / (lengths[0] * lengths[1]);
}
