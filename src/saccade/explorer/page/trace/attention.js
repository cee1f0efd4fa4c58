/**
 * What Heat, Translate and the inspector show of attention: the matrix the state asks for, after its filters.
 */

import { KIND_NAMES, words } from "page/app/words";
import { DRAWING } from "page/drawing/words";
import { heaviest } from "page/numbers/numbers";
import { wishOf } from "page/trace/store";
import {
  aggregate,
  aggregateMask,
  axis,
  blocks,
  chosen,
  mask,
  rowAxis,
  slice,
  tensor,
  weights,
} from "page/trace/trace";

/** @import { AxisEntry, Block, Head, Kind, Mask, Matrix, State, Trace, Unit } from "page/types" */

/**
 * The attention a state asks for; `all` has every row and column, in the unit of the state.
 * @typedef {object} Attention
 * @property {Kind | null} kind
 * @property {Block} block
 * @property {Head} head
 * @property {AxisEntry[]} rows
 * @property {AxisEntry[]} columns
 * @property {Matrix} all
 * @property {Mask | null} mask
 * @property {string} title
 * @property {string} name
 */

/**
 * The matrix of the state.
 * @param {Trace} trace
 * @param {State} state
 * @returns {Attention | null}
 */
export function attention(trace, state) {
  const { kind, block, head } = chosen(trace, state);
  if (!kind || !block) return null;
  const rows = rowAxis(trace, block.query_axis, state.unit, state.shift);
  const columns = axis(trace, block.key_axis, state.unit);
  const averaged = state.average ? blocks(trace, kind).filter((one) => one.heads === block.heads) : [block];
  const values = mean(averaged.map((one) => weights(trace, one, head)));
  const where =
    state.average && averaged.length > 1 ? DRAWING.meanOfLayers(averaged.length) : DRAWING.layer(block.layer + 1);
  const name = `${state.average ? kind : block.id}${head === "mean" ? "" : `-head-${head + 1}`}`;
  return {
    kind,
    block,
    head,
    rows,
    columns,
    name,
    all: aggregate(values, rows, columns),
    mask: aggregateMask(mask(trace, block), rows, columns),
    title: words.title(kind, where, head, block.heads),
  };
}

/** @param {Matrix[]} found */
function mean(found) {
  if (found.length === 1) return found[0];
  const data = new Float64Array(found[0].data.length);
  for (const one of found)
    one.data.forEach((value, at) => {
      data[at] += value / found.length;
    });
  return { ...found[0], data };
}

/**
 * The model's own alignment, a row for each word written; null where it has none.
 * @param {Trace} trace
 * @param {Unit} unit
 */
export function alignment(trace, unit) {
  const found = tensor(trace, trace.alignment?.tensor);
  if (!found) return null;
  const [rows, columns] = [axis(trace, "target", unit), axis(trace, "source", unit)];
  return {
    rows,
    columns,
    weights: aggregate({ rows: found.shape[0], columns: found.shape[1], data: found.data }, rows, columns),
  };
}

/**
 * The influence of source on written words: [reads, source] by "gradient" or "occlusion", or null while it is not here.
 * Rows are tokens written; columns are words, or tokens where the tensor has a column for each.
 * @param {Trace} trace
 * @param {"gradient" | "occlusion"} how
 * @param {Unit} unit
 */
export function influence(trace, how, unit) {
  const name = trace.influence?.tensors?.[how] ?? trace.influence?.[/** @type {keyof typeof trace.influence} */ (how)];
  const found = tensor(trace, typeof name === "string" ? name : null);
  if (!found) return null;
  const byPiece = found.shape[1] === trace.axes.source.tokens.length;
  const columns = axis(trace, "source", byPiece ? unit : "word");
  const keys = byPiece ? columns : columns.map((column, j) => ({ ...column, pieces: [j] }));
  const rows = axis(trace, "target", unit);
  const values = aggregate({ rows: found.shape[0], columns: found.shape[1], data: found.data }, rows, keys);
  if (how === "occlusion") {
    // A word's loss is the sum of its pieces' losses: log-probabilities add.
    rows.forEach((row, i) => {
      for (let j = 0; j < values.columns; j++) values.data[i * values.columns + j] *= row.pieces.length;
    });
  }
  if (how === "gradient") {
    // Lengths of gradients have no scale of their own: each row is shown as shares of its sum.
    rows.forEach((_, i) => {
      const line = values.data.subarray(i * values.columns, (i + 1) * values.columns);
      const total = line.reduce((sum, value) => sum + value, 0);
      if (total > 0)
        line.forEach((value, j) => {
          line[j] = value / total;
        });
    });
  }
  return { rows, columns, weights: values };
}

/**
 * A matrix with columns left out, rows divided by what is left, and small cells blank, as the state asks.
 * `columnsAt` and `at` lead from shown columns to those of the whole matrix and back.
 * @param {Pick<Attention, "rows" | "columns" | "all" | "mask">} given
 * @param {State} state
 * @param {number | null} [written]
 */
export function filtered({ rows, columns, all, mask: allowed }, state, written = null) {
  const columnsAt = columns.map((_, j) => j).filter((j) => !state.hide || !columns[j].special);
  /** @param {any} given */
  const pick = (given) =>
    given && {
      rows: rows.length,
      columns: columnsAt.length,
      data: Float64Array.from(
        { length: rows.length * columnsAt.length },
        (_, at) => given.data[Math.floor(at / columnsAt.length) * columns.length + columnsAt[at % columnsAt.length]],
      ),
    };
  const values = pick(all);
  const count = values.columns;
  /** @param {number} i */
  const line = (i) => values.data.subarray(i * count, (i + 1) * count);
  if (state.hide && state.share)
    rows.forEach((_, i) => {
      const total = line(i).reduce((/** @type {any} */ sum, /** @type {number} */ value) => sum + value, 0);
      if (total > 0)
        line(i).forEach((/** @type {number} */ value, /** @type {number} */ j) => {
          line(i)[j] = value / total;
        });
    });
  const kept = state.mass < 1 ? rows.map((_, i) => heaviest(line(i), state.mass)) : null;
  const shown =
    kept || written !== null
      ? (/** @type {number} */ i, /** @type {number} */ j) =>
          (written === null || rows[i].pieces[0] <= written) && (!kept || kept[i].has(j))
      : undefined;
  return {
    values,
    mask: pick(allowed),
    columns: columnsAt.map((j) => columns[j]),
    columnsAt,
    shown,
    /** @param {number} k */
    at: (k) => columnsAt.indexOf(k),
  };
}

/**
 * One row of the whole matrix.
 * @param {Pick<Attention, "all">} given
 * @param {number} i
 */
export function row({ all }, i) {
  return Array.from(all.data.slice(i * all.columns, (i + 1) * all.columns));
}

/** The share of a matrix that rests on special tokens. @param {Pick<Attention, "all" | "columns" | "rows">} given */
export function onSpecials({ all, columns, rows }) {
  let total = 0;
  columns.forEach((column, j) => {
    if (column.special) for (let i = 0; i < rows.length; i++) total += all.data[i * columns.length + j];
  });
  return total / rows.length;
}

/**
 * The heads of a block at one cell: a number each.
 * @param {Trace} trace
 * @param {Block} block
 * @param {State} state
 * @param {number} i
 * @param {number} j
 */
export function cellOfHeads(trace, block, state, i, j) {
  const rows = rowAxis(trace, block.query_axis, state.unit, state.shift);
  const columns = axis(trace, block.key_axis, state.unit);
  const found = tensor(trace, block.tensors.weights);
  return Array.from(
    { length: block.heads },
    (_, head) =>
      aggregate(slice(/** @type {NonNullable<typeof found>} */ (found), head), [rows[i]], [columns[j]]).data[0],
  );
}

/**
 * The line under an exported picture that says where it comes from.
 * @param {Trace} trace
 * @param {Pick<State, "hide" | "share" | "mass">} state
 */
export function source(trace, state) {
  const what = trace.what_if ? `; ${words.whatIf(trace.what_if.written ?? trace.what_if.name)}` : "";
  const changed = [
    state.hide ? (state.share ? DRAWING.left.renormalised : DRAWING.left.specials) : null,
    state.mass < 1 ? DRAWING.left.heaviest(Math.round(state.mass * 100)) : null,
  ].filter((one) => one !== null);
  return [
    `${trace.model.name} (${trace.model.architecture}): ${wishOf(trace).sentence} → ${trace.output.text}${what}`,
    ...changed,
  ];
}

export { KIND_NAMES };
