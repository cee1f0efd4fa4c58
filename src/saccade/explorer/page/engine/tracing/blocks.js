/** Attention blocks and feed-forward layers of a trace, made from what modules reported: tracing/blocks.py. */

import { Matrix, stacked } from "page/engine/arithmetic/matrix";
import { statistics } from "page/engine/tracing/head-statistics";
import { byHead } from "page/engine/tracing/tensors";

/** @import { Told } from "page/engine/attention/recording" */
/** @import { Shaped, TraceTensors } from "page/engine/tracing/tensors" */
/** @import { Axes, Block, Layer } from "page/trace/schema" */
/** @typedef {"encoder" | "decoder"} Stack */
/** @typedef {"self" | "cross" | "ffn" | "rnn"} Kind */
/** @typedef {{ stack: Stack, kind: Kind, layer: number, what: any, residual: any }} ModuleRecord */

/** @type {Record<string, string>} */
const ATTENTION_PARAMETERS = {
  w_q: "width heads",
  w_k: "width heads",
  w_v: "width heads",
  w_o: "heads width",
  b_q: "heads",
  b_k: "heads",
  b_v: "heads",
  b_o: "width",
};
/** @type {Record<string, string>} */
const FFN_PARAMETERS = { w_1: "width inner", b_1: "inner", w_2: "inner width", b_2: "width" };

/** What is reported once before the first call, and valid for all. */
const BEFOREHAND = ["keys", "order"];
/** What has a row for each query. */
const BY_QUERY = ["query", "context", "scores", "seen", "centre", "q_hidden", "states", "gates"];

/**
 * Attention, feed-forward and recurrent modules by name, in the order of computation, each with the residual
 * connection around it.
 * @param {Told[]} encoder
 * @param {Told[]} decoder
 * @returns {Map<string, ModuleRecord>}
 */
export function records(encoder, decoder) {
  const found = new Map();
  /** @type {Record<string, number>} */
  const numbers = {};
  for (const [stack, told] of Object.entries({ encoder, decoder }))
    for (const [name, { calls, beforehand, residual }] of byModule(told)) {
      const what = withoutBlank({ ...beforehand, ...joined(calls) });
      const kind = kindOf(what);
      if (!kind) continue;
      const counted = `${stack} ${kind}`;
      numbers[counted] = (numbers[counted] ?? -1) + 1;
      found.set(name, { stack, kind, layer: numbers[counted], what, residual });
    }
  return found;
}

/** Calls by module; a residual connection reports right after the sub-layer it is around. @param {Told[]} told */
function byModule(told) {
  /** @type {Map<string, { calls: any[], beforehand: any, residual: any }>} */
  const found = new Map();
  let latest = null;
  for (const { name, what } of told) {
    if ("update" in what) {
      if (latest) latest.residual = what;
      latest = null; // the sub-layer inside the next residual connection may report nothing
      continue;
    }
    latest = found.get(name) ?? { calls: [], beforehand: {}, residual: {} };
    found.set(name, latest);
    if (Object.keys(what).every((key) => BEFOREHAND.includes(key))) Object.assign(latest.beforehand, what);
    else latest.calls.push(what);
  }
  return found;
}

/** Several calls as one with all their queries; where keys were added between calls, zeros follow earlier rows. @param {any[]} calls */
function joined(calls) {
  if (calls.length < 2) return calls[0] ?? {};
  const merged = { ...calls[calls.length - 1] };
  for (const name of BY_QUERY)
    if (merged[name] instanceof Matrix)
      merged[name] = stacked(
        calls.flatMap((call) => call[name].list()),
        merged[name].columns,
      );
  if (merged.weights) {
    const rows = calls.map((call) => call.weights);
    merged.weights = stacked(rows, merged.weights.length).data;
  }
  return merged;
}

/**
 * A tape begins with a blank slot that stands for no token: what it got is kept apart, and its place is taken by the
 * last slot, which is never read.
 * @param {any} what
 */
function withoutBlank(what) {
  if (!what.blank) return what;
  const { rows } = what.query;
  const weights = new Matrix(rows, rows, what.weights);
  const shown = { ...what, weights: nextColumns(weights).data };
  for (const name of ["scores", "seen"]) shown[name] = nextColumns(what[name]);
  for (const name of ["keys", "values", "k_hidden"])
    shown[name] = stacked([...what[name].list().slice(1), new Float32Array(what[name].columns)], what[name].columns);
  shown.blank_weights = firstColumn(weights);
  shown.blank_scores = firstColumn(what.scores);
  return shown;
}

/** Every column in the place of the one before it, and zeros in the last. @param {Matrix} matrix */
const nextColumns = (matrix) =>
  stacked(
    matrix.list().map((row) => row.subarray(1)),
    matrix.columns,
  );

/** As of one head. @param {Matrix} matrix @returns {Shaped} */
const firstColumn = (matrix) => ({ shape: [1, matrix.rows], data: Float32Array.from(matrix.list(), (row) => row[0]) });

/** @param {any} what @returns {Kind | null} */
function kindOf(what) {
  if ("states" in what) return "rnn";
  if ("hidden" in what) return "ffn";
  if (!("weights" in what)) return null;
  return what.own ? "self" : "cross";
}

/** The id of a block: "dec.0.cross". @param {ModuleRecord} record */
export const identity = ({ stack, layer, kind }) => `${stack.slice(0, 3)}.${layer}.${kind}`;

/**
 * An attention block of the trace.
 * @param {ModuleRecord} record
 * @param {Axes} axes
 * @param {TraceTensors} tensors
 * @returns {Block}
 */
export function block(record, axes, tensors) {
  const { stack, kind, layer, what } = record;
  const id = identity(record);
  const queries = stack === "encoder" ? "source" : "reads";
  const keys = kind === "cross" ? "source" : queries;
  const shape = [what.heads, axes[queries].tokens.length, axes[keys].tokens.length];
  /** @type {[string, any, string][]} */
  const roles = [
    ["weights", { shape, data: what.weights }, "head query key"],
    ["mask", () => mask(what, shape), "query key"],
    ["q", what.query && (() => byHead(what.query, what.heads)), "head query d"],
    ["k", what.keys && (() => byHead(what.keys, what.heads)), "head key d"],
    ["v", what.values && (() => byHead(what.values, what.heads)), "head key d"],
    ["scores", what.query && (() => scores(what)), "head query key"],
    ["head_out", what.context && (() => byHead(what.context, what.heads)), "head query d"],
    ["q_hidden", what.q_hidden && (() => byHead(what.q_hidden, what.heads)), "head query hidden"],
    ["k_hidden", what.k_hidden && (() => byHead(what.k_hidden, what.heads)), "head key hidden"],
    ["vector", what.vector, "hidden"],
    ["blank", what.blank_weights, "head query"],
    ["blank_scores", what.blank_scores, "head query"],
    ["concat", what.concat, "query heads"],
    ["out", what.out, "query width"],
  ];
  /** @type {Record<string, string>} */
  const names = {};
  for (const [role, value, dims] of roles) Object.assign(names, tensors.put(id, role, value, dims));
  for (const [role, dims] of Object.entries(ATTENTION_PARAMETERS))
    Object.assign(names, tensors.put(id, role, what[role], dims));
  const { causal } = what.visibility;
  const special = axes[keys].tokens.map((token) => token.special !== null);
  return {
    id,
    stack,
    layer,
    kind: /** @type {Block["kind"]} */ (kind),
    score: what.score,
    alignment: what.alignment,
    query_axis: queries,
    key_axis: keys,
    heads: what.heads,
    scale: what.scale,
    causal,
    sums_to_one: (what.sums_to_one ?? true) && !what.blank && everyQuerySees(what),
    off: what.off ?? [],
    window: windowOf(what),
    ...residual(record, id, tensors, names),
    tensors: names,
    stats: statistics(what.weights, shape, special),
  };
}

/** A feed-forward layer of the trace. @param {ModuleRecord} record @param {TraceTensors} tensors @returns {Layer} */
export function layer(record, tensors) {
  const { stack, layer: number, what } = record;
  const id = identity(record);
  /** @type {Record<string, string>} */
  const names = {
    ...tensors.put(id, "in", what.inputs, "query width"),
    ...tensors.put(id, "hidden", what.hidden, "query inner"),
    ...tensors.put(id, "out", what.out, "query width"),
  };
  for (const [role, dims] of Object.entries(FFN_PARAMETERS))
    Object.assign(names, tensors.put(id, role, what[role], dims));
  return {
    id,
    stack,
    layer: number,
    kind: "ffn",
    axis: stack === "encoder" ? "source" : "reads",
    activation: what.activation,
    ...residual(record, id, tensors, names),
    tensors: names,
  };
}

/**
 * Pre-norm or post-norm; the tensors of the residual sum and the norm around a sub-layer are added to `names`.
 * @param {ModuleRecord} record
 * @param {string} id
 * @param {TraceTensors} tensors
 * @param {Record<string, string>} names
 */
function residual({ residual: told }, id, tensors, names) {
  Object.assign(
    names,
    tensors.put(id, "resid_in", told.before, "query width"),
    tensors.put(id, "resid_sum", told.sum, "query width"),
    tensors.put(id, "norm_out", told.normalised, "query width"),
    tensors.put(id, "norm_gain", told.norm_gain, "width"),
    tensors.put(id, "norm_shift", told.norm_shift, "width"),
  );
  return { norm: ["pre", "post"].includes(told.norm) ? told.norm : null, epsilon: told.epsilon ?? null };
}

/** 1 where a query may see a key. @param {any} what @param {number[]} shape  heads, queries, keys @returns {Shaped} */
function mask({ visibility, seen }, [, queries, keys]) {
  if (seen) return { shape: [queries, keys], data: Uint8Array.from(seen.data) };
  const data = new Uint8Array(queries * keys);
  for (let row = 0; row < queries; row++)
    for (let key = 0; key < keys; key++) data[row * keys + key] = visibility.sees(row, key) ? 1 : 0;
  return { shape: [queries, keys], data };
}

/** Whether there is something to take for each query. @param {any} what */
const everyQuerySees = ({ seen }) => !seen || seen.list().every((/** @type {Float32Array} */ row) => row.includes(1));

/** Around which place each query looks, and how far; null where it looks everywhere. @param {any} what */
function windowOf({ query, visibility, reach, centre }) {
  if (reach) return { centre: [...centre.data], reach };
  return visibility.window === null ? null : { centre: [...Array(query.rows).keys()], reach: visibility.window };
}

/** Queries compared with keys, before scaling and masking. @param {any} what @returns {Shaped} */
function scores({ heads, query, asked, keys, compare, scores: found }) {
  if (found) return { shape: [heads, found.rows, found.columns], data: found.data };
  const size = keys.columns / heads;
  const data = new Float32Array(heads * query.rows * keys.rows);
  let at = 0;
  for (let head = 0; head < heads; head++)
    for (let row = 0; row < query.rows; row++)
      for (let key = 0; key < keys.rows; key++)
        data[at++] = compare(asked.row(row), keys.row(key), head * size, (head + 1) * size, key);
  return { shape: [heads, query.rows, keys.rows], data };
}
