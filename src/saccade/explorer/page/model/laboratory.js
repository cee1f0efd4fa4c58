/**
 * The laboratory of the view Model: layer norm against batch norm, and how long vectors are, on this sentence's
 * numbers.
 */

import { matrix } from "page/drawing/matrix";
import { select } from "page/elements/controls";
import { h, word } from "page/elements/dom";
import { affine, apart, EPSILON, moved, overPositions, overWidth, replaced } from "page/model/normalization";
import { MODEL } from "page/model/words";
import { extent, short } from "page/numbers/numbers";
import { namedFor } from "page/trace/plain-names";
import { axis, blocks, chosen, kinds, role } from "page/trace/trace";

/** @import { AxisEntry, Block, Context, Numbers, State, Trace } from "page/types" */

/** Places of the vector that are shown: what fits three times side by side. */
const PLACES = 16;

/** Words that are listed; all of them are computed with. */
export const LISTED = 40;

/** @param {Trace} trace @param {Block} block */
const intoNorm = (trace, block) =>
  block?.norm ? role(trace, block, block.norm === "post" ? "resid_sum" : "resid_in") : null;

const KIND_OF = {
  encoder: () => "enc" /** @param {Block} block */,
  /** @param {Block} block */
  decoder: (block) => (block.kind === "cross" ? "cross" : "dec"),
};

/**
 * What goes into a norm of the chosen block; without norms, some states of the model; null where the trace has none.
 * @param {Trace} trace
 * @param {State} state
 * @param {boolean} served
 */
function material(trace, state, served) {
  let { block } = chosen(trace, state);
  // A file may hold the numbers of one block only, and then that one is shown.
  if (!served && !intoNorm(trace, /** @type {NonNullable<typeof block>} */ (block)))
    block = trace.blocks.find((one) => intoNorm(trace, one)) ?? block;
  if (block?.norm) {
    const states = intoNorm(trace, block);
    if (!states) return null;
    const kind = KIND_OF[block.stack](block);
    const called = MODEL.kinds[/** @type {keyof typeof MODEL.kinds} */ (kind)];
    const name = MODEL.labName(called, block.layer + 1);
    return { states, tokens: axis(trace, block.query_axis, "piece"), said: MODEL.source.normed(name), block, kind };
  }
  const sum = role(trace, trace.embedding?.source, "sum") ?? role(trace, trace.embedding?.source, "token");
  if (sum) return { states: sum, tokens: axis(trace, "source", "piece"), said: MODEL.source.sum, block: null };
  const encoder = trace.recurrent?.layers?.find((layer) => layer.stack === "encoder");
  const read = role(trace, encoder, "states");
  // States stand in the order they were read in.
  if (read)
    return {
      states: read,
      tokens: inOrder(axis(trace, "source", "piece"), /** @type {NonNullable<typeof encoder>} */ (encoder).order),
      said: MODEL.source.recurrent,
      block: null,
    };
  const memory = trace.memory?.kind === "list" ? role(trace, trace.memory, "states") : null;
  return memory
    ? { states: memory, tokens: axis(trace, "source", "piece"), said: MODEL.source.memory, block: null }
    : null;
}

/** @param {AxisEntry[]} tokens @param {any} order */
const inOrder = (tokens, order) =>
  order && order.length === tokens.length ? order.map((/** @type {number} */ place) => tokens[place]) : tokens;

/**
 * What the laboratory needs in the trace.
 * @param {State} state
 * @param {Trace} trace
 */
export function labNeeds(state, trace) {
  const { block } = chosen(trace, state);
  return [...(block?.norm ? [`block:${block.id}`] : []), "embedding", "memory", ...(block?.norm ? [] : ["recurrent"])];
}

/** @param {AxisEntry[]} tokens */
export const named = (tokens) => tokens.map((token) => ({ ...token, label: token.label.replace(/^▁(?=.)/, "") }));

/** @param {Context} context @returns {HTMLElement} */
export function normLab(context) {
  const { trace, state } = context;
  const section = h(
    "section",
    { "aria-labelledby": "model-lab", class: "norm-lab" },
    h("h2", { id: "model-lab" }, MODEL.lab),
    h("p", {}, MODEL.labLead),
  );
  const found = material(trace, state, context.served);
  if (!found) {
    const none =
      !chosen(trace, state).block?.norm &&
      !trace.embedding?.source &&
      trace.memory?.kind !== "list" &&
      !trace.recurrent;
    if (!context.waits())
      section.append(h("p", { class: "note" }, none ? MODEL.noLab : (context.failed()?.message ?? MODEL.missing)));
    return section;
  }
  const { states, said, block } = found;
  const [rows, width] = states.shape;
  if (rows < 2) return section;
  const tokens = named(namedFor(found.tokens, state.depth));
  const epsilon = block?.epsilon ?? EPSILON;
  const layer = overWidth(states.data, rows, width, epsilon);
  const batch = overPositions(states.data, rows, width, epsilon);
  section.append(block ? pickers(context, block, found.kind) : "", h("p", { class: "quiet-text" }, said));
  if (state.depth === "tensors" && block)
    section.append(h("p", {}, h("code", {}, MODEL.tensors(tensorNames(trace, block)))));
  // In words, what happens is enough; the numbers it happens to come with the other depths.
  if (state.depth !== "words")
    section.append(panels(context, tokens, { before: states.data, layer, batch }, rows, width));
  const own = block ? agreement(trace, block, layer, rows, width) : null;
  if (own !== null) section.append(h("p", { dataset: { fact: "norm" } }, MODEL.again(own)));
  section.append(experiment(context, tokens, states.data, rows, width, epsilon, layer, batch));
  return section;
}

/** @param {Trace} trace @param {Block} block */
const tensorNames = (trace, block) =>
  [block.norm === "post" ? "resid_sum" : "resid_in", "norm_gain", "norm_shift", "norm_out"]
    .filter((name) => role(trace, block, name))
    .map((name) => [block.tensors[name], /** @type {any} */ (role(trace, block, name)).shape]);

/**
 * How far our layer norm, with the model's gain and shift, is from what the model computed.
 * @param {Trace} trace
 * @param {Block} block
 * @param {any} layer
 * @param {number} rows
 * @param {number} width
 */
function agreement(trace, block, layer, rows, width) {
  const [gain, shift, out] = ["norm_gain", "norm_shift", "norm_out"].map((name) => role(trace, block, name));
  return gain && shift && out ? apart(affine(layer, rows, width, gain.data, shift.data), out.data) : null;
}

/** @param {Context} context @param {Block} block @param {any} kind */
function pickers(context, block, kind) {
  const { trace } = context;
  return h(
    "div",
    { class: "lab-pickers" },
    select(
      MODEL.labKind,
      kinds(trace).map((value) => ({ value, name: MODEL.kinds[value] })),
      kind,
      (value) => context.set({ kind: value }),
    ),
    select(
      MODEL.labLayer,
      blocks(trace, kind).map((one) => ({ value: one.layer, name: String(one.layer + 1) })),
      block.layer,
      (layer) => context.set({ layer }),
    ),
  );
}

/**
 * @param {Context} context
 * @param {AxisEntry[]} tokens
 * @param {any} values
 * @param {number} count
 * @param {number} width
 */
function panels(context, tokens, values, count, width) {
  const shown = Math.min(PLACES, width);
  const rows = Math.min(LISTED, count);
  const columns = Array.from({ length: shown }, (_, place) => MODEL.place(place + 1));
  /** @param {Numbers} data */
  const first = (data) => {
    const out = new Float64Array(rows * shown);
    for (let i = 0; i < rows; i++) for (let j = 0; j < shown; j++) out[i * shown + j] = data[i * width + j];
    return { rows, columns: shown, data: out };
  };
  // The two normed pictures share one scale: they are there to be compared.
  const limit = Math.max(extent(first(values.layer).data), extent(first(values.batch).data));
  const beside = context.width >= 960 ? 3 : context.width >= 640 ? 2 : 1;
  /** @param {string} name */
  const panel = (name) =>
    matrix(context, {
      values: first(values[name]),
      rows: tokens.slice(0, rows),
      columns,
      scale: "diverging",
      limit: name === "before" ? undefined : limit,
      name: `norm-${name}`,
      title: `${MODEL.panels[/** @type {keyof typeof MODEL.panels} */ (name)]} (${MODEL.firstPlaces(shown, width)})`,
      axes: MODEL.labAxes,
      width: Math.floor(context.width / beside) - 24,
    });
  return h(
    "div",
    {},
    h("div", { class: "lab-panels" }, panel("before"), panel("layer"), panel("batch")),
    onlyFirst(count),
  );
}

/** What is said where words are left out. @param {number} count */
export const onlyFirst = (count) => (count > LISTED ? h("p", { class: "note" }, MODEL.listed(LISTED, count)) : "");

/**
 * The row most unlike the chosen one: what is put in its place.
 * @param {Numbers} data
 * @param {number} rows
 * @param {number} width
 * @param {number} row
 */
function mostUnlike(data, rows, width, row) {
  let best = row === 0 ? 1 : 0;
  let most = -1;
  for (let other = 0; other < rows; other++) {
    let distance = 0;
    for (let j = 0; j < width; j++) distance += (data[row * width + j] - data[other * width + j]) ** 2;
    if (other !== row && distance > most) [best, most] = [other, distance];
  }
  return best;
}

/**
 * @param {Context} context
 * @param {AxisEntry[]} tokens
 * @param {Numbers} data
 * @param {number} rows
 * @param {number} width
 * @param {number} epsilon
 * @param {any} layer
 * @param {any} batch
 */
function experiment(context, tokens, data, rows, width, epsilon, layer, batch) {
  const first = Math.max(
    0,
    tokens.findIndex((token) => !token.special),
  );
  const row = Math.min(context.state.swap ?? first, rows - 1);
  const by = mostUnlike(data, rows, width, row);
  const changed = replaced(data, width, row, by);
  const layerMoved = moved(layer, overWidth(changed, rows, width, epsilon), rows, width);
  const batchMoved = moved(batch, overPositions(changed, rows, width, epsilon), rows, width);
  const others = tokens.map((_, at) => at).filter((at) => at !== row);
  const most = Math.max(...layerMoved, ...batchMoved) || 1;
  /** @param {number} value */
  const bar = (value) =>
    h(
      "td",
      {},
      h("span", { class: "lab-bar", style: { "--share": String(value / most) }, "aria-hidden": "true" }),
      h("span", {}, value === 0 ? "0" : short(value)),
    );
  const pick = select(
    MODEL.swap,
    tokens.map((token, at) => ({ value: at, name: `${at + 1}. ${token.label}` })),
    row,
    (swap) => context.set({ swap }),
  );
  const body = others
    .slice(0, LISTED)
    .map((at) =>
      h("tr", {}, h("th", { scope: "row" }, word(tokens[at].label)), bar(layerMoved[at]), bar(batchMoved[at])),
    );
  const layerMost = Math.max(...others.map((at) => layerMoved[at]));
  const batchMost = Math.max(...others.map((at) => batchMoved[at]));
  return h(
    "div",
    { class: "norm-experiment", dataset: { experiment: "norm" } },
    h("p", {}, pick),
    h(
      "p",
      {},
      MODEL.swapped(word(tokens[row].label, { class: "lab-chip" }), word(tokens[by].label, { class: "lab-chip" })),
    ),
    h("p", { dataset: { fact: "swap" } }, h("strong", {}, MODEL.verdict(layerMost, batchMost, others.length))),
    h(
      "div",
      {
        class: "table-scroll",
        tabindex: "0",
        role: "group",
        "aria-label": MODEL.lab,
        dataset: { scroll: "swap", focus: "swap-table" },
      },
      h(
        "table",
        { class: "lab-table barred" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            MODEL.swapColumns.map((name) => h("th", { scope: "col" }, name)),
          ),
        ),
        h("tbody", {}, body),
      ),
    ),
    onlyFirst(others.length),
  );
}
