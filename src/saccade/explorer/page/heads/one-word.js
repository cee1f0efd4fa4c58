/** One word through the whole network: a row for each head of each layer, a column for each place it can look at. */

import { matrix } from "page/drawing/matrix";
import { h } from "page/elements/dom";
import { shownPicture } from "page/heads/thumbnails";
import { heads as words } from "page/heads/words";
import { plainName } from "page/trace/plain-names";
import { axis, rowAxis } from "page/trace/trace";

/** @import { Panel } from "page/heads/heads-of-trace" */
/** @import { AxisEntry, AxisName, Context, Control, Kind, State, Trace } from "page/types" */

/** A piece as a person reads it: the mark of a word's beginning is no letter. @param {string} piece */
export const readable = (piece) => piece.replaceAll("\u2581", "") || piece;

/** @param {Element} root @param {Context} context @param {any[]} panels */
export function oneWord(root, context, panels) {
  const { trace, state } = context;
  const side = axisOf(trace, state, panels);
  const entries = rowAxis(trace, side, state.unit, state.shift);
  const first = side === "reads" ? 1 : 0; // the word written first has none before it to look at
  const q = Math.min(entries.length - 1, state.q ?? first);
  root.append(chooser(context, panels, side, q), h("p", { class: "heads-quiet" }, words.word.note));
  const followed = panels.filter((one) => one.blocks[0].query_axis === side);
  root.append(
    h(
      "div",
      { class: "heads-strips" },
      followed.map((panel) => strip(context, panel, entries[q], q, followed.length)),
    ),
  );
}

/**
 * The side whose words are followed: that of the chosen kind of attention.
 * @param {Trace} _trace
 * @param {State} state
 * @param {Panel[]} panels
 */
function axisOf(_trace, state, panels) {
  return (panels.find((panel) => panel.kind === state.kind) ?? panels[0]).blocks[0].query_axis;
}

/**
 * All words of both sides in one list.
 * @param {Context} context
 * @param {Panel[]} panels
 * @param {string} side
 * @param {number} q
 */
function chooser(context, panels, side, q) {
  const { trace, state } = context;
  const sides = [...new Set(panels.map((panel) => panel.blocks[0].query_axis))];
  const groups = sides.map((name) => {
    const kind =
      panels.find((panel) => panel.blocks[0].query_axis === name && (panel.kind === state.kind || name !== side))
        ?.kind ?? panels[0].kind;
    const options = rowAxis(trace, name, state.unit, state.shift).map((entry, i) =>
      h("option", { value: `${kind} ${i}` }, labelOf(context, name, entry)),
    );
    return { kind, name, element: h("optgroup", { label: words.word.label[name] }, options) };
  });
  const value = `${/** @type {any} */ (groups.find((group) => group.name === side)).kind} ${q}`;
  /** @param {Event & {target: Control}} event */
  const onchange = (event) => {
    const [kind, place] = event.target.value.split(" ");
    context.set({ kind: /** @type {Kind} */ (kind), q: Number(place), k: null });
  };
  return h(
    "div",
    { class: "heads-bar" },
    h(
      "label",
      { class: "heads-choice" },
      h("span", {}, words.word.choose),
      h(
        "select",
        { dataset: { focus: "heads-word" }, value, onchange },
        groups.map((group) => group.element),
      ),
    ),
  );
}

/**
 * A row of the decoder reads one word and predicts the next: both are named, for a reader of words as whole words.
 * @param {Context} context
 * @param {AxisName} side
 * @param {AxisEntry} entry
 */
function labelOf({ trace, state }, side, entry) {
  const plain = state.depth === "words";
  /** @param {AxisEntry | undefined} one */
  const named = (one) => (one ? (plain ? plainName(one.full, one.special) : readable(one.full)) : "");
  if (side !== "reads") return named(entry);
  /** @param {AxisName} name @param {number} place */
  const at = (name, place) =>
    named(axis(trace, name, plain ? state.unit : "piece").find((one) => one.pieces.includes(place)));
  if (state.shift) return words.word.reads(at("reads", entry.pieces[0]), named(entry));
  const next = at("target", entry.pieces[entry.pieces.length - 1]);
  return next ? words.word.reads(named(entry), next) : named(entry);
}

/** @param {Context} context @param {Panel} panel @param {AxisEntry} entry @param {number} q @param {any} beside */
function strip(context, panel, entry, q, beside) {
  const { trace, state } = context;
  const pictures = panel.heads.map((head) => shownPicture(trace, head.block, head.head, { ...state, mass: 1 }));
  const { columns, columnsAt } = pictures[0];
  /** @param {any} of @param {any} Kind */
  const gather = (of, Kind) => {
    const out = new Kind(pictures.length * columns.length);
    pictures.forEach((picture, row) =>
      out.set(of(picture).data.slice(q * columns.length, (q + 1) * columns.length), row * columns.length),
    );
    return { rows: pictures.length, columns: columns.length, data: out };
  };
  const rows = panel.heads.map((head) => words.short(head.block.layer + 1, head.head + 1));
  const name = labelOf(context, panel.blocks[0].query_axis, entry);
  /** @param {number} row @param {number} column @param {boolean} pinned */
  const open = (row, column, pinned) => {
    if (!pinned) return;
    const head = panel.heads[row];
    context.go(state.opens, { kind: panel.kind, layer: head.block.layer, head: head.head, q, k: columnsAt[column] });
  };
  return matrix(context, {
    values: gather((/** @type {any} */ picture) => picture.weights, Float64Array),
    mask: pictures[0].mask ? gather((/** @type {any} */ picture) => picture.mask, Uint8Array) : null,
    rows,
    columns,
    title: words.word.title(words.kinds[panel.kind], name),
    name: `word-${panel.kind}`,
    cell: cellFor(context, rows, columns, beside),
    axes: [words.word.axis, words.word.keys],
    captions: [`${trace.model.name}: ${trace.source_text}`],
    onPick: open,
  });
}

/**
 * Cells low enough that the rows of a whole network fit a screen, and wide enough to be hit.
 * @param {Context} context
 * @param {any} rows
 * @param {any} columns
 * @param {any} beside
 */
function cellFor(context, rows, columns, beside) {
  const room = Math.max(360, context.width / beside) - 150;
  return Math.max(12, Math.min(22, Math.floor(620 / rows.length), Math.floor(room / columns.length)));
}
