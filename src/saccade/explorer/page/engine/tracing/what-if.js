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
import { modifiedAttention } from "page/engine/attention/modified";
import { tracing } from "page/engine/attention/recording";
import { BOS, UNK } from "page/engine/data/tokenizer";
import { FixedPositions, LearnedPositions } from "page/engine/layers/position";
import { EngineProblem } from "page/engine/problem";
import { identity, records } from "page/engine/tracing/blocks";

/** @import { AttentionChange } from "page/engine/attention/modified" */
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

/** The same module, the vectors of positions zero where it has them. @param {any} module */
export const withoutPositions = (module) => zeroPositions(module) ?? module;

/**
 * The model with a change, for this source; and what the change makes of a module, the same or another.
 * @param {LiveModel} live
 * @param {WhatIf} whatIf
 * @param {number[]} source
 */
export function changedModel(live, whatIf, source) {
  const change = changeOf(live, whatIf, source);
  let count = 0;
  const model = live.changed((module) => {
    const other = change(module);
    if (other) count += 1;
    return other ?? module;
  });
  if (!count) throw new EngineProblem(`This model has no part that “${whatIf.name}” changes.`, "Choose another.");
  return { model, change: (/** @type {any} */ module) => change(module) ?? module };
}

/**
 * What stands in the place of a module; null where it stays.
 * @param {LiveModel} live
 * @param {WhatIf} whatIf
 * @param {number[]} source
 * @returns {(module: any) => any}
 */
function changeOf(live, whatIf, source) {
  const { name, value = null } = whatIf;
  if (!name.endsWith("-positions") && !(name in CHANGES))
    throw new EngineProblem(`There is no what-if “${name}”.`, "Choose one of those in Steps.");
  if (name === "no-positions") return zeroPositions;
  if (name === "shuffled-positions") {
    const order = shuffledOrder(value, source.length);
    const { told } = tracing(() => live.model.encode(source));
    const adds = told.find(({ what }) => "position" in what);
    return adds ? withTable((table) => reordered(table, order), adds.name) : () => null;
  }
  const change = CHANGES[name](whatIf);
  const wanted = attentions(live, whatIf.block ?? null, source);
  if (change.score) for (const { what } of wanted.values()) checkWidths(what);
  return (module) => (wanted.has(module.name) ? modifiedAttention(module, change) : null);
}

/** A query and a key can only be multiplied where both have as many numbers. @param {{ query?: Matrix, keys?: Matrix }} recorded */
function checkWidths({ query, keys }) {
  if (!query || !keys || query.columns === keys.columns) return;
  throw new EngineProblem(
    `Queries have ${query.columns} numbers here and keys ${keys.columns}, so they cannot be multiplied.`,
    "This model needs a score with a matrix of its own.",
  );
}

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
    if (!adds || (only && module.name !== only)) return null;
    module.table = other(module.table);
    return module;
  };
}

const zeroPositions = withTable(({ rows, columns }) => new Matrix(rows, columns));

/** The first rows of a table in another order. @param {Matrix} table @param {number[]} order */
function reordered(table, order) {
  const other = new Matrix(table.rows, table.columns, table.data.slice());
  order.forEach((place, row) => {
    other.row(row).set(table.row(place));
  });
  return other;
}

/** What attends, by name: all, or the one that is this block of a trace. @param {LiveModel} live @param {string | null} block @param {number[]} source */
function attentions({ model }, block, source) {
  const encoding = tracing(() => model.encode(source));
  const decoding = tracing(() => model.states([BOS, UNK], encoding.result));
  const known = [...records(encoding.told, decoding.told)].filter(
    ([, { kind }]) => kind === "self" || kind === "cross",
  );
  const wanted = known.filter(([, record]) => block === null || identity(record) === block);
  if (known.length && !wanted.length) {
    const ids = known.map(([, record]) => identity(record));
    throw new EngineProblem(`There is no block “${block}”.`, `This model has ${ids.join(", ")}.`);
  }
  return new Map(wanted);
}
