/**
 * Presenting: large type, numbers that are hidden until somebody asks, and the keys that a clicker sends. Next goes
 * through what a view has to go through, and then to the next view.
 */

import { veil } from "page/numbers/veil";

/** @import { App, View } from "page/types" */

/** @type {Record<string, 1 | -1 | undefined>} */
const WAYS = { PageDown: 1, PageUp: -1, ArrowRight: 1, ArrowLeft: -1 };

/** Writes on the page whether it is presented, for the style sheet. @param {App["state"]} state */
export function showPresenting({ present, veiled }) {
  document.documentElement.toggleAttribute("data-present", present);
  document.documentElement.toggleAttribute("data-veiled", veiled);
  veil(veiled);
}

/** Begins with hidden numbers, or ends. @param {App} app */
export const togglePresenting = (app) => app.set({ present: !app.state.present, veiled: !app.state.present });

/**
 * Does what a presenter's key says; false where it is none. A clicker's keys act in fields too, where arrows do not.
 * @param {App} app
 * @param {readonly View[]} views
 * @param {KeyboardEvent} event
 * @param {boolean} inField
 */
export function presenterKey(app, views, event, inField) {
  const way = WAYS[event.key];
  if (!app.state.present || !way || (inField && event.key.startsWith("Arrow"))) return false;
  const changes =
    app.context?.trace || app.view().bare ? app.view().advance?.(app.state, app.context?.trace, way) : null;
  if (changes) app.set(changes);
  else {
    const next = views[views.indexOf(app.view()) + way];
    if (next) app.set({ view: next.id });
  }
  return true;
}

/**
 * One decoding step on or back: from all of them to the first, from the last to what comes after the view.
 * @param {App["state"]} state
 * @param {{steps: unknown[]} | null | undefined} trace
 * @param {1 | -1} way
 */
export function advanceDecoding({ step }, trace, way) {
  if (!trace?.steps.length) return null;
  const next = step === null ? (way > 0 ? 0 : -1) : step + way;
  return next < 0 || next >= trace.steps.length ? null : { step: next };
}
