/**
 * Adam (Kingma and Ba 2015) with the paper's constants and its schedule (section 5.3): the learning rate grows for
 * `warmUp` steps up to `peak`, then falls with the square root of the step. Early gradients are large and disagree with
 * each other, and large steps along them would be hard to undo.
 */

/** @import { Parameters } from "page/train/network/parameters" */

const BETA1 = 0.9; // how much of the mean gradient is kept from step to step
const BETA2 = 0.98; // the same for the mean square
const EPSILON = 1e-9;

/** @param {number} step  from 1 @param {number} peak @param {number} warmUp */
export const learningRate = (step, peak, warmUp) => peak * Math.min(step / warmUp, Math.sqrt(warmUp / step));

export class Adam {
  /** @param {Parameters} parameters @param {{peak: number, warmUp: number}} schedule */
  constructor(parameters, { peak, warmUp }) {
    this.parameters = parameters.list;
    this.peak = peak;
    this.warmUp = warmUp;
    this.steps = 0;
    this.means = this.parameters.map(({ value }) => new Float32Array(value.length));
    this.squares = this.parameters.map(({ value }) => new Float32Array(value.length));
  }

  /** Moves every parameter against its gradient. */
  update() {
    this.steps += 1;
    const rate = learningRate(this.steps, this.peak, this.warmUp);
    // Both means began at zero and are too small at first; this makes up for it.
    const wholeMean = 1 - BETA1 ** this.steps;
    const wholeSquare = 1 - BETA2 ** this.steps;
    this.parameters.forEach(({ value, gradient }, number) => {
      const mean = this.means[number];
      const square = this.squares[number];
      for (let i = 0; i < value.length; i++) {
        mean[i] = BETA1 * mean[i] + (1 - BETA1) * gradient[i];
        square[i] = BETA2 * square[i] + (1 - BETA2) * gradient[i] ** 2;
        value[i] -= (rate * (mean[i] / wholeMean)) / (Math.sqrt(square[i] / wholeSquare) + EPSILON);
      }
    });
  }
}
