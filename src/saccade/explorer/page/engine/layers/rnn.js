/**
 * Stacks of recurrent layers: layers/rnn.py, which has them from torch.
 *
 *   tanh   h' = tanh(W x + U h + b)
 *   lstm   i, f, o = sigma(W x + U h + b), g = tanh(the same with its own weights);   c' = f * c + i * g;   h' = o * tanh(c')
 *   gru    r, z = sigma(W x + U h + b), n = tanh(W x + b + r * (U h + b'));   h' = (1 - z) * n + z * h
 */

import { Matrix, stacked } from "page/engine/arithmetic/matrix";
import { watch } from "page/engine/attention/recording";

/** @import { Weight } from "page/engine/arithmetic/weights" */
/** @import { Description } from "page/engine/interpreter" */

/** h of every layer, and c where cells have one, with a row for each sequence. @typedef {{ hidden: Matrix[], cell: Matrix[] }} Carry */
/** @typedef {{ inputs: Weight, recurrent: Weight, biases: [Float32Array, Float32Array] }} LayerWeights */
/** What one layer makes of one position. @typedef {{ hidden: Matrix, cell?: Matrix, gates: Matrix | null }} Unit */

/** @param {number} value */
const sigmoid = (value) => 1 / (1 + Math.exp(-value));

/** The weights of all layers, as torch names them, and what one layer computes at one position. */
class TorchLayers {
  /** The names of the gates, for a trace. @type {string[]} */
  gates = [];
  /** Whether c is carried besides h. */
  hasCell = false;

  /** @param {Description} description */
  constructor({ tensors }) {
    /** @type {LayerWeights[]} */
    this.layers = [];
    for (let at = 0; `weight_ih_l${at}` in tensors; at++)
      this.layers.push({
        inputs: tensors[`weight_ih_l${at}`],
        recurrent: tensors[`weight_hh_l${at}`],
        biases: [tensors[`bias_ih_l${at}`], tensors[`bias_hh_l${at}`]],
      });
  }

  /**
   * One layer at one position of each sequence.
   * @param {LayerWeights} layer
   * @param {Matrix} inputs
   * @param {Matrix} hidden
   * @param {Matrix} cell  where there is one
   * @returns {Unit}
   */
  unit({ inputs: weights, recurrent, biases }, inputs, hidden, cell) {
    const driven = weights.linear(inputs, biases[0]);
    const heard = recurrent.linear(hidden, biases[1]);
    return this.compute(driven, heard, hidden, cell);
  }

  /**
   * The same of W x + b and U h + b'.
   * @param {Matrix} _driven
   * @param {Matrix} _heard
   * @param {Matrix} hidden
   * @param {Matrix} _cell
   * @returns {Unit}
   */
  compute(_driven, _heard, hidden, _cell) {
    return { hidden, gates: null };
  }
}

export class RNN extends TorchLayers {
  /** @type {TorchLayers["compute"]} */
  compute(driven, heard) {
    const next = driven.plus(heard);
    for (let at = 0; at < next.data.length; at++) next.data[at] = Math.tanh(next.data[at]);
    return { hidden: next, gates: null };
  }
}

/** Rows of its weights are in the order i, f, g, o. */
export class LSTM extends TorchLayers {
  gates = ["input", "forget", "output"];
  hasCell = true;

  /** @type {TorchLayers["compute"]} */
  compute(driven, heard, hidden, cell) {
    const { rows, columns: width } = hidden;
    const sums = driven.plus(heard);
    const [next, kept, gates] = [new Matrix(rows, width), new Matrix(rows, width), new Matrix(rows, 3 * width)];
    for (let row = 0; row < rows; row++) {
      const [own, opened] = [sums.row(row), gates.row(row)];
      for (let at = 0; at < width; at++) {
        const [enters, stays] = [sigmoid(own[at]), sigmoid(own[width + at])];
        const leaves = sigmoid(own[3 * width + at]);
        const held = stays * cell.row(row)[at] + enters * Math.tanh(own[2 * width + at]);
        [opened[at], opened[width + at], opened[2 * width + at]] = [enters, stays, leaves];
        kept.row(row)[at] = held;
        next.row(row)[at] = leaves * Math.tanh(held);
      }
    }
    return { hidden: next, cell: kept, gates };
  }
}

/** Rows of its weights are in the order r, z, n. */
export class GRU extends TorchLayers {
  gates = ["reset", "update"];

  /** @type {TorchLayers["compute"]} */
  compute(driven, heard, hidden) {
    const { rows, columns: width } = hidden;
    const [next, gates] = [new Matrix(rows, width), new Matrix(rows, 2 * width)];
    for (let row = 0; row < rows; row++) {
      const [x, h, opened] = [driven.row(row), heard.row(row), gates.row(row)];
      for (let at = 0; at < 2 * width; at++) opened[at] = sigmoid(x[at] + h[at]);
      for (let at = 0; at < width; at++) {
        const [reset, update] = [opened[at], opened[width + at]];
        const candidate = Math.tanh(x[2 * width + at] + reset * h[2 * width + at]);
        next.row(row)[at] = (1 - update) * candidate + update * hidden.row(row)[at];
      }
    }
    return { hidden: next, gates };
  }
}

export class RNNStack {
  /** @param {Description} description */
  constructor({ name, parts }) {
    this.name = name;
    /** @type {TorchLayers} */
    this.program = parts.program;
    /** @type {number} */
    this.width = this.program.layers[0].recurrent.columns;
  }

  /** The state before the first position. @returns {Carry} */
  initialState() {
    const nothing = () => this.program.layers.map(() => new Matrix(1, this.width));
    return { hidden: nothing(), cell: this.program.hasCell ? nothing() : [] };
  }

  /** The top layer's states at further positions of one sequence, and what is carried on from there. @param {Matrix} inputs @param {Carry} carry */
  forward(inputs, carry) {
    const rows = inputs.list().map((row) => {
      const after = this.step(new Matrix(1, inputs.columns, row), carry);
      carry = after.carry;
      return after.top.row(0);
    });
    const top = stacked(rows, this.width);
    return { top, carry };
  }

  /** One position of each sequence: the top layer's state, and what is carried on. @param {Matrix} inputs @param {Carry} carry */
  step(inputs, carry) {
    const { program } = this;
    /** @type {Carry} */
    const after = { hidden: [], cell: [] };
    let top = inputs;
    /** @type {Matrix | null} */
    let gates = null;
    program.layers.forEach((layer, at) => {
      const own = program.unit(layer, top, carry.hidden[at], carry.cell[at]);
      after.hidden.push(own.hidden);
      if (own.cell) after.cell.push(own.cell);
      [top, gates] = [own.hidden, own.gates];
    });
    watch(this.name, () => ({ states: top, gates, gate_names: program.gates }));
    return { top, carry: after };
  }
}

/** The sequences at these places, in this order. @param {Carry} carry @param {number[]} places @returns {Carry} */
export function selected({ hidden, cell }, places) {
  const chosen = (/** @type {Matrix} */ matrix) => matrix.select(places);
  return { hidden: hidden.map(chosen), cell: cell.map(chosen) };
}

/** The places of a source in the order in which its words are read from last to first; EOS, the last, is read last. @param {number} length */
export const wordsReversed = (length) => [...Array(length - 1).keys()].reverse().concat(length - 1);
