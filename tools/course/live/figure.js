/** What every figure of the course is made of: controls on top, a picture, and one sentence that reads it. */
import { drawChart } from "page/drawing/chart";
import { figure } from "page/drawing/figure";
import { h } from "page/elements/dom";

/** @import { Child, Context, Surface, Theme } from "page/types" */

/**
 * A figure: what may be changed, as it is at first, and how it looks. It is drawn anew after every change.
 * @typedef {object} Figure
 * @property {Record<string, any>} start
 * @property {(context: Context, settings: any, set: (changes: Record<string, any>) => void) => HTMLElement[]} render
 */

/** What the reader may change. @param {...Child} controls */
export const steering = (...controls) => h("div", { class: "course-controls" }, ...controls);

/** What is to be seen. @param {...Child} text */
export const reading = (...text) => h("p", { class: "course-reading" }, ...text);

/**
 * A line to type into.
 * @param {string} label
 * @param {string} value
 * @param {(value: string) => void} onchange
 * @param {number} [rows]
 */
export function typed(label, value, onchange, rows = 1) {
  const attributes = {
    "aria-label": label,
    spellcheck: "false",
    dataset: { focus: `typed-${label}` },
    oninput: (/** @type {any} */ event) => {
      const { selectionStart: at } = event.target;
      onchange(event.target.value);
      const again = /** @type {any} */ (document.activeElement); // drawn anew, with the cursor where it was
      again?.setSelectionRange?.(at, at);
    },
  };
  const field = rows > 1 ? h("textarea", { ...attributes, rows }) : h("input", { ...attributes, type: "text" });
  field.value = value;
  return h("label", { class: "course-typed" }, h("span", {}, label), field);
}

/**
 * Lines over two axes, as wide as there is room.
 * @param {Context} context
 * @param {{name: string, title: string, label: string, x: any, y: any, series: any[], right?: number}} given
 */
export function chart(context, given) {
  const width = Math.max(280, Math.min(640, context.width));
  const drawn = { ...given, width, height: 250, right: Math.min(given.right ?? 150, width / 2.4) };
  return figure(context, {
    ...drawn,
    captions: [],
    draw: (/** @type {Surface} */ surface, /** @type {Theme} */ theme) => drawChart(surface, drawn, theme),
  });
}

/**
 * One bar for each name, with its number.
 * @param {string} label
 * @param {{name: string, value: number, shown: string}[]} rows
 */
export function bars(label, rows) {
  const most = Math.max(...rows.map(({ value }) => value), 1e-9);
  return h(
    "table",
    { class: "course-bars", "aria-label": label },
    h("caption", {}, label),
    h(
      "tbody",
      {},
      rows.map(({ name, value, shown }) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, name),
          h(
            "td",
            { class: "course-bar" },
            h("span", { class: "fill", style: { width: `${(100 * value) / most}%` } }),
            h("span", { class: "shown" }, shown),
          ),
        ),
      ),
    ),
  );
}

/** The whole numbers from one to another, both included. @param {number} from @param {number} to */
export const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
