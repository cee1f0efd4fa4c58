/** Help, export and search settings: native dialogs, which know Escape and keep the focus. */

import { glossary } from "page/app/definitions";
import { exportDetails } from "page/app/export-details";
import { DIALOGS } from "page/app/words-dialogs";
import { DEFINITIONS } from "page/app/words-glossary";
import { save, saveDrawing } from "page/drawing/save";
import { h } from "page/elements/dom";
import { format } from "page/state/state";
import * as api from "page/trace/server";
import { wish, wishOf } from "page/trace/store";

/** @import { App, Attributes, Child, Control, Drawing, View } from "page/types" */

/**
 * Opens a dialog; it is taken away when it is closed.
 * @param {string} title
 * @param {...Child} children
 */
function open(title, ...children) {
  const dialog = h(
    "dialog",
    { "aria-label": title, onclose: () => dialog.remove() },
    h(
      "div",
      { class: "dialog-head" },
      h("h2", {}, title),
      h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, DIALOGS.close),
    ),
    children,
  );
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * The keys, and a switch for those who need them off.
 * @param {readonly View[]} views
 * @param {App} app
 */
export function helpDialog(views, app) {
  /** @param {[string, string]} given */
  const row = ([keys, what]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, keys)), h("td", {}, what));
  open(
    DIALOGS.keys,
    h(
      "table",
      { class: "keys" },
      h(
        "tbody",
        {},
        DIALOGS.keysHelp.map(row),
        views.map((view) => row([`g ${view.key}`, view.title])),
      ),
    ),
    h(
      "label",
      { class: "toggle" },
      h("input", {
        type: "checkbox",
        checked: app.letters,
        onchange: (event) => {
          app.letters = event.target.checked;
        },
      }),
      h("span", {}, DIALOGS.letters),
    ),
    h("h3", {}, DEFINITIONS.title),
    h("p", { class: "quiet-text" }, DEFINITIONS.hint),
    glossary(),
  );
}

/** Everything that can leave the page. @param {App} app */
export function exportDialog(app) {
  const { context } = app;
  const drawings = context?.drawings ?? [];
  /** @param {Drawing} drawing */
  const forms = (drawing) =>
    h(
      "li",
      {},
      h("span", {}, drawing.title),
      ["png", "svg", "csv"]
        .filter((form) => form !== "csv" || drawing.csv)
        .map((form) =>
          h(
            "button",
            { type: "button", class: "tool", onclick: () => saveDrawing(drawing, /** @type {any} */ (form)) },
            form.toUpperCase(),
          ),
        ),
    );
  const said = h("p", { role: "status", class: "quiet-text" });
  const sizes = h(
    "select",
    { "aria-label": DIALOGS.exportHolds },
    Object.entries(DIALOGS.sizes).map(([value, name]) => h("option", { value }, name)),
  );
  const page = h(
    "button",
    { type: "button", disabled: !api.served() || !context?.trace, onclick: () => pageFile(app, sizes.value, said) },
    DIALOGS.page,
  );
  open(
    DIALOGS.exportTitle,
    h(
      "div",
      { class: "dialog-rows" },
      h(
        "div",
        {},
        page,
        api.served() ? h("label", { class: "field wide" }, h("span", {}, DIALOGS.exportHolds), sizes) : null,
        h("p", { class: "quiet-text" }, api.served() ? DIALOGS.offline : DIALOGS.already),
      ),
      h(
        "div",
        {},
        h("button", { type: "button", disabled: !context?.trace, onclick: () => traceFile(app) }, DIALOGS.numbers),
        h("p", { class: "quiet-text" }, DIALOGS.opens),
      ),
    ),
    said,
    drawings.length ? h("h3", {}, DIALOGS.pictures) : null,
    h("ul", { class: "drawings" }, drawings.map(forms)),
  );
}

/** @param {App} app @param {string} size @param {HTMLElement} said */
async function pageFile(app, size, said) {
  said.textContent = DIALOGS.writing;
  try {
    const { document: given, state } = app;
    const file = await api.exported(
      given.traces.map((trace) => api.body(wishOf(trace), exportDetails(trace, state, size))),
      format({ ...state, theme: "system" }),
    );
    save(file, "saccade-explorer.html");
    said.textContent = DIALOGS.saved((file.size / 1e6).toFixed(1));
  } catch (error) {
    const { message, hint } = /** @type {api.Problem} */ (error);
    said.textContent = `${message} ${hint ?? ""}`;
  }
}

/** @param {App} app */
function traceFile(app) {
  const { context, document: given, state } = app;
  const shown = {
    ...given,
    traces: [/** @type {NonNullable<typeof context>} */ (context).trace],
    route: format({ ...state, theme: "system" }),
  };
  save(new Blob([JSON.stringify(shown)], { type: "application/json" }), "trace.json");
}

/** Size of the beam and exponent of the length penalty; a translation to force, or a beginning. @param {App} app */
export function searchDialog(app) {
  const now = wish(app.state);
  /** @param {string} label @param {number} value @param {Attributes} [attributes] */
  const field = (label, value, attributes = {}) =>
    h(
      "label",
      { class: "field wide" },
      h("span", {}, label),
      h("input", { type: "text", dir: "auto", value: value ?? "", ...attributes }),
    );
  const [size, penalty] = [
    field(DIALOGS.hypotheses, /** @type {NonNullable<typeof now.size>} */ (now.size), {
      inputmode: "numeric",
    }),
    field(DIALOGS.exponent, /** @type {NonNullable<typeof now.penalty>} */ (now.penalty), { inputmode: "decimal" }),
  ];
  const [force, prefix] = [
    field(DIALOGS.force, /** @type {any} */ (now.force)),
    field(DIALOGS.prefix, /** @type {any} */ (now.prefix)),
  ];
  /** @param {HTMLElement} label */
  const value = (label) => /** @type {any} */ (label.querySelector("input")).value.trim();
  /** @param {string} text */
  const number = (text) => (text === "" ? null : Number(text));
  const said = h("p", { role: "alert", class: "bad-text" });
  /** @param {Event & {target: Control}} event */
  const apply = (event) => {
    event.preventDefault();
    const [kept, exponent] = [number(value(size)), number(value(penalty))];
    if (kept !== null && !(Number.isInteger(kept) && kept > 0 && kept <= 64))
      said.textContent = DIALOGS.wrongHypotheses;
    else if (exponent !== null && !(exponent >= 0 && exponent <= 5)) said.textContent = DIALOGS.wrongExponent;
    else {
      dialog.close();
      app.set({
        size: kept,
        penalty: exponent,
        force: value(force),
        prefix: value(prefix),
        q: null,
        k: null,
        step: null,
      });
    }
  };
  const dialog = open(
    DIALOGS.search,
    h(
      "form",
      { onsubmit: apply },
      size,
      penalty,
      prefix,
      force,
      said,
      h("button", { type: "submit", class: "primary" }, DIALOGS.translate),
    ),
  );
}
