/**
 * What if a part of the model were missing or different: tracing/what_if.py.
 *
 *   no-scale             scores are not divided by sqrt(d_k)
 *   temperature          scores are divided by one more number
 *   score                scores come from another function without parameters: "dot" or "cosine"
 *   no-mask              the decoder may see later positions
 *   head-off             one head outputs zeros
 *   no-positions         position embeddings are zero
 *   shuffled-positions   the positions of the source are shuffled
 *
 * A change of attention may name one block; without one it applies to all. The model stays as it is: another is built
 * of the same weights, with other modules in the place of some.
 */

import { Matrix } from "page/engine/arithmetic/matrix";
import { randomOrder } from "page/engine/arithmetic/random-order";
import { ModifiedMultiHeadAttention } from "page/engine/attention/modified";
import { MultiHeadAttention } from "page/engine/attention/multihead";
import { tracing } from "page/engine/attention/recording";
import { BOS, UNK } from "page/engine/data/tokenizer";
import { FixedPositions, LearnedPositions } from "page/engine/layers/position";
import { EngineProblem } from "page/engine/problem";
import { identity, records } from "page/engine/tracing/blocks";

/** @import { AttentionChange } from "page/engine/attention/modified" */
/** @import { ModuleNode } from "page/engine/interpreter" */
/** @import { LiveModel } from "page/engine/live-model" */

/** @typedef {{ name: string, value?: number | string | null, block?: string | null, head?: number | null }} WhatIf */

/** Temperatures; beyond, scores are no longer finite or all weights the same. */
const [COLDEST, HOTTEST] = [0.001, 1000];

/** What each changes in an attention module. @type {Record<string, (whatIf: WhatIf) => AttentionChange>} */
const CHANGES = {
  "no-scale": () => ({ scaled: false }),
  temperature: ({ value }) => {
    if (!(Number(value) >= COLDEST && Number(value) <= HOTTEST))
      throw new EngineProblem(`A temperature is a number from ${COLDEST} to ${HOTTEST}, not ${value}.`, "Try 2.");
    return { factor: 1 / Number(value) };
  },
  score: ({ value }) => {
    if (value !== "dot" && value !== "cosine")
      throw new EngineProblem(`Another score is “dot” or “cosine”, not “${value}”.`, "Choose one.");
    return { score: value };
  },
  "no-mask": () => ({ causal: false }),
  "head-off": ({ block, head }) => {
    if (!block || typeof head !== "number") throw new EngineProblem("Which head of which block is switched off?");
    return { zeroed: head };
  },
};

/** Whether a pass over a whole target sees what decoding step by step cannot. @param {WhatIf | null} whatIf */
export const looksAhead = (whatIf) => whatIf?.name === "no-mask";

/** As a trace holds it. @param {WhatIf} whatIf @param {number} length  of the source */
export function written({ name, value = null, block = null, head = null }, length) {
  const order = name === "shuffled-positions" ? { order: shuffledOrder(value, length) } : {};
  return { name, value, block, head, ...order };
}

/** Makes the vectors of positions zero. */
export const withoutPositions = withTable(({ rows, columns }) => new Matrix(rows, columns));

/**
 * What a what-if does to a module, for this source: the same module, or what stands in its place.
 * @param {LiveModel} live
 * @param {WhatIf | null} whatIf
 * @param {number[]} source
 * @returns {(module: any) => any}
 */
export function changeOf(live, whatIf, source) {
  if (!whatIf) return (module) => module;
  const { name, value = null } = whatIf;
  if (!name.endsWith("-positions") && !(name in CHANGES))
    throw new EngineProblem(`There is no what-if “${name}”.`, "Choose one of those in Steps.");
  const wanted = name.endsWith("positions") ? ["FixedPositions", "LearnedPositions"] : ["MultiHeadAttention"];
  if (!wanted.some((type) => has(live.exported.modules, type)))
    throw new EngineProblem(
      "A page changes positions and multi-head attention, and this model has no such part.",
      "saccade explore MODEL changes any attention, on a computer with Python.",
    );
  if (name === "no-positions") return withoutPositions;
  if (name === "shuffled-positions") {
    const order = shuffledOrder(value, source.length);
    const { told } = tracing(() => live.model.encode(source));
    return withTable((table) => reordered(table, order), told.find(({ what }) => "position" in what)?.name);
  }
  const change = CHANGES[name](whatIf);
  const only = whatIf.block ? moduleOf(live, whatIf.block, source) : null;
  return (module) => {
    if (!(module instanceof MultiHeadAttention) || (only && module.name !== only)) return module;
    if (change.zeroed !== undefined && !(change.zeroed >= 0 && change.zeroed < module.heads))
      throw new EngineProblem(`This block has the heads 0 to ${module.heads - 1}, and no ${change.zeroed}.`);
    return new ModifiedMultiHeadAttention(module, change);
  };
}

/** Whether there is a module of this type. @param {ModuleNode} node @param {string} type @returns {boolean} */
const has = (node, type) => node.type === type || Object.values(node.parts).some((part) => has(part, type));

/** The position whose vector each token gets. @param {number | string | null} seed @param {number} length */
const shuffledOrder = (seed, length) => randomOrder(length, seed === null ? 1 : Number(seed));

/**
 * Gives another table to what adds positions, everywhere or in the module of this name.
 * @param {(table: Matrix) => Matrix} other
 * @param {string} [only]
 */
function withTable(other, only) {
  return (/** @type {any} */ module) => {
    const adds = module instanceof FixedPositions || module instanceof LearnedPositions;
    if (adds && (!only || module.name === only)) module.table = other(module.table);
    return module;
  };
}

/** The first rows of a table in another order. @param {Matrix} table @param {number[]} order */
function reordered(table, order) {
  const other = new Matrix(table.rows, table.columns, table.data.slice());
  order.forEach((place, row) => {
    other.row(row).set(table.row(place));
  });
  return other;
}

/** The name of the module that a block of a trace is. @param {LiveModel} live @param {string} block @param {number[]} source */
function moduleOf({ model }, block, source) {
  const encoding = tracing(() => model.encode(source));
  const decoding = tracing(() => model.states([BOS, UNK], encoding.result));
  const known = [];
  for (const [name, record] of records(encoding.told, decoding.told)) {
    if (record.kind === "ffn") continue;
    if (identity(record) === block) return name;
    known.push(identity(record));
  }
  throw new EngineProblem(`There is no block “${block}”.`, `This model has ${known.join(", ")}.`);
}
