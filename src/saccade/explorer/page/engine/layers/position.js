/** Where a token stands, as a vector added to its embedding: layers/position.py, after section 3.5 of the paper. */

import { Matrix } from "page/engine/arithmetic/matrix";
import { watch } from "page/engine/attention/recording";

/** @import { Description } from "page/engine/interpreter" */

/**
 * PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i+1) = cos(the same); or all sines before all cosines ("halves").
 * The authors' own code ("tensor2tensor") has them in halves too, with a slowest wave of exactly 10000 * 2 pi.
 * @type {Record<string, (wave: number, width: number) => [exponent: number, sine: number, cosine: number]>}
 */
const WAVES = {
  sinusoidal: (wave, width) => [(2 * wave) / width, 2 * wave, 2 * wave + 1],
  halves: (wave, width) => [(2 * wave) / width, wave, Math.ceil(width / 2) + wave],
  tensor2tensor: (wave, width) => [wave / Math.max((width >> 1) - 1, 1), wave, (width >> 1) + wave],
};

/** A table that is computed, not learned. */
export class FixedPositions {
  /** @param {Description} description */
  constructor({ name, settings }) {
    this.name = name;
    this.kind = settings.kind;
    const [waves, offset = "0"] = settings.kind.split("+");
    this.table = sinusoids(waves, settings.length, settings.width, Number(offset));
  }
}

/** A trainable table instead of the sinusoids: Table 3, row E. */
export class LearnedPositions {
  /** @param {Description} description */
  constructor({ name, tensors }) {
    this.name = name;
    this.kind = "learned";
    const { rows, columns } = tensors.table;
    this.table = new Matrix(rows, columns);
    for (let row = 0; row < rows; row++) this.table.row(row).set(tensors.table.row(row));
  }
}

/** @param {string} kind @param {number} length @param {number} width @param {number} offset */
function sinusoids(kind, length, width, offset) {
  const table = new Matrix(length, width);
  const waves = kind === "tensor2tensor" ? width >> 1 : Math.ceil(width / 2);
  for (let wave = 0; wave < waves; wave++) {
    const [exponent, sine, cosine] = WAVES[kind](wave, width);
    const frequency = Math.exp(-exponent * Math.log(10_000));
    for (let place = 0; place < length; place++) {
      const angle = (place + offset) * frequency;
      table.data[place * width + sine] = Math.sin(angle);
      if (cosine < width) table.data[place * width + cosine] = Math.cos(angle);
    }
  }
  return table;
}

/**
 * Scaled token vectors plus the vectors of their places.
 * @param {Matrix} vectors
 * @param {FixedPositions | LearnedPositions} positions
 * @param {number[]} places
 * @param {number} scale
 * @param {Float32Array | null} [everywhere]  one more vector, the same for all places
 */
export function addPositions(vectors, positions, places, scale, everywhere = null) {
  const added = new Matrix(vectors.rows, vectors.columns);
  places.forEach((place, row) => {
    const own = added.row(row);
    own.set(positions.table.row(place));
    if (everywhere) for (let at = 0; at < own.length; at++) own[at] += everywhere[at];
  });
  const sum = vectors.plus(added);
  watch(positions.name, () => ({
    token: vectors,
    position: added,
    sum,
    scale,
    kind: positions.kind,
    table: positions.table,
  }));
  return sum;
}
