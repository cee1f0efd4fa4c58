/** The table of positions as one picture, and the sliders that choose a row and a column of it. */

import { css, diverging } from "page/drawing/colour";
import { CanvasSurface } from "page/drawing/surface";
import { cursorKeys, within } from "page/elements/cursor-keys";
import { h } from "page/elements/dom";
import { pointerIn } from "page/elements/pointer";
import { digits, extent } from "page/numbers/numbers";
import { POSITION } from "page/position/words";
import { tensor } from "page/trace/trace";

/** @import { Context, Control, State, Trace } from "page/types" */

/** The table of positions and the chosen place of it. @typedef {NonNullable<ReturnType<typeof chosen>>} Chosen */

const DEFAULT_DIM = 8;

/** @param {Trace} trace */
const embeddingOf = (trace) => [trace.embedding?.source, trace.embedding?.target].find((one) => one?.kind) ?? null;

/**
 * The table, its kind, and the chosen place, always one that exists.
 * @param {Trace} trace
 * @param {State} state
 */
export function chosen(trace, state) {
  const table = tensor(trace, trace.positions_table);
  if (!table) return null;
  const [rows, width] = table.shape;
  const kind = embeddingOf(trace)?.kind ?? "learned";
  const own =
    trace.axes.source?.tokens.length > 1 ? trace.axes.source.tokens.length : (trace.axes.reads?.tokens.length ?? 1);
  return {
    table,
    rows,
    width,
    kind,
    column: Math.min(state.column ?? DEFAULT_DIM, width - 1),
    pos: Math.min(state.pos ?? Math.max(0, Math.min(own, rows) - 1), rows - 1),
  };
}

/**
 * The whole table as one picture: a cell a number, the chosen row and column framed.
 * @param {Context} context
 * @param {Chosen} found
 * @param {(state: State) => void} preview
 */
export function heat(context, found, preview) {
  const { table, rows, width, column, pos } = found;
  const limit = extent(table.data) || 1;
  const cell = { wide: Math.max(1, Math.min(8, Math.floor((context.width - 60) / width))), high: rows > 40 ? 6 : 9 };
  const size = { wide: cell.wide * width, high: cell.high * rows };
  const canvas = h("canvas", { "aria-hidden": "true" });
  const surface = new CanvasSurface(canvas, size.wide, size.high);
  for (let p = 0; p < rows; p++)
    for (let d = 0; d < width; d++)
      surface.rect(
        d * cell.wide,
        p * cell.high,
        cell.wide,
        cell.high,
        css(diverging(table.data[p * width + d] / limit, context.theme)),
      );
  const frames = [h("div", { class: "band position-row" }), h("div", { class: "band position-column" })];
  /** @param {State} state */
  const place = (state) => {
    const now = chosen(context.trace, state);
    box(frames[0], 0, /** @type {NonNullable<typeof now>} */ (now).pos * cell.high, size.wide, cell.high);
    box(
      frames[1],
      /** @type {NonNullable<typeof now>} */ (now).column * cell.wide,
      0,
      Math.max(2, cell.wide),
      size.high,
    );
    picture.setAttribute(
      "aria-label",
      POSITION.heatLabel(
        rows,
        width,
        /** @type {NonNullable<typeof now>} */ (now).pos,
        /** @type {NonNullable<typeof now>} */ (now).column,
      ),
    );
  };
  /** @param {any} event */
  const under = (event) => {
    const { x, y } = pointerIn(event, canvas);
    /** @param {number} from @param {number} pixels @param {number} count */
    const at = (from, pixels, count) => within(Math.floor(from / pixels), count);
    return {
      column: at(x, cell.wide, width),
      pos: at(y, cell.high, rows),
    };
  };
  // What the pointer is over is only looked at; a click chooses it, and so puts it into the link.
  /** @param {Event & {target: Control}} event */
  const look = (event) => {
    place({ ...context.state, ...under(event) });
    preview({ ...context.state, ...under(event) });
  };
  const leave = () => {
    place(context.state);
    preview(context.state);
  };
  const move = (/** @type {number} */ nextPos, /** @type {number} */ nextDim) => {
    context.set({ column: nextDim, pos: nextPos });
    context.say(
      `${POSITION.pos} ${nextPos}, ${POSITION.dim} ${nextDim}, ${digits(table.data[nextPos * width + nextDim])}`,
    );
  };
  const picture = h(
    "div",
    {
      class: "cells position-cells",
      tabindex: "0",
      role: "img",
      onclick: (event) => context.set(under(event)),
      onpointermove: look,
      onpointerleave: leave,
      dataset: { focus: "positions" },
    },
    canvas,
    frames,
  );
  const now = () => {
    const at = chosen(context.trace, context.state);
    return {
      row: /** @type {NonNullable<typeof at>} */ (at).pos,
      column: /** @type {NonNullable<typeof at>} */ (at).column,
    };
  };
  cursorKeys(picture, { rows, columns: width, place: now, pick: move });
  place({ ...context.state, column, pos });
  context.follow(place);
  return h(
    "figure",
    { class: "lab-figure", dataset: { figure: "positions" } },
    h(
      "figcaption",
      {},
      h("span", { class: "matrix-title" }, POSITION.heat),
      h("span", { class: "shape" }, `${rows} × ${width}`),
    ),
    h("p", { class: "quiet-text position-axes", "aria-hidden": "true" }, `${POSITION.columns} →   ${POSITION.rows} ↓`),
    h("div", { class: "lab-scroll", dataset: { scroll: "positions" } }, picture),
  );
}

/**
 * @param {HTMLElement} element
 * @param {number} left
 * @param {number} top
 * @param {number} width
 * @param {number} height
 */
function box(element, left, top, width, height) {
  for (const [name, value] of Object.entries({ left, top, width, height }))
    element.style.setProperty(name, `${value}px`);
}

/** @param {Context} context @param {any} found @param {(state: State) => void} preview */
export function sliders(context, found, preview) {
  /** @param {string} name @param {string} label @param {number} most */
  const slider = (name, label, most) => {
    const output = h("output", {}, String(found[name]));
    const look = () => {
      output.textContent = input.value;
      preview({ ...context.state, [name]: Number(input.value) });
    };
    const input = h("input", {
      type: "range",
      min: "0",
      max: String(most),
      step: "1",
      value: String(found[name]),
      oninput: look,
      onchange: () => context.set({ [name]: Number(input.value) }),
      dataset: { slider: name },
    });
    context.follow((state) => {
      const now = /** @type {any} */ (chosen(context.trace, state))[name];
      output.textContent = String(now);
      if (document.activeElement !== input) input.value = String(now);
    });
    return h("label", { class: "position-slider" }, h("span", {}, label, " "), output, input);
  };
  return h(
    "div",
    { class: "position-sliders" },
    slider("column", POSITION.dim, found.width - 1),
    slider("pos", POSITION.pos, found.rows - 1),
  );
}
