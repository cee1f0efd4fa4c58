/**
 * Convolutions whose kernels grow: layers/ngram_convolutions.py, after Kalchbrenner and Blunsom 2013, section 3.
 *
 *   E_1 = E,  E_i = sigma(K^i * E_{i-1}),  i = 2, 3, ...
 *
 * A sentence has a row for each word. The kernel K^i is i words wide and weighs each place of the width by itself, only
 * where it fits.
 */

import { Matrix, stacked } from "page/engine/arithmetic/matrix";
import { watch } from "page/engine/attention/recording";

/** @import { Weight } from "page/engine/arithmetic/weights" */
/** @import { Description } from "page/engine/interpreter" */

/** @param {number} value */
const sigmoid = (value) => 1 / (1 + Math.exp(-value));

/** A kernel of each width from 2 to `widest`, side by side in one table. */
export class GrowingKernels {
  /** @param {Description} description */
  constructor({ settings, tensors }) {
    /** @type {number} */
    this.widest = settings.widest;
    /** @type {Weight} */
    this.table = tensors.table;
  }

  /** For each place of the width, the kernel of so many words. @param {number} size @returns {Float32Array[]} */
  of(size) {
    const first = (size * (size - 1)) / 2 - 1;
    return Array.from({ length: this.table.rows }, (_, at) => this.table.row(at).slice(first, first + size));
  }
}

/** sigma(K * E), only where the kernel fits. @param {Matrix} words @param {Float32Array[]} kernel */
function narrowed(words, kernel) {
  const size = kernel[0].length;
  const fewer = new Matrix(words.rows - size + 1, words.columns);
  for (let place = 0; place < fewer.rows; place++)
    for (let at = 0; at < words.columns; at++) {
      let sum = 0;
      for (let offset = 0; offset < size; offset++) sum += kernel[at][offset] * words.row(place + offset)[at];
      fewer.row(place)[at] = sigmoid(sum);
    }
  return fewer;
}

/** sigma of every row spread by K over as many rows as K is wide, overlaps added. @param {Matrix} ngrams @param {Float32Array[]} kernel */
function widened(ngrams, kernel) {
  const size = kernel[0].length;
  const more = new Matrix(ngrams.rows + size - 1, ngrams.columns);
  for (let place = 0; place < ngrams.rows; place++)
    for (let at = 0; at < ngrams.columns; at++)
      for (let offset = 0; offset < size; offset++)
        more.row(place + offset)[at] += kernel[at][offset] * ngrams.row(place)[at];
  for (let at = 0; at < more.data.length; at++) more.data[at] = sigmoid(more.data[at]);
  return more;
}

/** A sentence as one vector. */
export class SentenceModel {
  /** @param {Description} description */
  constructor({ name, parts }) {
    this.name = name;
    this.parts = parts;
  }

  /** Goes on until fewer rows are left than the next kernel is wide; what is left then, one kernel closes. @param {Matrix} words */
  forward(words) {
    const { narrowing, closing } = this.parts;
    for (let size = 2; size <= narrowing.widest && size <= words.rows; size++) {
      words = narrowed(words, narrowing.of(size));
      watch(this.name, () => ({ kernel: size, reaches_back: 0 }));
    }
    return words.rows === 1 ? words : narrowed(words, closing.of(words.rows));
  }
}

/** The sentence model, stopped where a row has seen `ngram` words. A sentence of fewer is read as if zeros followed it. */
export class NgramModel {
  /** @param {Description} description */
  constructor({ name, settings, parts }) {
    this.name = name;
    /** @type {number} */
    this.ngram = settings.ngram;
    /** @type {GrowingKernels} */
    this.kernels = parts.kernels;
  }

  /** @param {Matrix} words */
  forward(words) {
    const { columns } = words;
    const missing = Array.from({ length: Math.max(this.ngram - words.rows, 0) }, () => new Float32Array(columns));
    let ngrams = stacked([...words.list(), ...missing], columns);
    for (let size = 2; size <= this.kernels.widest; size++) {
      ngrams = narrowed(ngrams, this.kernels.of(size));
      watch(this.name, () => ({ kernel: size, reaches_back: 0 }));
    }
    return ngrams;
  }
}

/** From n-grams to words: kernels whose width falls to 2. */
export class InverseNgramModel {
  /** @param {Description} description */
  constructor({ parts }) {
    /** @type {GrowingKernels} */
    this.kernels = parts.kernels;
  }

  /** @param {Matrix} ngrams */
  forward(ngrams) {
    for (let size = this.kernels.widest; size > 1; size--) ngrams = widened(ngrams, this.kernels.of(size));
    return ngrams;
  }
}
