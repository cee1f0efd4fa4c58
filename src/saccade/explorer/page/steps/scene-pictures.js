/** The kinds of picture a step can have: vectors as strips, queries against keys, the columns of a projection. */
import { column } from "page/steps/arithmetic";
import { headOf, pointing } from "page/steps/facts";
import { role } from "page/trace/trace";

/** @import { Choice } from "page/steps/facts" */
/** @import { AxisEntry, Changes, Label, Mask, Matrix, Numbers, Place, Tensor, Trace } from "page/types" */

/**
 * @typedef {object} Picture
 * @property {string} key
 * @property {string} name
 * @property {"strip" | "matrix"} kind
 * @property {string} shape
 * @property {Matrix} values
 * @property {AxisEntry[] | Label[]} rows
 * @property {Label[]} [columns]
 * @property {boolean} [main]
 * @property {boolean} [deep]
 * @property {"half" | "third" | "tall" | "full"} [room]
 * @property {Mask | null} [mask]
 * @property {"weights" | "diverging"} [scale]
 * @property {number} [limit]
 * @property {Place | null} [cursor]
 * @property {(row: number, column: number) => Changes | null | undefined} [pick]
 * @property {number} [bands]
 * @property {number} [band]
 */

/** @param {string} letter @param {any} count */
export const numbered = (letter, count) =>
  Array.from({ length: count }, (_, i) => ({ label: `${letter} ${i}`, full: `${letter} ${i}`, special: null }));

/**
 * A [piece, number] tensor as strips.
 * @param {string} key
 * @param {any} name
 * @param {{shape: number[], data: Numbers} | null} found
 * @param {any} rows
 * @param {Choice} choice
 * @param {number} at
 * @param {any} [more]
 */
export function strip(key, name, found, rows, choice, at, more = {}) {
  if (!found) return null;
  const [count, wide] = found.shape.slice(-2);
  return {
    key,
    name,
    kind: "strip",
    rows,
    values: { rows: count, columns: wide, data: found.data },
    shape: `${count} × ${wide}`,
    cursor: { row: at, column: Math.min(choice.d, wide - 1) },
    ...more,
  };
}

/**
 * One head of a [head, piece, number] tensor as strips.
 * @param {string} key
 * @param {string} name
 * @param {Tensor | null} found
 * @param {any} rows
 * @param {Choice} choice
 * @param {number} at
 * @param {any} [more]
 */
export function headStrip(key, name, found, rows, choice, at, more = {}) {
  if (!found) return null;
  const [, count, wide] = found.shape;
  return strip(
    key,
    `${name}[${choice.head}]`,
    { shape: [count, wide], data: /** @type {Numbers} */ (headOf(found, choice.head)) },
    rows,
    choice,
    at,
    more,
  );
}

/** Picking a number of a query's vector chooses query and number. @param {Choice} choice */
export const ofQuery = (choice) => ({
  /** @param {number} row @param {number} d */
  /** @param {number} row @param {number} d */
  pick: (row, d) => pointing(choice, { q: row, dimension: d }),
});

/** @param {Choice} choice */
export const ofKey = (choice) => ({
  /** @param {number} row @param {number} d */
  /** @param {number} row @param {number} d */
  pick: (row, d) => pointing(choice, { k: row, dimension: d }),
});

/** @param {Choice} choice */
export const ofUnit = (choice) => ({
  /** @param {number} _row @param {number} d */
  /** @param {number} _row @param {number} d */
  pick: (_row, d) => pointing(choice, { dimension: d }),
});

/**
 * A [query, key] matrix.
 * @param {string} key
 * @param {string} name
 * @param {any} data
 * @param {Choice} choice
 * @param {Partial<Picture>} [more]
 */
export function grid(key, name, data, choice, more = {}) {
  if (!data) return null;
  const { rows, columns } = choice;
  return {
    key,
    name,
    kind: "matrix",
    rows,
    columns,
    values: { rows: rows.length, columns: columns.length, data },
    shape: `${rows.length} × ${columns.length}`,
    cursor: { row: choice.q, column: choice.k },
    /** @param {number} q @param {number} k */
    pick: (q, k) => pointing(choice, { q, k }),
    scale: "diverging",
    ...more,
  };
}

/**
 * The columns of a head in a projection, lying so that they line up with the vectors they multiply.
 * @param {string} key
 * @param {Trace} trace
 * @param {Choice} choice
 * @param {number} wide
 */
export function projection(key, trace, choice, wide) {
  const matrix = role(trace, choice.block, key);
  if (!matrix) return null;
  const each = wide;
  const [input] = matrix.shape;
  const data = new Float32Array(each * input);
  for (let d = 0; d < each; d++) data.set(column(matrix.data, matrix.shape[1], choice.head * each + d), d * input);
  return {
    key,
    name: `${choice.block.tensors[key]}[:, ${choice.head * each}:${(choice.head + 1) * each}].T`,
    kind: "strip",
    rows: numbered(key.slice(-1), each),
    values: { rows: each, columns: input, data },
    shape: `${each} × ${input}`,
    cursor: { row: Math.min(choice.d, each - 1), column: 0 },
    /** @param {number} row */
    pick: (row) => pointing(choice, { dimension: row }),
    deep: true,
  };
}
