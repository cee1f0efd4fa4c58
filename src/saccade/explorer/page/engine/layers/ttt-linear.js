/**
 * TTT-Linear, a state that is a model, and reading that is training it: layers/ttt_linear.py, after Sun et al. 2024.
 *
 *   l(W; x) = |f(k; W) - v|^2          k = x K, v = x V: to reconstruct one view of a token from another
 *   W_t = W_{t-1} - eta(x_t) grad l    one step of gradient descent for each token
 *   z_t = f(q_t; W_t)                  q = x Q: what the model has learned about this view
 *   f(x; W) = x + LayerNorm(x W)       or f(x; W) = x W: "plain"
 *   eta(x) = base sigma(x . w) / d
 *
 * Gradients are taken for b tokens at a time at the same weights, those before the first of them, and take effect one
 * by one.
 */

import { Matrix, stacked } from "page/engine/arithmetic/matrix";

/** @import { Weight } from "page/engine/arithmetic/weights" */
/** @import { Description } from "page/engine/interpreter" */

/** For each head W at the beginning of the batch, what its tokens so far take from it, and how many they are. @typedef {{ begun: Float32Array[], change: Float32Array[], count: number }} Weights */

const EPSILON = 1e-6;

export class TTTLinear {
  /** @param {Description} description */
  constructor({ settings, parts, tensors }) {
    this.parts = parts;
    /** How many tokens are learned from at the same weights. @type {number} */
    this.batch = settings.batch;
    /** @type {number} */
    this.rate = settings.rate;
    /** @type {Weight} */
    const initial = tensors.initial;
    this.heads = initial.rows;
    this.each = Math.sqrt(initial.columns);
    this.initial = Array.from({ length: this.heads }, (_, head) => initial.row(head));
    /** Gain and shift of the norm of each head; none for f(x; W) = x W. @type {{ gain: Float32Array, shift: Float32Array }[] | null} */
    this.norms =
      settings.inner === "plain"
        ? null
        : this.initial.map((_, head) => ({ gain: tensors.scale.row(head), shift: tensors.shift.row(head) }));
  }

  /** The weights before anything is read, of one sequence. @returns {Weights[]} */
  initialState() {
    return [{ begun: this.initial, change: this.initial.map((own) => new Float32Array(own.length)), count: 0 }];
  }

  /** The sequences at these places, in this order. @param {Weights[]} held @param {number[]} places */
  select(held, places) {
    return places.map((place) => held[place]);
  }

  /** What a whole sequence learns and says, from untrained weights on. @param {Matrix} states */
  forward(states) {
    let held = this.initialState();
    const said = states.list().map((row) => {
      const after = this.step(new Matrix(1, states.columns, row), held);
      held = after.held;
      return after.said.row(0);
    });
    return stacked(said, states.columns);
  }

  /** One token of each sequence: the weights learn from it, then answer. @param {Matrix} states @param {Weights[]} held */
  step(states, held) {
    const { views, eagerness, joined } = this.parts;
    /** @type {Matrix} */
    const seen = views.forward(states);
    /** @type {Matrix} */
    const eager = eagerness.forward(states);
    const said = new Matrix(states.rows, states.columns);
    const after = held.map((weights, row) => this.learn(seen.row(row), eager.row(row), weights, said.row(row)));
    return { said: /** @type {Matrix} */ (joined.forward(said)), held: after };
  }

  /**
   * The weights after one token; what they answer is written into `said`.
   * @param {Float32Array} views  q of all heads, k of all, v of all
   * @param {Float32Array} eager
   * @param {Weights} weights
   * @param {Float32Array} said
   * @returns {Weights}
   */
  learn(views, eager, { begun, change, count }, said) {
    const { each, heads, rate, batch } = this;
    const ends = count + 1 === batch;
    /** @type {Weights} */
    const after = { begun: [], change: [], count: ends ? 0 : count + 1 };
    for (let head = 0; head < heads; head++) {
      const [q, k, v] = [0, 1, 2].map((view) => views.subarray((view * heads + head) * each).subarray(0, each));
      const gradient = this.gradient(product(k, begun[head]), k, v, head);
      const step = rate / (1 + Math.exp(-eager[head])) / each;
      const taken = change[head].slice();
      for (let row = 0; row < each; row++)
        for (let column = 0; column < each; column++) taken[row * each + column] += k[row] * step * gradient[column];
      const now = begun[head].map((weight, at) => weight - taken[at]);
      said.set(this.output(product(q, now), q, head), head * each);
      after.begun.push(ends ? now : begun[head]);
      after.change.push(ends ? new Float32Array(each * each) : taken);
    }
    return after;
  }

  /** The value of f, given x W. @param {Float32Array} found @param {Float32Array} inputs @param {number} head */
  output(found, inputs, head) {
    if (!this.norms) return found;
    const { gain, shift } = this.norms[head];
    const { normal } = normalised(found);
    return normal.map((value, at) => inputs[at] + value * gain[at] + shift[at]);
  }

  /**
   * The gradient of |f - v|^2 at x W. Through y = (a - mean) / deviation it is (g - mean(g) - y mean(g y)) / deviation.
   * @param {Float32Array} found
   * @param {Float32Array} inputs
   * @param {Float32Array} values
   * @param {number} head
   */
  gradient(found, inputs, values, head) {
    if (!this.norms) return found.map((value, at) => 2 * (value - values[at]));
    const { gain, shift } = this.norms[head];
    const { normal, deviation } = normalised(found);
    const outer = normal.map((y, at) => 2 * (inputs[at] + y * gain[at] + shift[at] - values[at]) * gain[at]);
    const middle = mean(outer);
    const along = mean(outer.map((g, at) => g * normal[at]));
    return outer.map((g, at) => (g - middle - normal[at] * along) / deviation);
  }
}

/** x W, the rows of W one after another. @param {Float32Array} x @param {Float32Array} weights */
function product(x, weights) {
  const found = new Float32Array(x.length);
  for (let row = 0; row < x.length; row++)
    for (let column = 0; column < x.length; column++) found[column] += x[row] * weights[row * x.length + column];
  return found;
}

/** @param {Float32Array} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Zero mean and unit variance, and the deviation it had. @param {Float32Array} values */
function normalised(values) {
  const middle = mean(values);
  const deviation = Math.sqrt(mean(values.map((value) => (value - middle) ** 2)) + EPSILON);
  return { normal: values.map((value) => (value - middle) / deviation), deviation };
}
