/**
 * What-ifs: the original beside the changed, always.
 *
 * Two answers. What needs no model is computed here, from the stored scores of the chosen head. What the whole model
 * would do with the change is another trace: from the server, or from the document. The page says which is which.
 */

import { matrix } from "page/drawing/matrix";
import { h, word } from "page/elements/dom";
import { digits } from "page/numbers/numbers";
import { column, dot, length, row, slope, softmaxRows, spread } from "page/steps/arithmetic";
import { headOf, nameOf, weightsOf } from "page/steps/facts";
import { roomOf } from "page/steps/pictures";
import { OFFERS, SUPPOSE } from "page/steps/words-what-if";
import { axis, mask, role } from "page/trace/trace";
import { written } from "page/trace/what-if";

/** @import { Choice, Facts } from "page/steps/facts" */
/** @import { Picture } from "page/steps/scene-pictures" */
/** @import { Child, Context, Numbers, Trace } from "page/types" */

/**
 * The suppositions of a step, as they are written in the link.
 * @param {string} step
 * @param {Choice} choice
 * @param {Facts} facts
 */
export function offers(step, { block, head }, facts) {
  if (!block) return [];
  const here = `head-off:${block.id}:${head}`;
  const found = {
    position: facts.multihead ? ["no-positions", "shuffled-positions"] : [],
    // Plain products are what is left without the division by sqrt(d_k), which the step after this one offers.
    scores: block.score === "scaled-dot" ? ["score:cosine"] : [],
    scale: ["no-scale"],
    mask: facts.causal ? ["no-mask"] : [],
    softmax: ["soft", "local-m"].includes(facts.alignment) && !block.tensors.blank ? ["temperature"] : [],
    concat: block.heads > 1 ? [here] : [],
  };
  return found[/** @type {keyof typeof found} */ (step)] ?? [];
}

/** @param {any} supposed */
const kindOf = (supposed) =>
  supposed.startsWith("temperature") ? "temperature" : supposed.startsWith("head-off:") ? "head-off" : supposed;

/** The temperature in "temperature:0.5". @param {string} supposed */
export const temperatureOf = (supposed) => {
  const value = Number(supposed.split(":")[1]);
  return Number.isFinite(value) && value > 0 ? value : 1;
};

/**
 * The chosen head's weights with the change, from its stored scores; null where only the model can tell.
 * @param {Trace} trace
 * @param {Choice} choice
 * @param {string} supposed
 */
export function changedWeights(trace, choice, supposed) {
  const { block, head, rows, columns } = choice;
  const scores = headOf(role(trace, block, "scores"), head);
  if (!scores) return null;
  const usual = { scale: block.scale ?? 1, mask: mask(trace, block)?.data ?? null };
  /** @param {{scale?: number, mask?: Numbers | null, temperature?: number}} changes @param {Numbers} [given] */
  const with_ = (changes, given = scores) => softmaxRows(given, rows.length, columns.length, { ...usual, ...changes });
  switch (kindOf(supposed)) {
    case "no-scale":
      return with_({ scale: 1 });
    case "no-mask":
      return with_({ mask: null });
    case "temperature":
      return with_({ temperature: temperatureOf(supposed) });
    case "score:cosine": {
      const cosines = cosinesOf(trace, choice);
      return cosines ? with_({ scale: 1 }, cosines) : null;
    }
    default:
      return null;
  }
}

/** @param {Trace} trace @param {Choice} choice */
function cosinesOf(trace, { block, head, rows, columns }) {
  const [queries, keys] = [role(trace, block, "q"), role(trace, block, "k")];
  if (!queries || !keys) return null;
  const wide = queries.shape[2];
  const [q, k] = [headOf(queries, head), headOf(keys, head)];
  const found = new Float64Array(rows.length * columns.length);
  for (let i = 0; i < rows.length; i++)
    for (let j = 0; j < columns.length; j++) {
      const [query, key] = [row(q, wide, i), row(k, wide, j)];
      found[i * columns.length + j] = dot(query, key).sum / (length(query) * length(key) || 1);
    }
  return found;
}

/**
 * How much of what attention writes at the query comes through one head: the length of its part over that of all.
 * @param {Trace} trace
 * @param {Choice} choice
 */
export function contribution(trace, { block, head, q }) {
  const [made, matrix_, out] = ["head_out", "w_o", "out"].map((name) => role(trace, block, name));
  if (!made || !matrix_ || !out) return null;
  const each = made.shape[2];
  const mine = row(headOf(made, head), each, q);
  const wide = matrix_.shape[1];
  const part = Array.from(
    { length: wide },
    (_, d) => dot(mine, column(matrix_.data, wide, d).slice(head * each, (head + 1) * each)).sum,
  );
  return length(part) / length(row(out.data, wide, q));
}

/**
 * The panel under a step.
 * @param {Context} context
 * @param {string} step
 * @param {Choice} choice
 * @param {Facts} facts
 */
export function suppositions(context, step, choice, facts) {
  const { what_if: changed } = context.trace;
  if (changed)
    return h(
      "p",
      { class: "note changed-model" },
      SUPPOSE.changedModel,
      " ",
      h(
        "a",
        { href: context.link(context.state.view, { whatif: "", whatifBeside: written(changed) }) },
        SUPPOSE.backToOriginal,
      ),
    );
  const values = offers(step, choice, facts);
  if (!values.length) return null;
  const chosen =
    values.find(
      (/** @type {string} */ value) =>
        context.state.whatifBeside && kindOf(context.state.whatifBeside) === kindOf(value),
    ) ?? "";
  const supposed = chosen === "temperature" ? context.state.whatifBeside : chosen;
  /** @param {any} value @param {any} _name @param {string} label */
  const pick = (value, _name, label) =>
    h(
      "label",
      { class: "choice" },
      h("input", {
        type: "radio",
        name: "suppose",
        value,
        checked: chosen === value,
        dataset: { focus: `suppose-${value}` },
        onchange: () => context.set({ whatifBeside: value === "temperature" ? "temperature:2" : value }),
      }),
      label,
    );
  return h(
    "section",
    { class: "suppose", "aria-label": SUPPOSE.title },
    h("h3", {}, SUPPOSE.title),
    h(
      "div",
      { class: "choices", role: "radiogroup", "aria-label": SUPPOSE.title },
      pick("", "nothing", SUPPOSE.nothing),
      values.map(
        /** @type {any} */ (
          (/** @type {number} */ value) =>
            pick(value, value, OFFERS[/** @type {keyof typeof OFFERS} */ (kindOf(value))])
        ),
      ),
    ),
    chosen === "temperature" ? slider(context) : null,
    chosen
      ? [
          here(context, choice, facts, supposed),
          facts.multihead ? whole(context, choice, supposed) : h("p", { class: "quiet" }, SUPPOSE.onlyHere),
        ]
      : null,
  );
}

/** @param {Context} context */
function slider(context) {
  const now = temperatureOf(context.state.whatifBeside);
  const input = h("input", {
    type: "range",
    min: -2,
    max: 3,
    step: 0.25,
    value: Math.log2(now),
    "aria-valuetext": digits(now, 2),
    dataset: { focus: "temperature" },
    onchange: (event) =>
      context.set({ whatifBeside: `temperature:${Number((2 ** Number(event.target.value)).toFixed(3))}` }),
  });
  return h("label", { class: "temperature" }, SUPPOSE.temperature, input, h("output", {}, digits(now, 2)));
}

/**
 * Two matrices of weights side by side, and what happened to the chosen row.
 * @param {Context} context
 * @param {any} left
 * @param {any} right
 * @param {string} name
 */
function beside(context, left, right, name) {
  const half = roomOf(context.width - 32, "half");
  /** @param {any} one @param {string} title @param {string} side */
  const draw = (one, title, side) =>
    matrix(context, {
      values: one.values,
      rows: one.rows,
      columns: one.columns,
      mask: one.mask,
      title,
      name: `${name}-${side}`,
      cursor: one.cursor,
      width: half,
      axes: ["query", "key"],
      legend: false,
    });
  return h("div", { class: "pair" }, draw(left, SUPPOSE.before, "before"), draw(right, SUPPOSE.after, "after"));
}

/** @param {Trace} _trace @param {Choice} choice @param {any} data @param {any} covered */
const pictureOf = (_trace, choice, data, covered) => ({
  values: { rows: choice.rows.length, columns: choice.columns.length, data },
  rows: choice.rows,
  columns: choice.columns,
  mask: covered,
  cursor: { row: choice.q, column: choice.k },
});

/** @param {Context} context @param {Choice} choice @param {Facts} facts @param {string} supposed */
function here(context, choice, facts, supposed) {
  const { trace } = context;
  /** @param {...Child} children */
  const box = (...children) => h("div", { class: "here" }, h("h4", {}, SUPPOSE.here), children);
  if (kindOf(supposed) === "head-off") {
    const share = contribution(trace, choice);
    return share === null
      ? null
      : box(h("p", { dataset: { contribution: share } }, SUPPOSE.contribution(share, facts.head)));
  }
  const changed = changedWeights(trace, choice, supposed);
  if (!changed)
    return box(h("p", { class: "quiet" }, role(trace, choice.block, "scores") ? SUPPOSE.notComputed : SUPPOSE.notHere));
  const original = weightsOf(trace, choice);
  const covered = mask(trace, choice.block);
  const keys = choice.columns.length;
  return box(
    h("p", { class: "quiet" }, SUPPOSE.hereNote),
    beside(
      context,
      pictureOf(trace, choice, original, covered),
      pictureOf(trace, choice, changed, supposed === "no-mask" ? null : covered),
      "suppose-here",
    ),
    rowTable(choice, row(original, keys, choice.q), row(changed, keys, choice.q)),
  );
}

/**
 * The chosen row before and after, in the numbers that tell sharp from flat.
 * @param {Choice} choice
 * @param {any} before
 * @param {number} after
 */
function rowTable(choice, before, after) {
  const lines = [
    [SUPPOSE.largest, (/** @type {Numbers} */ one) => Math.max(...one)],
    [SUPPOSE.bits, (/** @type {Picture} */ one) => spread(one).bits],
    [SUPPOSE.places, (/** @type {Picture} */ one) => spread(one).places],
    [SUPPOSE.slope, slope],
  ];
  return h(
    "table",
    { class: "row-table" },
    h("caption", {}, SUPPOSE.rowOf(nameOf(choice.rows[choice.q]))),
    h(
      "thead",
      {},
      h("tr", {}, h("td", {}), h("th", { scope: "col" }, SUPPOSE.before), h("th", { scope: "col" }, SUPPOSE.after)),
    ),
    h(
      "tbody",
      {},
      lines.map(([name, of]) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, /** @type {any} */ (name)),
          h("td", {}, digits(/** @type {any} */ (of)(before), 4)),
          h("td", {}, digits(/** @type {any} */ (of)(after), 4)),
        ),
      ),
    ),
  );
}

/**
 * The changed trace, if it is here or can be asked for.
 * @param {Context} context
 * @param {Choice} choice
 * @param {string} supposed
 */
function whole(context, choice, supposed) {
  const { trace, state } = context;
  const changes = { whatif: supposed };
  const changed = context.want(changes, []);
  /** @param {...Child} children */
  const box = (...children) => h("div", { class: "whole" }, h("h4", {}, SUPPOSE.whole), children);
  if (!changed?.what_if?.name) {
    const failure = context.failed(changes);
    if (failure)
      return box(
        h("p", { class: "problem" }, [SUPPOSE.failed, failure.message, failure.hint].filter(Boolean).join(" ")),
      );
    if (context.waits(changes)) return box(h("p", { class: "waiting" }, SUPPOSE.waiting));
    return box(h("p", { class: "quiet" }, SUPPOSE.absent(trace.model.id)));
  }
  const same = changed.output.text === trace.output.text;
  const block = changed.blocks.find((one) => one.id === choice.block?.id);
  const note =
    /** @type {any} */ ({ "head-off": SUPPOSE.wholeHead, "no-mask": SUPPOSE.wholeMask })[kindOf(supposed)] ??
    SUPPOSE.wholeNote;
  /** @param {any} one */
  const probability = (one) =>
    h(
      "span",
      { class: "quiet logprob" },
      ` ${SUPPOSE.logprob} ${digits(
        one.steps.reduce(
          (/** @type {any} */ sum, /** @type {string} */ step) => sum + /** @type {any} */ (step).logprob,
          0,
        ),
        2,
      ).replace("-", "−")}`,
    );
  return box(
    h("p", { class: "quiet" }, note),
    h(
      "dl",
      { class: "translations" },
      h("dt", {}, SUPPOSE.original),
      h("dd", {}, word(trace.output.text), probability(trace)),
      h("dt", {}, SUPPOSE.changed),
      h("dd", { dataset: { changed: "yes" } }, word(changed.output.text), probability(changed)),
    ),
    same ? h("p", {}, SUPPOSE.same) : null,
    kindOf(supposed) === "head-off"
      ? h("p", {}, SUPPOSE.silent)
      : block
        ? beside(
            context,
            tracePicture(trace, choice.block, choice),
            tracePicture(changed, block, choice),
            "suppose-whole",
          )
        : null,
    h("p", {}, h("a", { href: context.link(state.view, { ...changes, whatifBeside: "" }) }, SUPPOSE.follow)),
  );
}

/** @param {Trace} trace @param {any} block @param {Choice} choice */
function tracePicture(trace, block, choice) {
  const [rows, columns] = [axis(trace, block.query_axis, "piece"), axis(trace, block.key_axis, "piece")];
  const data = headOf(role(trace, block, "weights"), choice.head);
  const inside = choice.q < rows.length && choice.k < columns.length;
  return {
    values: { rows: rows.length, columns: columns.length, data },
    rows,
    columns,
    mask: mask(trace, block),
    cursor: inside ? { row: choice.q, column: choice.k } : null,
  };
}
