/**
 * A drawing with a name, a sentence for those who do not see it, and buttons that save it. On the page it is SVG, and
 * what is saved comes out of the same calls.
 *
 *   figure(context, {name, title, label, width, height, captions, draw: (surface, theme) => {}})
 */

import { inks } from "page/drawing/chart";
import { drawingTools } from "page/drawing/save";
import { SvgSurface } from "page/drawing/surface";
import { h } from "page/elements/dom";

/** @import { Context, Drawing, Surface, Theme } from "page/types" */

/**
 * @typedef {object} FigureSpec
 * @property {string} name
 * @property {string} title
 * @property {string} label
 * @property {number} width
 * @property {number} height
 * @property {string[]} captions
 * @property {(surface: Surface, theme: Theme) => void} draw
 */

const MARGIN = 16;
const HEAD = 30;
const LINE = 16;

/** @param {Context} context @param {any} spec @returns {HTMLElement} */
export function figure(context, spec) {
  // A drawing that is made again takes the place of the one before it.
  const before = (context.drawings ?? []).findIndex((/** @type {any} */ { name }) => name === spec.name);
  if (before >= 0) context.drawings.splice(before, 1);
  const surface = new SvgSurface(spec.width, spec.height);
  spec.draw(surface, context.theme);
  const drawing = surface.element;
  for (const [name, value] of Object.entries({ role: "img", "aria-label": spec.label, class: "lab-drawing" }))
    drawing.setAttribute(name, value);
  return h(
    "figure",
    { class: "lab-figure", dataset: { figure: spec.name } },
    h("figcaption", {}, h("span", { class: "matrix-title" }, spec.title), drawingTools(context, saved(context, spec))),
    h(
      "div",
      {
        class: "lab-scroll",
        tabindex: "0",
        role: "group",
        "aria-label": spec.title,
        dataset: { scroll: spec.name, focus: spec.name },
      },
      drawing,
    ),
  );
}

/**
 * As it is saved.
 * @param {Context} context
 * @param {FigureSpec} spec
 * @returns {Drawing}
 */
function saved({ theme }, spec) {
  return {
    title: spec.title,
    name: spec.name,
    size: () => outer(spec),
    /** @param {Surface} surface */
    draw: (surface) => framed(surface, spec, theme),
  };
}

/**
 * The drawing as a file has it: with its title above and its captions below.
 * @param {Surface} surface
 * @param {FigureSpec} spec
 * @param {Theme} theme
 */
function framed(surface, spec, theme) {
  const ink = inks(theme);
  const { width, height } = outer(spec);
  surface.rect(0, 0, width, height, ink.paper);
  surface.text(MARGIN, MARGIN + 4, spec.title, { size: 14, weight: 600, fill: ink.text });
  spec.draw(moved(surface, MARGIN, HEAD + 8), theme);
  (spec.captions ?? []).forEach((line, i) =>
    surface.text(MARGIN, HEAD + 8 + spec.height + 14 + i * LINE, line, { size: 11, fill: ink.quiet }),
  );
}

/** @param {FigureSpec} spec */
const outer = (spec) => ({
  width: spec.width + 2 * MARGIN,
  height: HEAD + 8 + spec.height + MARGIN + LINE * (spec.captions?.length ?? 0),
});

/**
 * The same surface with another origin.
 * @param {Surface} surface
 * @param {number} left
 * @param {number} top
 */
function moved(surface, left, top) {
  return {
    /** @param {number} x @param {number} y @param {...any} rest */
    rect: (x, y, ...rest) => /** @type {any} */ (surface).rect(x + left, y + top, ...rest),
    /** @param {number} x @param {number} y @param {...any} rest */
    outline: (x, y, ...rest) => /** @type {any} */ (surface).outline(x + left, y + top, ...rest),
    /** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {...any} rest */
    line: (x1, y1, x2, y2, ...rest) =>
      /** @type {any} */ (surface).line(x1 + left, y1 + top, x2 + left, y2 + top, ...rest),
    /** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {...any} rest */
    curve: (x1, y1, x2, y2, ...rest) =>
      /** @type {any} */ (surface).curve(x1 + left, y1 + top, x2 + left, y2 + top, ...rest),
    /** @param {number} x @param {number} y @param {...any} rest */
    text: (x, y, ...rest) => /** @type {any} */ (surface).text(x + left, y + top, ...rest),
    /** @param {number} x @param {number} y @param {...any} rest */
    hatch: (x, y, ...rest) => /** @type {any} */ (surface).hatch(x + left, y + top, ...rest),
    /** @param {number} x @param {number} y @param {...any} rest */
    cells: (x, y, ...rest) => /** @type {any} */ (surface).cells(x + left, y + top, ...rest),
  };
}
