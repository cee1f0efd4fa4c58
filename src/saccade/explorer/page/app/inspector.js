/**
 * The panel beside the view: what the chosen cell is, in words, digits or tensors, and whether the arithmetic agrees.
 */

import { check } from "page/app/checks";
import { words } from "page/app/words";
import { INSPECTOR } from "page/app/words-inspector";
import { h, word } from "page/elements/dom";
import { argmax, digits, entropy, percent, short, softmax, sum } from "page/numbers/numbers";
import { attention, cellOfHeads, row } from "page/trace/attention";
import { namedFor } from "page/trace/plain-names";
import { missing, role } from "page/trace/trace";

/** @import { Attention } from "page/trace/attention" */
/** @import { Child, Context, State, Trace } from "page/types" */

const ROLES = ["scores", "q", "k", "v"];

/** @param {HTMLElement} root @param {Context} context */
export function inspector(root, context) {
  const { trace } = context;
  if (!trace) return;
  root.append(h("h2", {}, INSPECTOR.title), cell(context), checks(trace));
}

/** @param {Context} context */
function cell(context) {
  const { trace, state } = context;
  const whole = attention(trace, state);
  if (!whole) return h("p", { class: "quiet-text" }, words.noAttention(trace));
  const found = {
    ...whole,
    rows: namedFor(whole.rows, state.depth),
    columns: namedFor(whole.columns, state.depth),
  };
  const [i, k] = [state.q, state.k];
  if (i === null || i >= found.rows.length) return suggestion(context, found);
  const looks = row(found, i);
  const j = k === null || k >= looks.length ? looks.indexOf(Math.max(...looks)) : k;
  const allowed = !found.mask || found.mask.data[i * found.columns.length + j];
  const box = h("div", { class: "cell", dataset: { cell: `${i},${j}` } });
  box.append(
    h("p", { class: "where" }, found.title),
    saying(context, found, i, j, looks, /** @type {any} */ (allowed)),
  );
  if (state.depth !== "words") box.append(numbers(context, found, i, j, looks, /** @type {any} */ (allowed)));
  box.append(strongest(context, found, looks));
  if (state.depth !== "words" && found.block.heads > 1 && !state.average) box.append(heads(context, found, i, j));
  if (state.depth === "tensors") box.append(tensors(context, found, i, j));
  return box;
}

/**
 * Before anything is chosen: the largest weight, one click away.
 * @param {Context} context
 * @param {Attention} found
 */
function suggestion({ state, set }, found) {
  const best = argmax(found.all.data);
  const [q, k] = [Math.floor(best / found.columns.length), best % found.columns.length];
  return h(
    "div",
    {},
    h("p", { class: "where" }, found.title),
    h("p", { class: "quiet-text" }, INSPECTOR.choose),
    h(
      "p",
      {},
      INSPECTOR.largest,
      h(
        "button",
        { type: "button", class: "quiet", onclick: () => set({ q, k }) },
        word(found.rows[q].full),
        " → ",
        word(found.columns[k].full),
        " ",
        h("span", { class: "number" }, weight(state, found.all.data[best])),
      ),
    ),
  );
}

/**
 * The cell as a sentence.
 * @param {Context} context
 * @param {Attention} found
 * @param {number} i
 * @param {number} j
 * @param {number[]} looks
 * @param {boolean} allowed
 */
function saying({ state }, found, i, j, looks, allowed) {
  const [from, to] = [word(found.rows[i].full), word(found.columns[j].full)];
  const how = found.block.query_axis !== "reads" ? "reading" : state.shift ? "writing" : "read";
  const [row, column] = [h("b", {}, from), h("b", {}, to)];
  return h(
    "p",
    { class: "say" },
    allowed
      ? INSPECTOR.looks[how](row, h("b", { class: "share" }, percent(looks[j])), column)
      : INSPECTOR.hidden[how](row, column),
  );
}

/** A weight as the depth wants it. @param {Readonly<State>} state @param {number} value */
const weight = ({ depth }, value) => (depth === "words" ? percent(value) : digits(value));

/** @param {string} name @param {Child} value @param {string | null} [title] */
function fact(name, value, title = null) {
  return [h("dt", { title }, name), h("dd", {}, value)];
}

/**
 * @param {Context} context
 * @param {Attention} found
 * @param {number} i
 * @param {number} j
 * @param {number[]} looks
 * @param {boolean} allowed
 */
function numbers({ trace, state }, found, i, j, looks, allowed) {
  const order = [...looks].sort((a, b) => b - a);
  const bits = found.block.sums_to_one
    ? fact(INSPECTOR.spread, INSPECTOR.bits(digits(entropy(looks), 2)), INSPECTOR.spreadWhy)
    : [];
  const list = h(
    "dl",
    { class: "facts" },
    fact(INSPECTOR.weight, allowed ? digits(looks[j]) : INSPECTOR.notAllowed),
    fact(INSPECTOR.rank, INSPECTOR.place(order.indexOf(looks[j]) + 1, looks.length)),
    fact(INSPECTOR.sum, digits(sum(looks))),
    bits,
    state.unit === "word"
      ? fact(
          INSPECTOR.pieces,
          `${found.rows[i].pieces.length} × ${found.columns[j].pieces.length}`,
          INSPECTOR.piecesWhy,
        )
      : null,
  );
  const worked = spelled(trace, found, state, i, j);
  return h("div", {}, list, worked);
}

/**
 * score times scale, through softmax, in digits: where the trace has the scores and a cell is one query and one key.
 * @param {Trace} trace
 * @param {Attention} found
 * @param {State} state
 * @param {number} i
 * @param {number} j
 */
function spelled(trace, found, state, i, j) {
  const scores = role(trace, found.block, "scores");
  const [rows, columns] = [found.rows[i].pieces, found.columns[j].pieces];
  if (!scores || found.head === "mean" || state.average || rows.length > 1 || columns.length > 1) return null;
  const [, queries, keys] = scores.shape;
  const at = (found.head * queries + rows[0]) * keys;
  const allowed = role(trace, found.block, "mask")?.data.subarray(rows[0] * keys, (rows[0] + 1) * keys);
  const scaled = Float64Array.from(scores.data.subarray(at, at + keys), (value) => value * found.block.scale);
  const score = scores.data[at + columns[0]];
  if (found.block.alignment !== "soft") return h("p", { class: "worked" }, INSPECTOR.score(short(score)));
  return h(
    "p",
    { class: "worked", title: INSPECTOR.recomputed },
    `${short(score)} × ${short(found.block.scale)} = ${short(score * found.block.scale)}, softmax → ` +
      `${digits(softmax(scaled, allowed)[columns[0]])}`,
  );
}

/**
 * The keys this row looks at most.
 * @param {Context} context
 * @param {Attention} found
 * @param {number[]} looks
 */
function strongest({ state, set, say }, found, looks) {
  const first = [...looks.keys()]
    .sort((a, b) => looks[b] - looks[a])
    .slice(0, 5)
    .filter((j) => looks[j] > 0.0005);
  return h(
    "ol",
    { class: "bars", "aria-label": INSPECTOR.strongest },
    first.map((j) =>
      h(
        "li",
        {},
        h(
          "button",
          {
            type: "button",
            class: "bar",
            onclick: () => {
              set({ k: j });
              say(`${found.columns[j].full}, ${weight(state, looks[j])}`);
            },
          },
          h("span", { class: "fill", style: { width: `${100 * looks[j]}%` } }),
          word(found.columns[j].full),
          h("span", { class: "number" }, weight(state, looks[j])),
        ),
      ),
    ),
  );
}

/**
 * What the other heads of this layer do at the same cell.
 * @param {Context} context
 * @param {Attention} found
 * @param {number} i
 * @param {number} j
 */
function heads({ trace, state, set }, found, i, j) {
  const values = cellOfHeads(trace, found.block, state, i, j);
  return h(
    "div",
    { class: "heads-here" },
    h("h3", {}, INSPECTOR.heads),
    h(
      "div",
      { class: "head-bars" },
      values.map((value, head) =>
        h(
          "button",
          {
            type: "button",
            "aria-pressed": String(found.head === head),
            title: INSPECTOR.head(head + 1, digits(value)),
            "aria-label": INSPECTOR.head(head + 1, digits(value)),
            onclick: () => set({ head }),
          },
          h("span", { class: "column" }, h("span", { class: "fill", style: { height: `${100 * value}%` } })),
          h("span", { class: "number" }, String(head + 1)),
        ),
      ),
    ),
  );
}

/** @param {Context} context @param {Attention} found @param {number} i @param {number} j */
function tensors(context, found, i, j) {
  const { trace, state, served } = context;
  const head = found.head === "mean" ? ":" : found.head;
  const [rows, columns] = [found.rows[i].pieces, found.columns[j].pieces].map((pieces) =>
    pieces.length === 1 ? String(pieces[0]) : `[${pieces.join(", ")}]`,
  );
  const stored = trace.tensors[found.block.tensors.weights];
  const lines = [
    h(
      "dl",
      { class: "facts" },
      fact(INSPECTOR.tensor.name, h("code", {}, `${found.block.tensors.weights}[${head}, ${rows}, ${columns}]`)),
      fact(INSPECTOR.tensor.shape, h("code", {}, `[${stored.shape.join(", ")}] ${stored.dtype}`)),
      fact(INSPECTOR.tensor.score, found.block.score),
      fact(INSPECTOR.tensor.scale, short(found.block.scale)),
    ),
  ];
  if (missing(trace, found.block, ROLES).length && found.block.tensors.scores) {
    const ask = () => context.want({}, [`block:${found.block.id}`]);
    lines.push(
      /** @type {any} */ (
        served
          ? h("button", { type: "button", class: "quiet", onclick: ask }, INSPECTOR.load)
          : h(
              "p",
              { class: "quiet-text" },
              words.missing(INSPECTOR.loadable, words.missingCommand(trace.model.name, state.sentence)),
            )
      ),
    );
  }
  return h("div", {}, lines);
}

/** The list of checks, folded unless one fails. @param {Trace} trace */
function checks(trace) {
  const here = check(trace);
  const program = Array.isArray(trace.checks)
    ? trace.checks.filter((one) => !here.some((other) => other.name === one.name))
    : [];
  const failed = [...here, ...program].filter((one) => !one.holds);
  /** @param {any} one */
  const line = (one) =>
    h(
      "li",
      { class: one.holds ? "holds" : "fails" },
      h("span", { "aria-hidden": "true" }, one.holds ? "✓" : "✗"),
      h("span", { class: "unseen" }, one.holds ? INSPECTOR.holds : INSPECTOR.fails),
      h("span", {}, INSPECTOR.checkNames[/** @type {keyof typeof INSPECTOR.checkNames} */ (one.name)] ?? one.name),
      h(
        "span",
        { class: "number", title: INSPECTOR.error(one.where, one.limit) },
        one.error === 0 ? INSPECTOR.exact : Number(one.error).toExponential(1),
      ),
    );
  return h(
    "details",
    {
      class: failed.length ? "checks bad" : "checks",
      open: failed.length > 0,
      dataset: { checks: failed.length ? "fail" : "hold" },
    },
    h(
      "summary",
      {},
      failed.length ? INSPECTOR.checksFail(failed.length) : `✓ ${INSPECTOR.checksHold(here.length + program.length)}`,
    ),
    h("p", { class: "quiet-text" }, `${INSPECTOR.byPage}:`),
    h("ul", {}, here.map(line)),
    program.length
      ? [h("p", { class: "quiet-text" }, `${INSPECTOR.byProgram}:`), h("ul", {}, program.map(line))]
      : null,
  );
}
