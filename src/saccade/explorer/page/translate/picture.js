/**
 * The picture between a sentence and its translation: where the model looked, or which words mattered. The first is
 * attention, which is not why a word was written; the second is measured by leaving words out.
 */

import { words } from "page/app/words";
import { links } from "page/drawing/alignment-curves";
import { matrix } from "page/drawing/matrix";
import { segmented } from "page/elements/controls";
import { h } from "page/elements/dom";
import { HEAT } from "page/heat/words";
import { alignment, influence, source } from "page/trace/attention";
import { isLeftOut, namedFor } from "page/trace/plain-names";
import { TRANSLATE } from "page/translate/words";

/** @import { AxisEntry, Context, Matrix, State, Trace } from "page/types" */

/** @typedef {{rows: AxisEntry[], columns: AxisEntry[], weights: Matrix}} Weights */

const MOST_LINKED = 20;

/** @param {HTMLElement} root @param {Context} context @param {number | null} until */
export function picture(root, context, until) {
  const { trace, state, set } = context;
  const looked = alignment(trace, state.unit);
  if (!looked) {
    root.append(h("p", { class: "explain" }, withoutAlignment(trace)));
    return;
  }
  const mattered = state.opinion !== "attention";
  root.append(
    segmented(
      words.picture,
      [
        { value: "attention", name: words.looked },
        { value: "occlusion", name: words.mattered },
      ],
      mattered ? "occlusion" : "attention",
      (opinion) => set({ opinion }),
    ),
  );
  const measured = mattered ? shares(influence(trace, "occlusion", state.unit)) : looked;
  const found = measured && withoutMarks(measured, state.depth);
  if (found) drawn(root, context, found, until, mattered ? words.matteredTitle : words.lookedTitle);
  else root.append(h("p", { class: "note" }, absent(context)));
  root.append(mattered ? h("p", { class: "quiet-text" }, words.matteredWhy) : origin(context));
}

/**
 * The picture as the depth wants it: a reader of words sees words alone. Nothing is divided again, so what went to the
 * end of the sentence is missing from its lines.
 * @param {Weights} found
 * @param {State["depth"]} depth
 * @returns {Weights}
 */
export function withoutMarks({ rows, columns, weights }, depth) {
  /** @param {AxisEntry[]} entries */
  const kept = (entries) => [...entries.keys()].filter((i) => !isLeftOut(entries[i], depth));
  const [down, across] = [kept(rows), kept(columns)];
  const data = Float64Array.from(down.flatMap((i) => across.map((j) => weights.data[i * weights.columns + j])));
  return {
    rows: namedFor(
      down.map((i) => rows[i]),
      depth,
    ),
    columns: namedFor(
      across.map((j) => columns[j]),
      depth,
    ),
    weights: { rows: down.length, columns: across.length, data },
  };
}

/** @param {Trace} trace */
function withoutAlignment(trace) {
  if (trace.blocks.some((block) => block.kind === "cross")) return TRANSLATE.noAlignment;
  return trace.blocks.length ? words.noCross : words.noAttention(trace);
}

/** Why there is nothing to draw yet. @param {Context} context */
function absent(context) {
  if (context.waits()) return words.waiting;
  const { trace, state } = context;
  return (
    context.failed()?.message ?? words.missing(HEAT.influence, words.missingCommand(trace.model.name, state.sentence))
  );
}

/**
 * Losses as shares of what each row lost; a gain counts nothing.
 * @param {Weights | null} found
 */
function shares(found) {
  if (!found) return null;
  const { rows, columns } = found.weights;
  const data = Float64Array.from(found.weights.data, (value) => Math.max(0, value));
  for (let i = 0; i < rows; i++) {
    const line = data.subarray(i * columns, (i + 1) * columns);
    const total = line.reduce((sum, value) => sum + value, 0);
    if (total > 0)
      line.forEach((value, j) => {
        line[j] = value / total;
      });
  }
  return { ...found, weights: { rows, columns, data } };
}

/**
 * @param {HTMLElement} root
 * @param {Context} context
 * @param {Weights} found
 * @param {number | null} until
 * @param {string} title
 */
function drawn(root, context, found, until, title) {
  const { trace, state, set } = context;
  const captions = source(trace, { hide: false, share: false, mass: 1 });
  const chosen = until === null ? null : found.rows.findIndex((row) => row.pieces.includes(until - 1));
  if (Math.max(found.rows.length, found.columns.length) <= MOST_LINKED && !state.table) {
    /** @param {number} i */
    const pick = (i) => set({ step: chosen === i ? null : found.rows[i].pieces.at(-1) });
    const from = until === null ? null : found.rows.findIndex((row) => row.pieces[0] >= until);
    root.append(
      links(context, {
        title,
        name: "alignment",
        rows: found.rows,
        columns: found.columns,
        weights: found.weights,
        chosen: chosen === -1 ? null : chosen,
        captions,
        onRow: pick,
        until: from === -1 ? null : from,
      }),
    );
    return;
  }
  root.append(
    matrix(context, {
      values: found.weights,
      rows: found.rows,
      columns: found.columns,
      title,
      name: "alignment",
      captions,
      axes: [TRANSLATE.axes.writes, TRANSLATE.axes[state.opinion === "attention" ? "looks" : "influenced"]],
      cursor: null,
      shown: until === null ? undefined : (/** @type {number} */ i) => found.rows[i].pieces[0] < until,
      /** @param {number} i */
      onPick: (i) => set({ step: found.rows[i].pieces.at(-1) }),
    }),
  );
}

/** Which attention is drawn, and the way to its numbers. @param {Context} context */
function origin(context) {
  const { trace, state } = context;
  const blocks = /** @type {NonNullable<typeof trace.alignment>} */ (trace.alignment).blocks
    .map((id) => trace.blocks.find((block) => block.id === id))
    .filter((block) => block !== undefined);
  const layers = blocks.map((block) => TRANSLATE.layer(block.layer + 1)).join(", ");
  const numbers = { kind: "cross", layer: blocks[0]?.layer ?? null, head: "mean", shift: true, q: null, k: null };
  return h(
    "p",
    { class: "quiet-text" },
    TRANSLATE.origin(
      layers,
      blocks.some((block) => block.heads > 1),
    ),
    h("a", { href: context.link("heat", /** @type {any} */ (numbers)) }, TRANSLATE.numbers),
    `. ${state.depth === "words" ? `${TRANSLATE.noEnd} ` : ""}${words.caution}`,
  );
}
