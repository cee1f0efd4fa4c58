/**
 * The weights of a model as its folder stores them: a safetensors file, with one byte for each weight of a matrix and
 * a scale for each of its rows where the storage is int8 (serving/quantization.py).
 */

import { Matrix } from "page/engine/arithmetic/matrix";

/** Numbers of a tensor; whole ones are counts, as an n-gram model has them. @typedef {Int8Array | Float32Array | Int32Array | Float64Array} Numbers */
/** @typedef {{ shape: number[], data: Int8Array | Float32Array }} Stored */

/**
 * A matrix of weights, wherever its numbers lie.
 * @typedef {object} Weight
 * @property {number} rows
 * @property {number} columns
 * @property {(row: number) => Float32Array} row  the numbers of one row, as float32
 * @property {(input: Matrix, bias?: Float32Array | null) => Matrix} linear  x W^T + b for each row x
 */

/**
 * What keeps matrices and multiplies with them.
 * @typedef {object} Products
 * @property {string} name
 * @property {(stored: Stored, scales: Float32Array | null) => Weight} hold
 */

const SCALES = "/scales";

/**
 * The tensors of a safetensors file by name: eight bytes that say how long the header is, the header in JSON, numbers.
 * @param {ArrayBuffer} file
 * @returns {Map<string, { shape: number[], data: Numbers }>}
 */
export function readTensors(file) {
  const length = Number(new DataView(file).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 8, length)));
  const found = new Map();
  for (const [name, { dtype, shape, data_offsets: places }] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    const [start, end] = places.map((/** @type {number} */ place) => place + 8 + length);
    found.set(name, { shape, data: numbers(dtype, file, start, end) });
  }
  return found;
}

/** @param {string} dtype @param {ArrayBuffer} file @param {number} start @param {number} end */
function numbers(dtype, file, start, end) {
  if (dtype === "I8") return new Int8Array(file, start, end - start);
  const bytes = file.slice(start, end); // where they stand they may begin in the middle of a number
  if (dtype === "F32") return new Float32Array(bytes);
  if (dtype === "I32") return new Int32Array(bytes);
  if (dtype === "I64") return Float64Array.from(new BigInt64Array(bytes), Number); // no count comes near 2^53
  if (dtype === "F16") return Float32Array.from(new Uint16Array(bytes), half);
  throw new Error(`weights of the type ${dtype} cannot be read here`);
}

/** The number that sixteen bits stand for. @param {number} bits */
function half(bits) {
  const [sign, power, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return sign * (power ? 2 ** (power - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

/**
 * Counts, numbers and vectors as they are, matrices where the products want them. What has more than two axes is a
 * matrix with a row for each place of the first.
 * @param {ReturnType<typeof readTensors>} tensors
 * @param {Products} products
 * @returns {Map<string, Numbers | Weight>}
 */
export function heldWeights(tensors, products) {
  const found = new Map();
  for (const [name, { shape, data }] of tensors) {
    if (name.endsWith(SCALES)) continue;
    const scales = /** @type {Float32Array | undefined} */ (tensors.get(name + SCALES)?.data) ?? null;
    const weights = data instanceof Float32Array || data instanceof Int8Array ? data : null;
    const [rows, ...others] = shape;
    if (!weights || !others.length) found.set(name, data);
    else
      found.set(
        name,
        products.hold({ shape: [rows, others.reduce((one, other) => one * other)], data: weights }, scales),
      );
  }
  return found;
}

/** All rows of some weights, in columns as a trace shows them: W^T. @param {Weight} weight */
export function transposed(weight) {
  const { rows, columns } = weight;
  const turned = new Matrix(columns, rows);
  for (let row = 0; row < rows; row++)
    weight.row(row).forEach((value, column) => {
      turned.data[column * rows + row] = value;
    });
  return turned;
}
