/** Draws what page/steps/scene lists, and the tables that go with some steps. */

import { matrix } from "page/drawing/matrix";
import { h, word } from "page/elements/dom";
import { digits, percent } from "page/numbers/numbers";
import { row } from "page/steps/arithmetic";
import { allowedOf, blankWeight, nameOf, readAxis, roundOf, softmaxOf, weightsOf } from "page/steps/facts";
import { strip } from "page/steps/vector-strip";
import { SAY } from "page/steps/words";
import { PICTURES, TABLES } from "page/steps/words-pictures";
import { plainName } from "page/trace/plain-names";

/** @import { Choice, Facts } from "page/steps/facts" */
/** @import { Picture } from "page/steps/scene-pictures" */
/** @import { Line } from "page/steps/terms" */
/** @import { Context, Token } from "page/types" */

const MOST_KEYS = 12;

/**
 * The pixels of a picture that stands alone, beside one other, or beside two; on a narrow page each stands alone.
 * @param {number} width
 * @param {any} room
 */
export function roomOf(width, room) {
  if ((room === "half" || room === "tall") && width > 760) return Math.floor(width / 2) - 20;
  if (room === "third" && width > 760) return Math.floor(width / 3) - 24;
  return width;
}

/**
 * One picture.
 * @param {Context} context
 * @param {Picture} one
 * @param {string} step
 */
export function picture(context, one, step) {
  const width = roomOf(context.width, one.room);
  const title =
    context.state.depth === "tensors"
      ? `${PICTURES[/** @type {keyof typeof PICTURES} */ (one.key)]} · ${one.name}`
      : PICTURES[/** @type {keyof typeof PICTURES} */ (one.key)];
  const shared = {
    title,
    name: `${step}-${one.key}`,
    captions: [one.name],
    cursor: one.cursor,
    width,
    /** @param {number} i @param {number} j */
    onPick: (i, j) => {
      const changes = one.pick?.(i, j);
      if (changes) context.set(changes);
    },
  };
  if (one.kind === "strip")
    return strip(context, {
      ...shared,
      shape: one.shape,
      values: one.values,
      rows: one.rows,
      limit: one.limit,
      bands: one.bands,
      band: one.band,
    });
  return matrix(context, {
    ...shared,
    values: one.values,
    rows: one.rows,
    columns: one.columns,
    mask: one.mask,
    scale: one.scale,
    limit: one.limit,
    axes: ["query", "key"],
  });
}

/**
 * The pieces with their numbers in the vocabulary.
 * @param {Context} context
 * @param {Choice} choice
 */
export function pieces(context, choice) {
  const read = readAxis(context.trace);
  const inWords = context.state.depth === "words";
  const mineIs = choice.block?.query_axis ?? read;
  const axes = ["source", "reads"].filter((name) => name === mineIs || name === read);
  return axes.map((name) => {
    const { tokens } = context.trace.axes[/** @type {keyof typeof context.trace.axes} */ (name)];
    const mine = name === mineIs;
    return h(
      "figure",
      { class: "pieces" },
      h(
        "figcaption",
        {},
        h("span", { class: "matrix-title" }, TABLES.pieces[/** @type {keyof typeof TABLES.pieces} */ (name)]),
        h("span", { class: "shape" }, String(tokens.length)),
      ),
      h(
        "ol",
        { class: "chips", start: "0" },
        tokens.map((/** @type {Token} */ token, /** @type {number} */ i) =>
          h(
            "li",
            {
              class:
                [
                  token.special ? "special" : "",
                  mine && i === choice.q ? "chosen" : "",
                  inWords && i > 0 && !token.special && token.word === tokens[i - 1].word ? "goes-on" : "",
                ]
                  .filter(Boolean)
                  .join(" ") || null,
            },
            word(inWords ? plainName(token.piece, token.special) : token.piece),
            inWords ? null : h("span", { class: "id" }, String(token.id)),
          ),
        ),
      ),
    );
  });
}

/**
 * The chosen row of softmax as numbers: the heaviest keys, and the rest in one line.
 * @param {Context} context
 * @param {Choice} choice
 * @param {Facts} facts
 */
export function rowOfKeys(context, choice, facts) {
  const { trace } = context;
  const weights = row(weightsOf(trace, choice), choice.columns.length, choice.q);
  const computed = ["soft", "local-m"].includes(facts.alignment) ? softmaxOf(trace, choice) : null;
  const blank = blankWeight(trace, choice);
  const allowed = allowedOf(trace, choice);
  const order = [...weights.keys()].filter((j) => !allowed || allowed[j]).sort((a, b) => weights[b] - weights[a]);
  const covered = weights.length - order.length;
  const shown = order.slice(0, MOST_KEYS);
  const rest = order.slice(MOST_KEYS).reduce((sum, j) => sum + weights[j], 0);
  /** @param {number} weight */
  const bar = (weight) =>
    h("span", { class: "weight-bar", "aria-hidden": "true", style: { width: `${(100 * weight).toFixed(1)}%` } });
  const inWords = context.state.depth === "words";
  const made = inWords ? null : computed;
  const sums = made ? [TABLES.scaled(facts), TABLES.shifted, TABLES.power] : [];
  const head = [TABLES.key, ...sums, TABLES.weight];
  /** @param {string[]} texts */
  const columns = (...texts) => (made ? texts.map((text) => h("td", {}, text)) : null);
  /** @param {number} j */
  const line = (j) =>
    h(
      "tr",
      { class: j === choice.k ? "chosen" : null, dataset: { key: j } },
      h("th", { scope: "row" }, word(nameOf(choice.columns[j]))),
      made
        ? columns(
            minus(digits(made.scaled[j], 4)),
            minus(digits(made.scaled[j] - made.largest, 4)),
            digits(made.exponentials[j], 4),
          )
        : null,
      h("td", { class: "weight" }, facts.amount(weights[j], 4)),
      h("td", { class: "bar-cell" }, bar(weights[j])),
    );
  const tail =
    order.length > MOST_KEYS
      ? h(
          "tr",
          {},
          h("th", { scope: "row" }, TABLES.others(order.length - MOST_KEYS)),
          columns("", "", ""),
          h("td", {}, facts.amount(rest, 4)),
          h("td", { class: "bar-cell" }, bar(rest)),
        )
      : null;
  const hidden = covered
    ? h(
        "tr",
        { class: "quiet" },
        h("th", { scope: "row" }, TABLES.covered(covered)),
        columns("−∞", "−∞", "0"),
        h("td", {}, "0"),
        h("td", {}),
      )
    : null;
  const empty =
    blank === null
      ? null
      : h(
          "tr",
          {},
          h("th", { scope: "row" }, TABLES.blank),
          made ? columns("", "", digits(/** @type {NonNullable<typeof made.blank>} */ (made.blank), 4)) : null,
          h("td", { class: "weight" }, facts.amount(blank, 4)),
          h("td", { class: "bar-cell" }, bar(blank)),
        );
  const total = h(
    "tr",
    { class: "total" },
    h("th", { scope: "row" }, TABLES.sum),
    made ? columns("", "", digits(made.total, 4)) : null,
    h("td", {}, facts.amount(facts.rowSum + (blank ?? 0), 4)),
    h("td", {}),
  );
  const table = h(
    "table",
    { class: "row-of-keys" },
    h("caption", {}, TABLES.rowOf(facts.query)),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        head.map((name) => h("th", { scope: "col" }, name)),
        h("td", {}),
      ),
    ),
    h("tbody", {}, shown.map(line), tail, empty, hidden, total),
  );
  return h(
    "div",
    {
      class: "table-scroll",
      tabindex: "0",
      role: "group",
      "aria-label": TABLES.rowOf(facts.query),
      dataset: { scroll: "row-of-keys", focus: "row-of-keys" },
    },
    table,
  );
}

/**
 * The likeliest next pieces.
 * @param {Context} context
 * @param {Choice} choice
 */
export function candidates(context, choice) {
  const { trace, state } = context;
  const inWords = state.depth === "words";
  const step = trace.steps[roundOf(trace, choice, state.step)];
  const written = trace.axes.target.tokens[step.predicts];
  /** @param {any} one */
  const line = (one) =>
    h(
      "tr",
      { class: one.id === written?.id ? "chosen" : null },
      h("th", { scope: "row" }, word(one.text || one.piece)),
      inWords ? null : h("td", {}, minus(digits(one.logit, 4))),
      h("td", { class: "weight" }, inWords ? percent(one.p) : digits(one.p, 4)),
      h(
        "td",
        { class: "bar-cell" },
        h("span", { class: "weight-bar", "aria-hidden": "true", style: { width: `${(100 * one.p).toFixed(1)}%` } }),
      ),
    );
  return h(
    "table",
    { class: "row-of-keys candidates" },
    h("caption", {}, TABLES.candidates(written ? written.text || written.piece : "")),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        [TABLES.piece, ...(inWords ? [] : [TABLES.logit]), TABLES.probability].map((name) =>
          h("th", { scope: "col" }, name),
        ),
        h("td", {}),
      ),
    ),
    h("tbody", {}, step.top.map(line)),
  );
}

/** Lines of digits; under them, how far the page's sums are from the model's own numbers. @param {Line[]} lines */
export function digitLines(lines) {
  const compared = lines.filter(({ result, stored, parts }) => result !== null && stored !== null && parts.length);
  const apart = Math.max(
    0,
    ...compared.map(({ result, stored }) =>
      Math.abs(/** @type {NonNullable<typeof result>} */ (result) - /** @type {NonNullable<typeof stored>} */ (stored)),
    ),
  );
  const off = compared.find((line) => !fits(line));
  const check = off
    ? h(
        "p",
        { class: "check bad" },
        SAY.disagrees(
          digits(/** @type {NonNullable<typeof off.result>} */ (off.result)),
          digits(/** @type {NonNullable<typeof off.stored>} */ (off.stored)),
        ),
      )
    : compared.length
      ? h("p", { class: "check quiet" }, `✓ ${apart === 0 ? SAY.exact : SAY.agrees(apart.toExponential(1))}`)
      : null;
  return h("div", { class: "spelled" }, h("h3", {}, SAY.cell), lines.map(spelledLine), check);
}

/** Within what single precision loses in a sum of a thousand terms. @param {any} given */
const fits = ({ result, stored }) => Math.abs(result - stored) <= 1e-3 * Math.max(1, Math.abs(stored));

/** @param {Line} line */
function spelledLine(line) {
  const { name, parts, result, stored } = line;
  const value = result === null ? null : stored !== null && fits(line) ? stored : result;
  return h(
    "p",
    { class: "sum", dataset: { line: name } },
    h("b", {}, name),
    parts.map((part) => [" = ", h("span", { class: "part" }, part)]),
    value === null ? null : [" = ", h("output", {}, minus(digits(value, 4)))],
  );
}

/** @param {any} text */
const minus = (text) => text.replace("-", "−");
