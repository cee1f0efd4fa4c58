/** Tensors as a trace carries them: shape, the name of each axis, and the numbers in base64 (tracing/tensors.py). */

import { Matrix } from "page/engine/arithmetic/matrix";

/** @import { Tensor } from "page/trace/schema" */
/** @typedef {{ shape: number[], data: Float32Array | Uint8Array }} Shaped */
/** @typedef {Matrix | Float32Array | Shaped | null | undefined} Value */

/** How the roles of parameters begin: by far the largest tensors. */
const PARAMETERS = ["w_", "b_", "norm_gain", "norm_shift"];
const ALWAYS = ["weights", "mask"];
/** Bytes that become characters in one call: more would not fit on the stack. */
const CHUNK = 0x8000;

/** The tensors of a trace by name; only those asked for are computed and written out. */
export class TraceTensors {
  constructor() {
    /** @type {Map<string, { owner: string, role: string, value: () => Value, dims: string }>} */
    this.held = new Map();
  }

  /**
   * Keeps a tensor, or what computes it; returns { role: name }. `dims` names the axes, separated by spaces.
   * @param {string} owner
   * @param {string} role
   * @param {Value | (() => Value)} value
   * @param {string} dims
   * @returns {Record<string, string>}
   */
  put(owner, role, value, dims) {
    if (value === null || value === undefined) return {};
    const name = `${owner}.${role}`;
    this.held.set(name, { owner, role, value: typeof value === "function" ? value : () => value, dims });
    return { [role]: name };
  }

  /** Those that belong to this detail. @param {string[]} detail @returns {Record<string, Tensor>} */
  written(detail) {
    const asked = new Set(detail);
    /** @type {Record<string, Tensor>} */
    const found = {};
    for (const [name, { owner, role, value, dims }] of this.held)
      if (belongs(owner, role, asked)) found[name] = written(shaped(value()), dims.split(" "));
    return found;
  }
}

/** @param {string} owner @param {string} role @param {Set<string>} asked */
function belongs(owner, role, asked) {
  if (ALWAYS.includes(role) || asked.has(`block:${owner}`) || asked.has(owner.split(".")[0])) return true;
  return asked.has(PARAMETERS.some((start) => role.startsWith(start)) ? "parameters" : "all");
}

/** @param {Value} value @returns {Shaped} */
function shaped(value) {
  if (value instanceof Matrix) return { shape: [value.rows, value.columns], data: value.data };
  if (value instanceof Float32Array) return { shape: [value.length], data: value };
  return /** @type {Shaped} */ (value);
}

/** @param {Shaped} tensor @param {string[]} dims @returns {Tensor} */
function written({ shape, data }, dims) {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return { dtype: data instanceof Float32Array ? "f32" : "u8", shape, dims, data: btoa(text) };
}

/**
 * [row, heads * d] as [head, row, d].
 * @param {Matrix} matrix
 * @param {number} heads
 * @returns {Shaped}
 */
export function byHead(matrix, heads) {
  const size = matrix.columns / heads;
  const data = new Float32Array(matrix.data.length);
  for (let head = 0; head < heads; head++)
    for (let row = 0; row < matrix.rows; row++)
      data.set(matrix.row(row).subarray(head * size, (head + 1) * size), (head * matrix.rows + row) * size);
  return { shape: [heads, matrix.rows, size], data };
}
