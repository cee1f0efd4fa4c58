/** The attention of every head on one line, as the network was at the moment that is shown. */
import { words } from "page/app/words";
import { matrix } from "page/drawing/matrix";
import { segmented } from "page/elements/controls";
import { h } from "page/elements/dom";
import { visible } from "page/train/line";
import { END } from "page/train/tasks";
import { TRAIN } from "page/train/words";

/** @import { Look } from "page/train/trainer" */
/** @import { Context, Kind } from "page/types" */

/** @param {Context} context */
export function kinds({ state, set }) {
  /** @type {Kind[]} */
  const known = ["cross", "enc", "dec"];
  return h(
    "div",
    {},
    segmented(
      TRAIN.maps,
      known.map((value) => ({ value, name: words.kinds[value], title: words.kindTitles[value] })),
      state.kind,
      (kind) => set({ kind, q: null, k: null }),
    ),
    h("p", { class: "quiet-text" }, TRAIN.mapsWhy[state.kind]),
  );
}

/** @param {Context} context @param {Look} look @param {number} heads */
export function maps(context, look, heads) {
  const { kind } = context.state;
  const source = [...look.source, END].map(visible);
  const reads = [END, ...look.right].map(visible);
  const writes = [...look.right, END].map(visible);
  const rows = kind === "enc" ? source : writes;
  const columns = kind === "dec" ? reads : source;
  const layers = look.weights[kind];
  const size = rows.length * columns.length;
  const mask = kind === "dec" ? { data: rows.flatMap((_, i) => columns.map((_, j) => Number(j <= i))) } : null;
  return h(
    "div",
    { class: "train-maps" },
    layers.flatMap((weights, layer) =>
      Array.from({ length: heads }, (_, head) =>
        matrix(context, {
          values: {
            rows: rows.length,
            columns: columns.length,
            data: weights.subarray(head * size, (head + 1) * size),
          },
          rows,
          columns,
          mask,
          axes: TRAIN.mapAxes[kind],
          title: TRAIN.map(layer, head, layers.length, heads),
          captions: [TRAIN.moment(look.step)],
          name: `train-${kind}-${layer + 1}-${head + 1}`,
          cell: heads > 2 || context.width < 500 ? 20 : 28,
          legend: false,
        }),
      ),
    ),
  );
}
