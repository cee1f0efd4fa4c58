/**
 * Products by WebAssembly: the kernel of products.wat, and weights that lie in its memory.
 *
 * Rows are filled up with zeros to a multiple of sixteen numbers, which is how many the kernel takes at a time.
 */

import { Matrix } from "page/engine/arithmetic/matrix";

/** @import { Products, Stored, Weight } from "page/engine/arithmetic/weights" */

const TOGETHER = 16;
const PAGE = 65_536;

/** @param {number} size @param {number} unit */
const upTo = (size, unit) => Math.ceil(size / unit) * unit;

/** The memory of the kernel: weights one after another, then room for what goes in and comes out. */
class KernelMemory {
  constructor() {
    this.memory = new WebAssembly.Memory({ initial: 1 });
    this.used = 0;
  }

  /** Room that is kept. @param {number} bytes @returns {number} where it begins */
  keep(bytes) {
    const place = this.used;
    this.used += upTo(bytes, TOGETHER);
    this.reach(this.used);
    return place;
  }

  /** Makes the memory at least so large. @param {number} bytes */
  reach(bytes) {
    const missing = bytes - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
  }

  // A memory that grows leaves its old buffer behind, so numbers are looked up anew each time.

  /** @param {number} place @param {number} count */
  bytes(place, count) {
    return new Int8Array(this.memory.buffer, place, count);
  }

  /** @param {number} place @param {number} count */
  floats(place, count) {
    return new Float32Array(this.memory.buffer, place, count);
  }
}

/** A matrix of weights inside the kernel's memory, a row for each output. @implements {Weight} */
class WasmWeight {
  /** @param {KernelMemory} kept @param {any} kernel @param {Stored} stored @param {Float32Array | null} scales */
  constructor(kept, kernel, stored, scales) {
    this.kept = kept;
    this.kernel = kernel;
    this.rows = stored.shape[0];
    this.columns = stored.shape[1];
    this.scales = scales;
    this.stride = upTo(this.columns, TOGETHER);
    this.small = stored.data instanceof Int8Array;
    this.place = kept.keep(this.rows * this.stride * (this.small ? 1 : 4));
    const numbers = this.numbers();
    for (let row = 0; row < this.rows; row++)
      numbers.set(stored.data.subarray(row * this.columns, (row + 1) * this.columns), row * this.stride);
  }

  numbers() {
    const count = this.rows * this.stride;
    return this.small ? this.kept.bytes(this.place, count) : this.kept.floats(this.place, count);
  }

  /** The numbers that a row stands for, as `quantization.unpack` makes them. @param {number} row */
  row(row) {
    const start = row * this.stride;
    const values = Float32Array.from(this.numbers().subarray(start, start + this.columns));
    if (this.scales) for (let at = 0; at < values.length; at++) values[at] *= this.scales[row];
    return values;
  }

  /** x W^T + b for each row x. @param {Matrix} input @param {Float32Array | null} [bias] */
  linear(input, bias = null) {
    const { kept, rows, columns, stride } = this;
    const count = input.rows * rows;
    const taken = kept.used;
    const given = taken + 4 * input.rows * stride;
    kept.reach(given + 4 * count);
    const states = kept.floats(taken, input.rows * stride);
    for (let row = 0; row < input.rows; row++) {
      states.set(input.row(row), row * stride);
      states.fill(0, row * stride + columns, (row + 1) * stride);
    }
    const multiply = this.small ? this.kernel.linear_i8 : this.kernel.linear_f32;
    multiply(taken, input.rows, stride, this.place, rows, given);
    const output = new Matrix(input.rows, rows, kept.floats(given, count).slice());
    this.finish(output.data, bias);
    return output;
  }

  /** Scales and biases, the same for all rows. @param {Float32Array} sums @param {Float32Array | null} bias */
  finish(sums, bias) {
    const { rows, scales } = this;
    for (let start = 0; start < sums.length; start += rows) {
      if (scales) for (let at = 0; at < rows; at++) sums[start + at] *= scales[at];
      if (bias) for (let at = 0; at < rows; at++) sums[start + at] += bias[at];
    }
  }
}

/**
 * The kernel with a memory of its own; null where this browser has no SIMD.
 * @param {BufferSource} kernel  products.wasm
 * @returns {Promise<Products | null>}
 */
export async function wasmProducts(kernel) {
  if (!WebAssembly.validate(kernel)) return null;
  const kept = new KernelMemory();
  const { instance } = await WebAssembly.instantiate(kernel, { engine: { memory: kept.memory } });
  return {
    name: "WebAssembly",
    hold: (stored, scales) => new WasmWeight(kept, instance.exports, stored, scales),
  };
}
