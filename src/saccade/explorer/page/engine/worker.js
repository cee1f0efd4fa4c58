/**
 * The engine's own thread, so that the page stays quick while a model computes.
 *
 *   to it     {models: {id: Exported}, kernels}    once, first; kernels are products.wasm and digits.wasm in base64
 *             {ask: number, model, request}        a trace
 *             {stop: number}                       that one is not wanted any more
 *   from it   {ready: products}
 *             {ask, progress: words written, share: of the words left out in turn, while they are}
 *             {ask, trace}       {ask, problem: {title, hint}}
 */

import { plainProducts } from "page/engine/arithmetic/plain-products";
import { wasmProducts } from "page/engine/arithmetic/wasm-products";
import { loadModel } from "page/engine/live-model";
import { EngineProblem } from "page/engine/problem";
import { trace } from "page/engine/tracing/trace";
import { bytesOf } from "page/trace/trace";

/** @import { Exported, LiveModel } from "page/engine/live-model" */

/** @type {Map<string, Promise<LiveModel>>} */
const models = new Map();
/** @type {Set<number>} */
const stopped = new Set();
/** One trace after another: two at once would only take turns. @type {Promise<void>} */
let working = Promise.resolve();

/** Hands over to messages that have arrived, "stop" among them. */
const turn = () =>
  new Promise((resume) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resume(undefined);
    };
    port2.postMessage(null);
  });

/** @param {Record<string, Exported>} exported @param {{ products: string, digits: string }} kernels */
async function load(exported, kernels) {
  let name = "";
  const products = async () => {
    const found = (await wasmProducts(bytesOf(kernels.products), bytesOf(kernels.digits))) ?? plainProducts;
    name = found.name;
    return found;
  };
  for (const [id, one] of Object.entries(exported)) models.set(id, loadModel(one, products));
  await Promise.all(models.values());
  postMessage({ ready: name });
}

/** @param {{ ask: number, model: string, request: any }} message */
async function answer({ ask, model, request }) {
  /** @param {number} progress @param {number} [share] */
  const breathe = async (progress, share) => {
    postMessage({ ask, progress, share });
    await turn();
    if (stopped.has(ask)) throw new EngineProblem("Stopped.");
  };
  try {
    const began = performance.now();
    const live = await models.get(model);
    if (!live) throw new EngineProblem(`This file has no model “${model}”.`);
    const made = await trace(live, request, breathe);
    postMessage({ ask, trace: { ...made, seconds: (performance.now() - began) / 1000 } });
  } catch (error) {
    const { message, hint } = /** @type {EngineProblem} */ (error);
    postMessage({ ask, problem: { title: message, hint: hint ?? "" } });
  }
  stopped.delete(ask);
}

addEventListener("message", ({ data }) => {
  if (data.models) load(data.models, data.kernels);
  else if (data.stop !== undefined) stopped.add(data.stop);
  else working = working.then(() => answer(data));
});
