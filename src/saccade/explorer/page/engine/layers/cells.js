/**
 * Recurrent units as their papers define them: layers/cells.py.
 *
 *   TanhCell        h' = tanh(W x + U h)
 *   ChoGRU          r, z = sigma(W. x + U. h);   h~ = tanh(W x + U (r * h));   h' = z * h + (1 - z) * h~
 *   BahdanauGRU     the same, but h' = (1 - z) * h + z * h~
 *   ResetAfterGRU   h~ = tanh(W x + r * (U h + C c)), and the rest as Cho has it: the unit of Cho's decoder
 *   TorchGRU        the same with a bias inside: r * (U h + b)
 *   LSTMCell        i, f, o = sigma(.), g = tanh(.) of W x + U h;   c' = f * c + i * g;   h' = o * tanh(c')
 *
 * A decoder's unit also hears a context c, as C c beside W x. What a unit carries is one row, whose first `width`
 * numbers are h. `step` takes one position of each row; inputs and context come projected.
 */

import { Matrix, stacked } from "page/engine/arithmetic/matrix";
import { watch } from "page/engine/attention/recording";

/** @import { Description } from "page/engine/interpreter" */

/** @param {number} value */
const sigmoid = (value) => 1 / (1 + Math.exp(-value));

class Cell {
  /** How many vectors of `width` numbers are carried. */
  carries = 1;
  /** The names of the gates, for a trace. @type {string[]} */
  gates = [];

  /** @param {Description} description */
  constructor({ name, parts, tensors }) {
    this.name = name;
    this.inputs = parts.inputs;
    this.context = parts.context ?? null;
    this.recurrent = tensors.recurrent;
    /** @type {number} */
    this.width = tensors.recurrent.columns;
  }

  /** W x + b, for every gate. @param {Matrix} inputs @returns {Matrix} */
  project(inputs) {
    return this.inputs.forward(inputs);
  }

  /** C c, for every gate. @param {Matrix} context @returns {Matrix} */
  projectContext(context) {
    return this.context.forward(context);
  }

  /** The state before the first position. */
  initialState() {
    return new Matrix(1, this.carries * this.width);
  }

  /** The state whose h is given; whatever else is carried is zero. @param {Matrix} hidden */
  stateFromHidden(hidden) {
    const state = new Matrix(hidden.rows, this.carries * this.width);
    hidden.list().forEach((row, at) => {
      state.row(at).set(row);
    });
    return state;
  }

  /** The part of the state that others see. @param {Matrix} state */
  hidden(state) {
    return stacked(
      state.list().map((row) => row.subarray(0, this.width)),
      this.width,
    );
  }

  /**
   * The state after one more position.
   * @param {Matrix} projected
   * @param {Matrix} state
   * @param {Matrix | null} [context]
   * @returns {Matrix}
   */
  step(projected, state, context = null) {
    const after = new Matrix(state.rows, state.columns);
    const gates = new Matrix(state.rows, this.gates.length * this.width);
    this.compute(projected, state, context, after, gates);
    const names = this.gates;
    watch(this.name, () => ({ states: this.hidden(after), gates, gate_names: names }));
    return after;
  }

  /**
   * @param {Matrix} _projected
   * @param {Matrix} _state
   * @param {Matrix | null} _context
   * @param {Matrix} _after  where the state is written
   * @param {Matrix} _gates  where the gates are written
   */
  compute(_projected, _state, _context, _after, _gates) {}

  /** h after each position of one sequence. @param {Matrix} inputs */
  read(inputs) {
    const projected = this.project(inputs);
    let state = this.initialState();
    const states = projected.list().map((row) => {
      state = this.step(new Matrix(1, projected.columns, row), state);
      return this.hidden(state).row(0);
    });
    return stacked(states, this.width);
  }
}

export class TanhCell extends Cell {
  /** @type {Cell["compute"]} */
  compute(projected, state, context, after) {
    const heard = plus(this.recurrent.linear(state), projected, context);
    for (let at = 0; at < after.data.length; at++) after.data[at] = Math.tanh(heard.data[at]);
  }
}

/** The reset gate closes the state before it is multiplied: U (r * h). Gates are in the order r, z, candidate. */
class ResetBeforeGRU extends Cell {
  gates = ["reset", "update"];

  /** What an open update gate lets through. @param {number} _old @param {number} _candidate @param {number} _update */
  mix(_old, _candidate, _update) {
    return 0;
  }

  /** @type {Cell["compute"]} */
  compute(projected, state, context, after, gates) {
    const { width } = this;
    const driven = plus(projected, context);
    const heard = this.recurrent.linear(state);
    const closed = new Matrix(state.rows, width);
    for (let row = 0; row < state.rows; row++)
      for (let at = 0; at < 2 * width; at++) {
        gates.row(row)[at] = sigmoid(driven.row(row)[at] + heard.row(row)[at]);
        if (at < width) closed.row(row)[at] = gates.row(row)[at] * state.row(row)[at];
      }
    const again = this.recurrent.linear(closed);
    for (let row = 0; row < state.rows; row++)
      for (let at = 0; at < width; at++) {
        const candidate = Math.tanh(driven.row(row)[2 * width + at] + again.row(row)[2 * width + at]);
        after.row(row)[at] = this.mix(state.row(row)[at], candidate, gates.row(row)[width + at]);
      }
  }
}

export class ChoGRU extends ResetBeforeGRU {
  /** @type {ResetBeforeGRU["mix"]} */
  mix(old, candidate, update) {
    return update * old + (1 - update) * candidate;
  }
}

export class BahdanauGRU extends ResetBeforeGRU {
  /** @type {ResetBeforeGRU["mix"]} */
  mix(old, candidate, update) {
    return (1 - update) * old + update * candidate;
  }
}

/** The reset gate closes what was made of the state, and of the context. */
export class ResetAfterGRU extends Cell {
  gates = ["reset", "update"];
  /** @type {Float32Array | null} */
  inner = null;

  /** @type {Cell["compute"]} */
  compute(projected, state, context, after, gates) {
    const { width, inner } = this;
    const heard = plus(this.recurrent.linear(state), context);
    for (let row = 0; row < state.rows; row++) {
      const [driven, own, opened] = [projected.row(row), heard.row(row), gates.row(row)];
      for (let at = 0; at < 2 * width; at++) opened[at] = sigmoid(driven[at] + own[at]);
      for (let at = 0; at < width; at++) {
        const closed = opened[at] * (own[2 * width + at] + (inner ? inner[at] : 0));
        const candidate = Math.tanh(driven[2 * width + at] + closed);
        const update = opened[width + at];
        after.row(row)[at] = update * state.row(row)[at] + (1 - update) * candidate;
      }
    }
  }
}

export class TorchGRU extends ResetAfterGRU {
  /** @param {Description} description */
  constructor(description) {
    super(description);
    this.inner = description.tensors.inner_bias;
  }
}

/** The LSTM without peepholes; h and c are carried side by side. */
export class LSTMCell extends Cell {
  carries = 2;
  gates = ["input", "forget", "output"];

  /** @type {Cell["compute"]} */
  compute(projected, state, context, after, gates) {
    const { width } = this;
    const sums = plus(this.recurrent.linear(this.hidden(state)), projected, context);
    for (let row = 0; row < state.rows; row++) {
      const [own, opened, old, next] = [sums.row(row), gates.row(row), state.row(row), after.row(row)];
      for (let at = 0; at < 3 * width; at++) opened[at] = sigmoid(own[at]);
      for (let at = 0; at < width; at++) {
        const kept = opened[width + at] * old[width + at] + opened[at] * Math.tanh(own[3 * width + at]);
        next[width + at] = kept;
        next[at] = opened[2 * width + at] * Math.tanh(kept);
      }
    }
  }
}

/** The sum of what is there. @param {Matrix} first @param {(Matrix | null)[]} others */
function plus(first, ...others) {
  return others.reduce((/** @type {Matrix} */ sum, other) => (other ? sum.plus(other) : sum), first);
}

/**
 * The h of each position of one unit that reads from left to right and of one that reads from right to left.
 * @param {Cell} forward
 * @param {Cell} backward
 * @param {Matrix} inputs
 */
export function readBothWays(forward, backward, inputs) {
  const ahead = forward.read(inputs);
  const turned = stacked(inputs.list().reverse(), inputs.columns);
  const back = stacked(backward.read(turned).list().reverse(), backward.width);
  watch(backward.name, () => ({ order: [...inputs.list().keys()].reverse() }));
  return { ahead, back };
}
