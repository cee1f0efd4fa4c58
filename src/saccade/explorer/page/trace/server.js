/** The server behind the page, if there is one: an exported page asks nobody. */

import { words } from "page/app/words";
import { inPageLanguage } from "page/language/program";
import { supposition } from "page/trace/what-if";

/** @import { Wish } from "page/types" */

/** What went wrong: a title, what was found, and what to do; in the language of the page where it is known there. */
export class Problem extends Error {
  /** @param {string} title @param {string} [detail] @param {string} [hint] */
  constructor(title, detail = "", hint = "") {
    super(inPageLanguage(title));
    this.detail = inPageLanguage(detail);
    this.hint = inPageLanguage(hint);
  }
}

/** Whether this page came from our server. */
export function served() {
  return location.protocol.startsWith("http") && document.getElementById("document")?.dataset.served === "yes";
}

/** @param {string} path @param {RequestInit} [options] */
async function asked(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") throw error;
    throw new Problem(words.problems.silent, words.problems.stopped, words.problems.start);
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new Problem(problem.title ?? words.problems.answered(response.status), "", problem.hint);
}

/** @param {string} path @param {unknown} body @param {AbortSignal} [signal] */
const posted = (path, body, signal) =>
  asked(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });

/**
 * What POST /api/trace reads, out of what a state wishes for.
 * @param {Wish} wanted
 * @param {string[]} details
 */
export function body(wanted, details) {
  return {
    model: wanted.model,
    text: wanted.sentence,
    decode: { size: wanted.size, alpha: wanted.penalty },
    force: wanted.force || null,
    prefix: wanted.prefix || null,
    what_if: supposition(wanted.whatif),
    detail: [...new Set(["weights", ...details])],
  };
}

/**
 * A trace.
 * @param {object} body
 * @param {AbortSignal} [signal]
 */
export async function trace(body, signal) {
  return (await posted("./api/trace", body, signal)).json();
}

/**
 * Tensors of a trace by name.
 * @param {string[]} names
 * @param {string} id
 */
export async function tensors(id, names) {
  return (
    await asked(`./api/trace/${encodeURIComponent(id)}/tensors?names=${names.map(encodeURIComponent).join(",")}`)
  ).json();
}

/**
 * What attention costs here, measured.
 * @param {string} model
 * @param {number} n
 */
export async function cost(model, n) {
  return (await posted("./api/cost", { model, n })).json();
}

/**
 * The page as one file, with these traces.
 * @param {object[]} traces  as `body` makes them
 * @param {string} route
 */
export async function exported(traces, route) {
  return (await posted("./api/export", { traces, route })).blob();
}
