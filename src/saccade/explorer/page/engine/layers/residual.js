/**
 * Residual connections: layers/residual.py.
 *
 *   post       LayerNorm(x + Sublayer(x))
 *   pre        x + Sublayer(LayerNorm(x))
 *   residual   x + Sublayer(x)
 *   plain      Sublayer(x)
 *
 * Dropout is for training alone; a page only uses a model.
 */

import { Matrix } from "page/engine/arithmetic/matrix";
import { watch } from "page/engine/attention/recording";

/** @import { Description } from "page/engine/interpreter" */
/** @typedef {(states: Matrix) => Matrix} Sublayer */

/** Zero mean and unit variance over the width, then a scale and a shift for each place in it. */
export class LayerNorm {
  /** @param {Description} description */
  constructor({ settings, tensors }) {
    this.epsilon = settings.epsilon;
    this.gain = tensors.weight;
    this.shift = tensors.bias;
  }

  /** @param {Matrix} states */
  forward(states) {
    const normalised = new Matrix(states.rows, states.columns);
    for (let row = 0; row < states.rows; row++) this.row(states.row(row), normalised.row(row));
    return normalised;
  }

  /** @param {Float32Array} values @param {Float32Array} into */
  row(values, into) {
    const { gain, shift } = this;
    let sum = 0;
    for (let at = 0; at < values.length; at++) sum += values[at];
    const mean = sum / values.length;
    let squares = 0;
    for (let at = 0; at < values.length; at++) {
      const distance = values[at] - mean;
      squares += distance * distance;
    }
    const factor = 1 / Math.sqrt(squares / values.length + this.epsilon);
    for (let at = 0; at < values.length; at++) into[at] = (values[at] - mean) * factor * gain[at] + shift[at];
  }
}

/** What stands where nothing happens: on top of a stack that has been normalised already. */
export class Identity {
  /** @param {Matrix} states */
  forward(states) {
    return states;
  }
}

export class PostNorm {
  /** @param {Description} description */
  constructor({ name, parts }) {
    this.name = name;
    this.norm = parts.norm;
  }

  /** @param {Matrix} states @param {Sublayer} sublayer */
  forward(states, sublayer) {
    const update = sublayer(states);
    const sum = states.plus(update);
    const normalised = this.norm.forward(sum);
    watch(this.name, () => ({ norm: "post", before: states, update, sum, normalised, ...parameters(this.norm) }));
    return normalised;
  }
}

export class PreNorm {
  /** @param {Description} description */
  constructor({ name, parts }) {
    this.name = name;
    this.norm = parts.norm;
  }

  /** @param {Matrix} states @param {Sublayer} sublayer */
  forward(states, sublayer) {
    const normalised = this.norm.forward(states);
    const update = sublayer(normalised);
    const sum = states.plus(update);
    watch(this.name, () => ({ norm: "pre", before: states, update, sum, normalised, ...parameters(this.norm) }));
    return sum;
  }
}

export class Residual {
  /** @param {Description} description */
  constructor({ name }) {
    this.name = name;
  }

  /** @param {Matrix} states @param {Sublayer} sublayer */
  forward(states, sublayer) {
    const update = sublayer(states);
    const sum = states.plus(update);
    watch(this.name, () => ({ norm: "none", before: states, update, sum }));
    return sum;
  }
}

export class Plain {
  /** @param {Description} description */
  constructor({ name }) {
    this.name = name;
  }

  /** @param {Matrix} states @param {Sublayer} sublayer */
  forward(states, sublayer) {
    const update = sublayer(states);
    watch(this.name, () => ({ norm: "none", before: states, update }));
    return update;
  }
}

/** @param {LayerNorm} norm */
const parameters = (norm) => ({ norm_gain: norm.gain, norm_shift: norm.shift, epsilon: norm.epsilon });
