/** The training as the page holds it: the worker that computes, and what it has told so far. */
import { TASKS } from "page/train/tasks";
import { moduleWorker } from "page/worker/module-worker";

/** @import { Look, Point, Settings } from "page/train/trainer" */
/** @import { State } from "page/types" */

/**
 * @typedef {object} Progress
 * @property {number} step
 * @property {boolean} running
 * @property {number | null} loss  of the last batch
 * @property {number | null} speed  steps a second
 * @property {number} rate  of the next step
 * @property {number} parameters  how many numbers are learned
 * @property {Point[]} points
 */

/** @param {Readonly<State>} state @returns {Settings} */
export const settingsOf = (state) => ({
  task: state.task,
  heads: Number(state.trainHeads),
  width: Number(state.trainWidth),
  layers: Number(state.trainLayers),
  positions: !state.unordered,
  scaled: !state.unscaled,
  rate: Number(state.rate),
  seed: state.seed,
});

/** The line that is shown: the reader's own where the task can read it. @param {Readonly<State>} state */
export const lineOf = ({ task, line }) => (TASKS[task].form.test(line) ? line : TASKS[task].example);

export class Training {
  /** @param {Settings} settings */
  constructor(settings) {
    this.settings = settings;
    this.running = false;
    /** @type {Progress | null} */
    this.progress = null;
    /** @type {Look | null} */
    this.look = null;
    this.problem = "";
    /** Called when something is new. */
    this.onchange = () => {};
    this.waits = false; // for a look that was asked for
    this.worker = moduleWorker("page/train/worker");
    this.worker.then(
      (worker) => {
        worker.onmessage = ({ data }) => this.hear(data);
        worker.onerror = ({ message }) => this.fail(message);
      },
      (error) => this.fail(error.message),
    );
    this.send({ start: settings });
  }

  /** @param {{progress?: Progress, look?: Look}} said */
  hear(said) {
    if (said.progress) this.progress = said.progress;
    if (said.look) {
      this.look = said.look;
      this.waits = false;
    }
    this.onchange();
  }

  /** @param {string} message */
  fail(message) {
    this.problem = message;
    this.running = false;
    this.onchange();
  }

  /** @param {object} message */
  send(message) {
    this.worker.then(
      (worker) => worker.postMessage(message),
      () => {}, // it was said already
    );
  }

  /** @param {boolean} running */
  run(running) {
    this.running = running;
    this.send({ run: running });
  }

  /** One step, and then a pause. */
  step() {
    this.running = false;
    this.send({ run: false, step: true });
  }

  /**
   * Asks for a line as the network sees it after a step, or now.
   * @param {string} source
   * @param {number | null} step
   */
  ask(source, step) {
    if (this.waits) return; // what is asked while a look is on its way is asked again when it has come
    this.waits = true;
    this.send({ look: { source, step } });
  }

  /**
   * Whether what is shown is another line or another moment than this. Where the newest is wanted, a look may be ahead
   * of the last progress that was told.
   * @param {string} source
   * @param {number | null} step
   */
  isStale(source, step) {
    const { look, progress } = this;
    if (!look || !progress || look.source !== source) return true;
    return step === null ? look.step < progress.step : look.step !== step;
  }

  end() {
    this.onchange = () => {};
    this.worker.then(
      (worker) => worker.terminate(),
      () => {},
    );
  }
}
