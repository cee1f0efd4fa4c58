/**
 * The models inside the page, where `saccade explore --live` has put some: a worker runs them (page/engine/worker), and
 * answers what a server would.
 */

import { words } from "page/app/words";
import { Problem } from "page/trace/server";
import { moduleWorker } from "page/worker/module-worker";

/** @typedef {{ arrived: (trace: any) => void, failed: (error: Error) => void, progress: (written: number, share?: number) => void }} Waiting */

/** @type {Promise<Worker> | null} */
let worker = null;
let asked = 0;
/** Who waits for which answer. @type {Map<number, Waiting>} */
const waiting = new Map();

/** Whether this page holds models that it can run. */
export function live() {
  return document.getElementById("engine") !== null;
}

/** Hands the models to a worker of their own; they are ready when it has unpacked them. */
export function start() {
  const held = /** @type {HTMLElement} */ (document.getElementById("engine"));
  const content = JSON.parse(held.textContent ?? "");
  held.textContent = ""; // the worker has them now
  worker = moduleWorker("page/engine/worker").then((started) => {
    started.onmessage = ({ data }) => (data.ready ? ready(data.ready) : hear(data));
    started.onerror = (event) => {
      event.preventDefault();
      for (const { failed } of waiting.values())
        failed(new Problem(words.problems.modelStopped, event.message, words.problems.reload));
      waiting.clear();
    };
    started.postMessage(content);
    return started;
  });
}

/** For tests and measurements: how the products are computed, once they can be. @param {string} products */
function ready(products) {
  document.documentElement.dataset.live = products;
  performance.mark("model ready");
}

/** @param {object} message */
const tell = async (message) => (await worker)?.postMessage(message);

/** @param {any} message */
function hear({ ask, trace, problem, progress, share }) {
  const one = waiting.get(ask);
  if (progress !== undefined) one?.progress(progress, share);
  else {
    waiting.delete(ask);
    if (problem) one?.failed(new Problem(problem.title, "", problem.hint));
    else one?.arrived(trace);
  }
}

/**
 * A trace by the model inside the page.
 * @param {any} body  as POST /api/trace reads it
 * @param {AbortSignal} signal
 * @param {(written: number, share?: number) => void} progress  called with the number of tokens written so far, or with
 *   the share that is done of what takes longer
 * @returns {Promise<any>}
 */
export function trace({ model, ...request }, signal, progress) {
  const ask = asked++;
  return new Promise((arrived, failed) => {
    waiting.set(ask, { arrived, failed, progress });
    tell({ ask, model, request });
    signal.addEventListener("abort", () => {
      tell({ stop: ask });
      waiting.delete(ask);
      failed(new DOMException("stopped", "AbortError"));
    });
  });
}
