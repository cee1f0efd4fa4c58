/**
 * The keyboard. Keys of one letter act only outside of fields, and can be switched off; a matrix keeps its arrows to
 * itself, a view may keep what it needs by stopping the event.
 */
import { presenterKey, togglePresenting } from "page/app/presenter";
import { blocks, chosen } from "page/trace/trace";

/** @import { App, Kind, Trace, View } from "page/types" */

/** @param {App} app @param {readonly View[]} views */
export function keyboard(app, views) {
  let waiting = false;
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const field = /** @type {Element} */ (event.target).closest?.(
      "input:not([type=checkbox], [type=range]), textarea, select, dialog, [contenteditable]",
    );
    if (field?.tagName !== "DIALOG" && presenterKey(app, views, event, Boolean(field))) return event.preventDefault();
    if (field) return;
    if (event.key === "Escape") return app.set({ q: null, k: null });
    if (!app.letters) return;
    if (waiting) {
      waiting = false;
      const view = views.find((one) => one.key === event.key);
      if (view) {
        event.preventDefault();
        app.set({ view: view.id });
      }
      return;
    }
    if (event.key === "g") waiting = true;
    else if (act(app, event.key)) event.preventDefault();
  });
}

/** @type {Record<string, Kind | undefined>} */
const KIND_KEYS = { e: "enc", d: "dec", x: "cross" };

/**
 * Does what a key says; false where it says nothing.
 * @param {App} app
 * @param {string} key
 */
function act(app, key) {
  const { state, context } = app;
  const trace = context?.trace;
  const fresh = { q: null, k: null };
  switch (key) {
    case "/":
      app.frame.sentence.focus();
      app.frame.sentence.select();
      return true;
    case "?":
      app.frame.help();
      return true;
    case "v":
      app.set({ table: !state.table });
      return true;
    case "w":
      app.set({ unit: state.unit === "word" ? "piece" : "word", ...fresh });
      return true;
    case "p":
      togglePresenting(app);
      return true;
    case "n":
      app.set({ veiled: !state.veiled });
      return true;
    case "c":
      app.set({ view: "ancestors", part: "words" });
      return true;
    default:
  }
  if (!trace) return false;
  const kind = KIND_KEYS[key];
  if (kind) {
    if (blocks(trace, kind).length) app.set({ kind, layer: null, ...fresh });
    return true;
  }
  if (/^\d$/.test(key)) {
    const { block } = chosen(trace, state);
    const head = key === "0" ? "mean" : Number(key) - 1;
    if (block && (head === "mean" || head < block.heads)) app.set({ head });
    return true;
  }
  if (key === "[" || key === "]") return layer(app, trace, key === "[" ? -1 : 1);
  if (key === "," || key === ".") return round(app, trace, key === "," ? -1 : 1);
  return false;
}

/** @param {App} app @param {Trace} trace @param {number} way */
function layer(app, trace, way) {
  const { kind, block } = chosen(trace, app.state);
  if (!block) return false;
  const found = blocks(trace, kind);
  const next = found[found.indexOf(block) + way];
  if (next) app.set({ layer: next.layer });
  return true;
}

/** @param {App} app @param {Trace} trace @param {number} way */
function round(app, trace, way) {
  const total = trace.steps.length;
  const { step } = app.state;
  const next = step === null && way > 0 ? 0 : (step ?? total) + way; // after all of them comes the first
  if (next >= 0) app.set({ step: next >= total ? null : next });
  return true;
}
