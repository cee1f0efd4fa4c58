/** The position-wise feed-forward network: layers/feedforward.py, after Vaswani et al. 2017, equation 2. */

import { transposed } from "page/engine/arithmetic/weights";
import { watch } from "page/engine/attention/recording";

/** @import { Matrix } from "page/engine/arithmetic/matrix" */
/** @import { Description } from "page/engine/interpreter" */

/** The error function, to 1.5e-7: Abramowitz and Stegun 1964, 7.1.26. @param {number} x */
function erf(x) {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const sum = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.sign(x) * (1 - sum * Math.exp(-x * x));
}

/** @type {Record<string, (value: number) => number>} */
const ACTIVATIONS = {
  relu: (value) => Math.max(value, 0),
  silu: (value) => value / (1 + Math.exp(-value)),
  gelu: (value) => (value * (1 + erf(value / Math.SQRT2))) / 2,
  quick_gelu: (value) => value / (1 + Math.exp(-1.702 * value)),
};

/** FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, the same at every position; or with another activation. */
export class FeedForward {
  /** @param {Description} description */
  constructor({ name, settings, parts }) {
    this.name = name;
    this.activation = settings.activation;
    this.inner = parts.inner;
    this.outer = parts.outer;
  }

  /** @param {Matrix} states */
  forward(states) {
    const hidden = this.inner.forward(states);
    const activate = ACTIVATIONS[this.activation];
    for (let at = 0; at < hidden.data.length; at++) hidden.data[at] = activate(hidden.data[at]);
    const out = this.outer.forward(hidden);
    watch(this.name, () => ({ inputs: states, hidden, out, activation: this.activation, ...this.parameters() }));
    return out;
  }

  parameters() {
    return {
      w_1: () => transposed(this.inner.weight),
      b_1: this.inner.bias,
      w_2: () => transposed(this.outer.weight),
      b_2: this.outer.bias,
    };
  }
}
