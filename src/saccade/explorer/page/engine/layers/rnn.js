/**
 * Stacks of LSTM layers: layers/rnn.py, which has them from torch.
 *
 *   i, f, o = sigma(W x + U h + b), g = tanh(the same with its own weights);   c' = f * c + i * g;   h' = o * tanh(c')
 */

import { Matrix, stacked } from "page/engine/arithmetic/matrix";
import { watch } from "page/engine/attention/recording";

/** @import { Weight } from "page/engine/arithmetic/weights" */
/** @import { Description } from "page/engine/interpreter" */

/** h and c of every layer, with a row for each sequence. @typedef {{ hidden: Matrix[], cell: Matrix[] }} Carry */
/** @typedef {{ inputs: Weight, recurrent: Weight, biases: [Float32Array, Float32Array] }} LayerWeights */

/** @param {number} value */
const sigmoid = (value) => 1 / (1 + Math.exp(-value));

/** The weights of all layers, as torch names them; rows are in the order i, f, g, o. */
export class LSTM {
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
}

export class RNNStack {
  /** @param {Description} description */
  constructor({ name, parts }) {
    this.name = name;
    /** @type {LayerWeights[]} */
    this.layers = parts.program.layers;
    this.width = this.layers[0].recurrent.columns;
  }

  /** The state before the first position. @returns {Carry} */
  initialState() {
    const nothing = () => this.layers.map(() => new Matrix(1, this.width));
    return { hidden: nothing(), cell: nothing() };
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
    /** @type {Carry} */
    const after = { hidden: [], cell: [] };
    let [top, gates] = [inputs, inputs];
    this.layers.forEach((layer, at) => {
      const own = this.unit(layer, top, carry.hidden[at], carry.cell[at]);
      after.hidden.push(own.hidden);
      after.cell.push(own.cell);
      [top, gates] = [own.hidden, own.gates];
    });
    watch(this.name, () => ({ states: top, gates, gate_names: ["input", "forget", "output"] }));
    return { top, carry: after };
  }

  /** One layer at one position. @param {LayerWeights} layer @param {Matrix} inputs @param {Matrix} hidden @param {Matrix} cell */
  unit({ inputs: weights, recurrent, biases }, inputs, hidden, cell) {
    const { width } = this;
    const sums = weights.linear(inputs, biases[0]).plus(recurrent.linear(hidden, biases[1]));
    const [next, kept] = [new Matrix(hidden.rows, width), new Matrix(hidden.rows, width)];
    const gates = new Matrix(hidden.rows, 3 * width);
    for (let row = 0; row < hidden.rows; row++) {
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

/** The sequences at these places, in this order. @param {Carry} carry @param {number[]} places @returns {Carry} */
export function selected({ hidden, cell }, places) {
  const chosen = (/** @type {Matrix} */ matrix) => matrix.select(places);
  return { hidden: hidden.map(chosen), cell: cell.map(chosen) };
}

/** The places of a source in the order in which its words are read from last to first; EOS, the last, is read last. @param {number} length */
export const wordsReversed = (length) => [...Array(length - 1).keys()].reverse().concat(length - 1);
