/**
 * One training: a network, its task, the lines it is tested on, and what was kept on the way.
 *
 * Nothing here knows of a page or a worker. The same settings give the same numbers, step by step.
 */

import { argmax } from "page/numbers/numbers";
import { Adam, learningRate } from "page/train/network/adam";
import { randomNumbers } from "page/train/network/random";
import { Transformer } from "page/train/network/transformer";
import { END, exampleOf, TASKS, vocabularyOf } from "page/train/tasks";

/** @import { Example } from "page/train/network/transformer" */

/**
 * @typedef {object} Settings
 * @property {keyof typeof TASKS} task
 * @property {number} heads
 * @property {number} width
 * @property {number} layers
 * @property {boolean} positions
 * @property {boolean} scaled
 * @property {number} rate  the highest learning rate
 * @property {number} seed
 */

/**
 * How the training stood after a step.
 * @typedef {object} Point
 * @property {number} step
 * @property {number} loss  mean of the batches since the point before
 * @property {number} heldOutLoss  on lines that are never trained on
 * @property {number} accuracy  share of these lines that are written without a mistake
 */

/**
 * One line through the network as it was after a step.
 * @typedef {object} Look
 * @property {number} step
 * @property {string} source
 * @property {string} right  what should be written
 * @property {string} written  what the network writes by itself
 * @property {number[]} probabilities  of each right character, the end included, given the right ones before it
 * @property {Record<"enc" | "dec" | "cross", Float32Array[]>} weights  for each layer [heads, queries, keys]
 * @property {{name: string, shape: number[], size: number}[]} tensors  parameters; size: the root of their mean square
 */

const BATCH = 16;
const WARM_UP = 100;
const HELD_OUT = 64;
/** Steps between two tests, and between two snapshots of the parameters, at first; then twice as many, and so on. */
const INTERVAL = 10;
/** Snapshots that are kept. When there are more, every second one goes. */
const SNAPSHOTS = 100;

export class Trainer {
  /** @param {Settings} settings */
  constructor(settings) {
    const { task, heads, width, layers, positions, scaled, rate, seed } = settings;
    this.task = TASKS[task];
    this.vocabulary = vocabularyOf(this.task);
    const sizes = { vocabulary: this.vocabulary.length, width, heads, layers, positions, scaled };
    // Weights and lines come from sources of their own: another width is tested on the same lines.
    this.network = new Transformer(sizes, randomNumbers(3 * seed));
    this.random = randomNumbers(3 * seed + 1);
    this.adam = new Adam(this.network.parameters, { peak: rate, warmUp: WARM_UP });
    const random = randomNumbers(3 * seed + 2);
    /** Lines that are never trained on. @type {Set<string>} */
    this.heldOut = new Set();
    while (this.heldOut.size < HELD_OUT) this.heldOut.add(this.task.draw(random));
    this.tested = [...this.heldOut].map((source) => exampleOf(this.task, source));
    this.interval = INTERVAL;
    /** @type {{step: number, values: Float32Array}[]} */
    this.snapshots = [];
    /** @type {Point[]} */
    this.points = [];
    this.losses = { sum: 0, count: 0 };
    this.test();
  }

  get steps() {
    return this.adam.steps;
  }

  /** What the next step moves by. */
  get rate() {
    return learningRate(this.steps + 1, this.adam.peak, this.adam.warmUp);
  }

  /** Lines that were not held out. @returns {Example[]} */
  batch() {
    /** @type {Example[]} */
    const batch = [];
    while (batch.length < BATCH) {
      const source = this.task.draw(this.random);
      if (!this.heldOut.has(source)) batch.push(exampleOf(this.task, source));
    }
    return batch;
  }

  /** One step: forward, backward, update. @returns {number} the loss before the update */
  step() {
    const { network, losses } = this;
    network.parameters.clearGradients();
    const pass = network.forward(this.batch());
    pass.backward();
    this.adam.update();
    losses.sum += pass.loss;
    losses.count += 1;
    if (this.steps % this.interval === 0) this.test();
    return pass.loss;
  }

  /** Tests the network on the lines it has never seen, and keeps its parameters. */
  test() {
    const { loss, probabilities } = this.network.forward(this.tested);
    const size = this.vocabulary.length;
    let row = 0;
    // A line is right if each character is, given the right ones before it: then writing by itself gives the same line.
    const right = this.tested.filter(({ writes }) =>
      writes.map((token) => argmax(probabilities.subarray(row * size, ++row * size)) === token).every(Boolean),
    );
    const { sum, count } = this.losses;
    this.points.push({
      step: this.steps,
      loss: count ? sum / count : loss,
      heldOutLoss: loss,
      accuracy: right.length / this.tested.length,
    });
    this.losses = { sum: 0, count: 0 };
    this.snapshots.push({ step: this.steps, values: this.network.parameters.copied() });
    if (this.snapshots.length > SNAPSHOTS) this.thinOut();
  }

  /** Every second snapshot goes, and from here on half as many are made. */
  thinOut() {
    this.interval *= 2;
    this.snapshots = this.snapshots.filter(({ step }) => step % this.interval === 0);
    this.points = this.points.filter(({ step }) => step % this.interval === 0);
  }

  /**
   * A line through the network as it was when a snapshot was kept, or as it is now.
   * @param {string} source
   * @param {number | null} step
   * @returns {Look}
   */
  look(source, step) {
    const { parameters } = this.network;
    const kept = step === null ? null : this.snapshots.findLast((one) => one.step <= step);
    if (!kept) return this.seen(source, this.steps);
    const now = parameters.copied();
    parameters.restore(kept.values);
    const look = this.seen(source, kept.step);
    parameters.restore(now);
    return look;
  }

  /** @param {string} source @param {number} step @returns {Look} */
  seen(source, step) {
    const example = exampleOf(this.task, source);
    const { probabilities, weights } = this.network.forward([example]);
    return {
      step,
      source,
      right: this.task.solve(source),
      written: this.write(example),
      probabilities: example.writes.map((token, row) => probabilities[row * this.vocabulary.length + token]),
      weights: {
        enc: weights.enc.map(([line]) => line),
        dec: weights.dec.map(([line]) => line),
        cross: weights.cross.map(([line]) => line),
      },
      tensors: this.network.parameters.list.map(({ name, shape, value }) => ({
        name,
        shape,
        size: Math.sqrt(value.reduce((total, one) => total + one ** 2, 0) / value.length),
      })),
    };
  }

  /** What the network writes by itself, the likeliest character after the other. @param {Example} example */
  write({ source, writes }) {
    let written = "";
    while (written.length <= writes.length) {
      const reads = [...(END + written)].map((character) => this.vocabulary.indexOf(character));
      const { probabilities } = this.network.forward([{ source, reads, writes: reads }]);
      const next = this.vocabulary[argmax(probabilities.subarray(-this.vocabulary.length))];
      if (next === END) break;
      written += next;
    }
    return written;
  }
}
