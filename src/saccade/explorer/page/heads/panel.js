/**
 * One kind of attention: layers down, heads across, a small picture each with the chosen number below. The panel is one
 * tab stop; arrows move, Enter opens. Sorted, the same cells follow each other from the first row on.
 */

import { INKS, measure } from "page/drawing/matrix-drawing";
import { drawingTools } from "page/drawing/save";
import { h } from "page/elements/dom";
import { cellSize, inOrder, passes, tagsOf } from "page/heads/statistics";
import { canvasOf, drawn, lookOf, thumbnail } from "page/heads/thumbnails";
import { heads as words } from "page/heads/words";

/** @import { Panel, PanelHead } from "page/heads/heads-of-trace" */
/** @import { Context, State, Surface } from "page/types" */

const [GAP, SIDE, WIDEST, NARROW] = [8, 66, 150, 620];
// The card beside the panels; below this width it stands under them.
const [CARD, BESIDE] = [290, 900];

/**
 * Rows of heads: by layer, or in the chosen order, as many in each row as a layer has.
 * @param {Panel} panel
 * @param {State} state
 */
export function rowsOf(panel, state) {
  const kept = panel.heads.map((head) => ({
    ...head,
    passes: passes(head.facts, state.badge, state.order, state.limit),
  }));
  if (state.order === "grid")
    return panel.blocks.map((block) => ({ layer: block.layer, heads: kept.filter((head) => head.block === block) }));
  const left = inOrder(
    kept.filter((head) => head.passes),
    state.badge,
    state.order,
  );
  const across = Math.max(...panel.blocks.map((block) => block.heads));
  return Array.from({ length: Math.ceil(left.length / across) }, (_, i) => ({
    layer: null,
    heads: left.slice(i * across, (i + 1) * across),
  }));
}

/**
 * How large cells are: whole pixels, for the width of the view.
 * @param {Panel} panel
 * @param {Context} context
 */
function sizesOf(panel, context) {
  const across = Math.max(...panel.blocks.map((block) => block.heads));
  const narrow = context.width < NARROW;
  const side = narrow ? 0 : SIDE;
  const width = context.width - (context.width >= BESIDE ? CARD : 0);
  const room = Math.min(WIDEST, Math.floor((width - side - 4) / across) - GAP);
  const first = thumbnail(context.trace, panel.blocks[0], 0, lookOf(context));
  const cell = cellSize(room, first.columns, across > 2 ? 12 : 20);
  return { across, narrow, side, cell, width: Math.max(first.columns * cell, narrow ? 34 : 58) };
}

/** @param {Context} context @param {any} panel @param {{look: Function, open: Function}} on */
export function panelOf(context, panel, on) {
  const { state } = context;
  const rows = rowsOf(panel, state);
  const sizes = sizesOf(panel, context);
  const columns = `${sizes.side ? `${sizes.side}px ` : ""}repeat(${sizes.across}, ${sizes.width}px)`;
  /** @type {any[]} */
  const cells = [];
  const heading = state.order === "grid" ? headingOf(sizes) : null;
  const body = rows.map((row) => rowOf(context, panel, row, sizes, cells));
  const grid = h(
    "div",
    {
      class: "heads-grid",
      role: "grid",
      "aria-label": words.kinds[/** @type {keyof typeof words.kinds} */ (panel.kind)],
      "aria-describedby": "heads-help",
      dataset: { kind: panel.kind },
      style: { "grid-template-columns": columns, gap: `${GAP}px` },
    },
    heading,
    body,
  );
  const places = rows.map((row) => row.heads.length);
  keyboard(grid, cells, places, panel, on);
  const chosen =
    cells.find(({ head }) => isChosen(state, panel, head)) ?? cells.find(({ head }) => head.passes) ?? cells[0];
  if (chosen) chosen.element.tabIndex = 0;
  const empty = cells.length ? null : h("p", { class: "note" }, words.filter.count(0, panel.heads.length));
  return {
    element: h(
      "div",
      { class: "heads-scroll", dataset: { scroll: `heads-${panel.kind}` } },
      cells.length ? grid : empty,
    ),
    cells,
    sizes,
  };
}

/** @param {State} state @param {any} panel @param {PanelHead} head */
export function isChosen(state, panel, head) {
  return (
    state.kind === panel.kind &&
    state.head === head.head &&
    (state.layer ?? panel.blocks.at(-1).layer) === head.block.layer
  );
}

/** @param {any} sizes */
function headingOf(sizes) {
  const names = Array.from({ length: sizes.across }, (_, i) =>
    h("span", { role: "columnheader", class: "heads-top" }, sizes.narrow ? String(i + 1) : words.head(i + 1)),
  );
  return h(
    "div",
    { role: "row", class: "heads-row" },
    sizes.side ? h("span", { role: "columnheader" }, h("span", { class: "unseen" }, words.table.layer)) : null,
    names,
  );
}

/** @param {Context} context @param {Panel} panel @param {any} row @param {any} sizes @param {any[]} cells */
function rowOf(context, panel, row, sizes, cells) {
  const elements = row.heads.map((/** @type {PanelHead} */ head) => {
    const element = cellOf(context, panel, head, sizes, row.layer === null);
    cells.push({ element, head });
    return element;
  });
  const name = row.layer === null ? "" : words.layer(row.layer + 1);
  const side =
    row.layer === null
      ? sizes.side
        ? h("span", { role: "presentation" })
        : null
      : h("span", { role: "rowheader", class: sizes.side ? "heads-side" : "heads-side wide" }, name);
  return h("div", { role: "row", class: "heads-row" }, side, elements);
}

/**
 * @param {Context} context
 * @param {Panel} panel
 * @param {any} head
 * @param {any} sizes
 * @param {boolean} named
 */
function cellOf(context, panel, head, sizes, named) {
  const { state, trace } = context;
  const best = trace.alignment?.best;
  const aligns = best && best.block === head.block.id && best.head === head.head;
  const tags = sizes.narrow ? [] : [...(aligns ? ["best"] : []), ...tagsOf(head.facts, head.keys)];
  const value = words.badge.short(state.badge, head.facts[state.badge]);
  const chosen = isChosen(state, panel, head);
  const picture = head.passes
    ? canvasOf(thumbnail(trace, head.block, head.head, lookOf(context)), sizes.cell, context.theme)
    : h("span", { class: "heads-out" });
  return h(
    "div",
    {
      role: "gridcell",
      class: `heads-cell${chosen ? " chosen" : ""}${head.passes ? "" : " out"}`,
      tabindex: "-1",
      title: head.sentence,
      "aria-label": head.sentence,
      "aria-selected": String(chosen),
      dataset: { layer: head.block.layer, head: head.head },
    },
    named ? h("span", { class: "heads-name" }, words.short(head.block.layer + 1, head.head + 1)) : null,
    picture,
    h(
      "span",
      { class: "heads-badge" },
      head.passes && state.depth !== "words" ? h("b", {}, value) : "",
      head.passes && tags.length ? ` ${words.tags[/** @type {keyof typeof words.tags} */ (tags[0])]}` : "",
    ),
  );
}

/** @param {HTMLElement} grid @param {any[]} cells @param {any} places @param {Panel} panel @param {any} on */
function keyboard(grid, cells, places, panel, on) {
  const starts = places.map((/** @type {unknown} */ _, /** @type {number} */ row) =>
    places.slice(0, row).reduce((/** @type {number} */ total, /** @type {number} */ count) => total + count, 0),
  );
  /** @param {number} index @param {boolean} back */
  const focus = (index, back) => {
    for (const { element } of cells) element.tabIndex = -1;
    const next = cells[Math.min(cells.length - 1, Math.max(0, index))];
    next.element.tabIndex = 0;
    if (back) next.element.focus();
    return next;
  };
  /** @param {any} target */
  const indexOf = (target) => cells.findIndex(({ element }) => element === target.closest?.("[role=gridcell]"));
  grid.addEventListener("keydown", (event) => {
    const index = indexOf(event.target);
    if (index < 0 || event.altKey || event.metaKey) return;
    const row = starts.findLastIndex((/** @type {number} */ start) => start <= index);
    const column = index - starts[row];
    /** @param {number} to */
    const across = (to) => starts[to] + Math.min(column, places[to] - 1);
    const moves = {
      ArrowRight: () => index + 1,
      ArrowLeft: () => index - 1,
      ArrowDown: () => (row + 1 < places.length ? across(row + 1) : index),
      ArrowUp: () => (row > 0 ? across(row - 1) : index),
      Home: () => (event.ctrlKey ? 0 : starts[row]),
      End: () => (event.ctrlKey ? cells.length - 1 : starts[row] + places[row] - 1),
    };
    if (event.key === "Enter") on.open(panel, cells[index].head, event.shiftKey);
    else if (event.key in moves) focus(/** @type {any} */ (moves)[event.key](), true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  grid.addEventListener("focusin", (event) => {
    const index = indexOf(event.target);
    if (index >= 0) on.look(panel, cells[index].head, true);
  });
  grid.addEventListener("pointerover", (event) => {
    const index = indexOf(event.target);
    if (index >= 0) on.look(panel, cells[index].head, false);
  });
  grid.addEventListener("click", (event) => {
    const index = indexOf(event.target);
    if (index >= 0) on.open(panel, cells[index].head, event.shiftKey);
  });
}

/**
 * Draws the panel as an exported picture; without a surface it only says how large that is.
 * @param {Surface | null} surface
 * @param {Context} context
 * @param {Panel} panel
 * @param {string[]} captions
 */
export function drawPanel(surface, context, panel, captions) {
  const { state, trace, theme } = context;
  const look = lookOf(context);
  const rows = rowsOf(panel, state);
  const inks = INKS[theme];
  const image = thumbnail(trace, panel.blocks[0], 0, look);
  const cell = cellSize(120, image.columns);
  const [wide, high] = [Math.max(image.columns * cell, 58) + 14, image.rows * cell + 34];
  const across = Math.max(1, ...rows.map((row) => row.heads.length));
  const title = words.kinds[panel.kind];
  const width = Math.max(
    32 + SIDE + across * wide,
    32 + Math.max(...[title, ...captions].map((line) => measure(line, 13))),
  );
  const height = 60 + rows.length * high + 16 * captions.length + 16;
  if (!surface) return { width, height };
  surface.rect(0, 0, width, height, inks.paper);
  surface.text(16, 22, title, { size: 14, weight: 600, fill: inks.text });
  rows.forEach((row, i) => {
    const top = 56 + i * high;
    if (row.layer !== null)
      surface.text(16, top + (image.rows * cell) / 2, words.layer(row.layer + 1), { size: 12, fill: inks.text });
    row.heads.forEach((head, j) => {
      const left = 16 + SIDE + j * wide;
      if (i === 0 && row.layer !== null)
        surface.text(left, 46, words.head(head.head + 1), { size: 11, fill: inks.quiet });
      if (!head.passes) return;
      drawn(surface, thumbnail(trace, head.block, head.head, look), left, top, cell, theme);
      const name = row.layer === null ? `${words.short(head.block.layer + 1, head.head + 1)}  ` : "";
      const value = state.depth === "words" ? "" : words.badge.short(state.badge, head.facts[state.badge]);
      surface.text(left, top + image.rows * cell + 12, name + value, {
        size: 11,
        fill: inks.text,
      });
    });
  });
  captions.forEach((line, i) =>
    surface.text(16, 60 + rows.length * high + 16 * i, line, { size: 11, fill: inks.quiet }),
  );
  return { width, height };
}

/**
 * The buttons that save a panel.
 * @param {Context} context
 * @param {Panel} panel
 * @param {string[]} captions
 */
export function panelTools(context, panel, captions) {
  const csv = () => {
    const names = Object.keys(words.badge.names);
    const lines = panel.heads.map((head) => [
      head.block.layer + 1,
      head.head + 1,
      ...names.map((name) => head.facts[/** @type {keyof typeof head.facts} */ (name)] ?? ""),
    ]);
    return [["layer", "head", ...names], ...lines].map((line) => `${line.join(",")}\r\n`).join("");
  };
  return drawingTools(context, {
    title: words.kinds[panel.kind],
    name: `heads-${panel.kind}`,
    csv,
    size: () => drawPanel(null, context, panel, captions),
    draw: (surface) => drawPanel(surface, context, panel, captions),
  });
}
