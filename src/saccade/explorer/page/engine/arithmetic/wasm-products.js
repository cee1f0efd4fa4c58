/**
 * Products by WebAssembly: the kernels of products.wat and digits.wat, and weights that lie in their memory.
 *
 * Rows are filled up with zeros to a multiple of sixteen numbers, which is how many the kernels take at a time.
 */

import { Matrix } from "page/engine/arithmetic/matrix";
import { exactNow } from "page/engine/arithmetic/precision";
import { copied, zeros } from "page/engine/arithmetic/room";

/** @import { Products, Stored, Weight } from "page/engine/arithmetic/weights" */

const TOGETHER = 16;
const PAGE = 65_536;
/** The longest row whose sums fit digits.wat. */
const WIDEST = 4096;

/** @param {number} size @param {number} unit */
const upTo = (size, unit) => Math.ceil(size / unit) * unit;

/** The memory of the kernel: weights one after another, then room for what goes in and comes out. */
class KernelMemory {
  constructor() {
    this.memory = new WebAssembly.Memory({ initial: 1 });
    this.used = 0;
  }

  /** Room that is kept, full of zeros. @param {number} bytes @returns {number} where it begins */
  keep(bytes) {
    const place = this.used;
    this.used += upTo(bytes, TOGETHER);
    this.reach(this.used);
    this.bytes(place, this.used - place).fill(0); // an earlier product may have been here
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

/** The same rows with so many numbers each: cut off, or filled up with zeros. @param {Matrix} matrix @param {number} columns */
function widened(matrix, columns) {
  if (matrix.columns === columns) return matrix;
  const wide = new Matrix(matrix.rows, columns);
  for (let row = 0; row < matrix.rows; row++) wide.row(row).set(matrix.row(row).subarray(0, columns));
  return wide;
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
    this.place = kept.keep(this.outputs * this.stride * (this.small ? 1 : 4));
    const numbers = this.numbers();
    if (this.stride === this.columns) numbers.set(stored.data);
    else
      for (let row = 0; row < this.rows; row++)
        numbers.set(stored.data.subarray(row * this.columns, (row + 1) * this.columns), row * this.stride);
  }

  /** How many rows the kernel multiplies with. */
  get outputs() {
    return this.rows;
  }

  numbers() {
    const count = this.rows * this.stride;
    return this.small ? this.kept.bytes(this.place, count) : this.kept.floats(this.place, count);
  }

  /** The numbers that a row stands for, as `quantization.unpack` makes them. @param {number} row */
  row(row) {
    const [numbers, start, scale] = [this.numbers(), row * this.stride, this.scales?.[row] ?? 1];
    const values = zeros(this.columns);
    for (let at = 0; at < values.length; at++) values[at] = numbers[start + at] * scale;
    return values;
  }

  /** x W^T + b for each row x. @param {Matrix} input @param {Float32Array | null} [bias] */
  linear(input, bias = null) {
    const { kept, rows, outputs, stride } = this;
    const states = kept.used;
    const products = this.reserve(states, input.rows);
    kept.floats(states, input.rows * stride).set(widened(input, stride).data);
    this.multiply(states, input.rows, products);
    const found = new Matrix(input.rows, outputs, copied(kept.floats(products, input.rows * outputs)));
    const output = widened(found, rows);
    if (bias)
      for (let start = 0; start < output.data.length; start += rows)
        for (let at = 0; at < rows; at++) output.data[start + at] += bias[at];
    return output;
  }

  /**
   * Makes room for so many rows of numbers and what comes of them.
   * @param {number} states  where the numbers begin
   * @param {number} count
   * @returns {number} where the products begin
   */
  reserve(states, count) {
    const products = states + 4 * count * this.stride;
    this.kept.reach(products + 4 * count * this.outputs);
    return products;
  }

  /** Multiplies rows of numbers at one place into another. @param {number} states @param {number} count @param {number} products */
  multiply(states, count, products) {
    const { rows, outputs, scales } = this;
    const multiply = this.small ? this.kernel.linear_i8 : this.kernel.linear_f32;
    multiply(states, count, this.stride, this.place, outputs, products);
    if (!scales) return;
    const sums = this.kept.floats(products, count * outputs);
    for (let start = 0; start < sums.length; start += outputs)
      for (let at = 0; at < rows; at++) sums[start + at] *= scales[at];
  }
}

/** Weights in one byte that a search multiplies by numbers in digits: digits.wat, which takes four rows at a time. */
class DigitWeight extends WasmWeight {
  get outputs() {
    return upTo(this.rows, 4);
  }

  /**
   * @param {KernelMemory} kept
   * @param {any} kernel  of float32 numbers
   * @param {any} relaxed  of digits
   * @param {Stored} stored
   * @param {Float32Array} scales
   */
  constructor(kept, kernel, relaxed, stored, scales) {
    super(kept, kernel, stored, scales);
    this.relaxed = relaxed;
    this.sums = kept.keep(4 * this.outputs);
    this.factors = kept.keep(4 * this.outputs);
    kept.floats(this.factors, this.rows).set(scales);
    relaxed.sums(this.place, this.outputs, this.stride, this.sums);
  }

  /** After the numbers come three digits for each, then a step for each row. @type {WasmWeight["reserve"]} */
  reserve(states, count) {
    const products = states + 7 * count * this.stride + upTo(4 * count, TOGETHER);
    this.kept.reach(products + 4 * count * this.outputs);
    return products;
  }

  /** @type {WasmWeight["multiply"]} */
  multiply(states, count, products) {
    if (exactNow()) return super.multiply(states, count, products);
    const { relaxed, place, sums, factors, outputs, stride } = this;
    const digits = states + 4 * count * stride;
    const steps = digits + 3 * count * stride;
    relaxed.digits(states, count, stride, digits, steps);
    relaxed.linear(digits, steps, count, stride, place, sums, factors, outputs, products);
  }
}

/**
 * Kernels with a memory of their own; null where this browser has no SIMD. Few browsers lack the relaxed kind, which
 * digits.wat needs, and all that have it have the other.
 * @param {BufferSource} products  products.wasm
 * @param {BufferSource} digits  digits.wasm
 * @returns {Promise<Products | null>}
 */
export async function wasmProducts(products, digits) {
  if (!WebAssembly.validate(products)) return null;
  const kept = new KernelMemory();
  /** @param {BufferSource} kernel */
  const started = async (kernel) =>
    (await WebAssembly.instantiate(kernel, { engine: { memory: kept.memory } })).instance.exports;
  const floats = await started(products);
  const relaxed = WebAssembly.validate(digits) ? await started(digits) : null;
  return {
    name: relaxed ? "WebAssembly, relaxed SIMD" : "WebAssembly",
    hold: (stored, scales) =>
      relaxed && scales && stored.shape[1] <= WIDEST
        ? new DigitWeight(kept, floats, relaxed, stored, scales)
        : new WasmWeight(kept, floats, stored, scales),
  };
}
