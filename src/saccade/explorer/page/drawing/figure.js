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

const MARGIN = 16;
const HEAD = 30;
const LINE = 16;

/** @param {any} context @param {any} spec @returns {HTMLElement} */
export function figure(context, spec) {
  // A drawing that is made again takes the place of the one before it.
  const before = (context.drawings ?? []).findIndex(({ name }) => name === spec.name);
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

/** As it is saved. @returns {import("page/drawing/save").Drawing} */
function saved({ theme }, spec) {
  return {
    title: spec.title,
    name: spec.name,
    size: () => outer(spec),
    draw: (surface) => framed(surface, spec, theme),
  };
}

/** The drawing as a file has it: with its title above and its captions below. */
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

const outer = (spec) => ({
  width: spec.width + 2 * MARGIN,
  height: HEAD + 8 + spec.height + MARGIN + LINE * (spec.captions?.length ?? 0),
});

/** The same surface with another origin. */
function moved(surface, left, top) {
  return {
    rect: (x, y, ...rest) => surface.rect(x + left, y + top, ...rest),
    outline: (x, y, ...rest) => surface.outline(x + left, y + top, ...rest),
    line: (x1, y1, x2, y2, ...rest) => surface.line(x1 + left, y1 + top, x2 + left, y2 + top, ...rest),
    curve: (x1, y1, x2, y2, ...rest) => surface.curve(x1 + left, y1 + top, x2 + left, y2 + top, ...rest),
    text: (x, y, ...rest) => surface.text(x + left, y + top, ...rest),
    hatch: (x, y, ...rest) => surface.hatch(x + left, y + top, ...rest),
    cells: (x, y, ...rest) => surface.cells(x + left, y + top, ...rest),
  };
}
