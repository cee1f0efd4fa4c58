/**
 * What the model wrote, and what else it could have written: a row for each decoding step, or, where a reader wants
 * words, for each word.
 */

import { h, word } from "page/elements/dom";
import { digits, percent } from "page/numbers/numbers";
import { isLeftOut, plainName, plainPiece } from "page/trace/plain-names";
import { axis } from "page/trace/trace";
import { TRANSLATE } from "page/translate/words";

/** @import { Child, Context, Step, Trace } from "page/types" */

const MOST_ROWS = 24;

/**
 * A row: what its button says, where that leads, and what was written with which probability.
 * @typedef {object} Row
 * @property {number} at  counted from 1
 * @property {number} step  the last decoding step of the row
 * @property {string | null} reads
 * @property {string} writes
 * @property {number} p
 * @property {{name: string, p: number, taken: boolean}[]} candidates
 */

/** A row for each decoding step. @param {Trace} trace @returns {Row[]} */
export function rowsByStep({ axes, steps }) {
  return steps.map((step, t) => ({
    at: t + 1,
    step: t,
    reads: axes.reads.tokens[t].piece,
    writes: axes.target.tokens[t].piece,
    p: Math.exp(step.logprob),
    candidates: step.top.map((one) => ({ name: one.piece, p: one.p, taken: one.id === axes.target.tokens[t].id })),
  }));
}

/**
 * A row for each word. Its probability is the product of those of its pieces; what it could have begun with instead are
 * the other candidates of its first piece.
 * @param {Trace} trace
 * @returns {Row[]}
 */
export function rowsByWord(trace) {
  const { steps, axes } = trace;
  return axis(trace, "target", "word")
    .filter((one) => !isLeftOut(one, "words"))
    .map((one, i) => {
      const first = one.pieces[0];
      return {
        at: i + 1,
        step: one.pieces[one.pieces.length - 1],
        reads: null,
        writes: plainName(one.label, one.special),
        p: probabilityOf(one.pieces, steps),
        candidates: steps[first].top
          .filter(({ id }) => id !== axes.target.tokens[first].id)
          .map(({ piece, p }) => ({ name: plainPiece(piece), p, taken: false })),
      };
    });
}

/** How probable the model found a word that it wrote in these steps. @param {number[]} pieces @param {Step[]} steps */
export const probabilityOf = (pieces, steps) => Math.exp(pieces.reduce((total, t) => total + steps[t].logprob, 0));

/**
 * The section below the picture.
 * @param {Context} context
 * @param {number | null} until
 */
export function decodingTable(context, until) {
  const { trace, state } = context;
  const inWords = state.depth === "words";
  const all = inWords ? rowsByWord(trace) : rowsByStep(trace);
  const written = until === null ? all : all.filter(({ step }) => step < until);
  const shown = until === null ? written.slice(0, MOST_ROWS) : written.slice(-MOST_ROWS);
  const columns = inWords ? TRANSLATE.wordColumns : TRANSLATE.columns;
  const left = shown.length < written.length;
  return h(
    "section",
    { class: "rounds-table" },
    h("h2", {}, TRANSLATE.steps),
    h("p", { class: "explain" }, inWords ? TRANSLATE.stepsWords : TRANSLATE.stepsNumbers),
    h(
      "div",
      {
        class: "table-scroll",
        tabindex: "0",
        role: "region",
        "aria-label": TRANSLATE.steps,
        dataset: { scroll: "rounds" },
      },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            columns.map((name) => h("th", { scope: "col" }, name)),
            h("th", { scope: "col", class: "text" }, inWords ? TRANSLATE.instead : TRANSLATE.most),
          ),
        ),
        h(
          "tbody",
          {},
          shown.map((row) => line(context, row, until, inWords)),
        ),
      ),
    ),
    left
      ? h("p", { class: "quiet-text" }, TRANSLATE.some(shown[0].at, shown[shown.length - 1].at, trace.steps.length))
      : null,
  );
}

/** @param {Context} context @param {Row} row @param {number | null} until @param {boolean} inWords */
function line({ set }, row, until, inWords) {
  const button = h(
    "button",
    {
      type: "button",
      class: "quiet",
      "aria-label": inWords ? TRANSLATE.word(row.at) : TRANSLATE.step(row.at),
      dataset: { focus: `round-${row.step}` },
      onclick: () => set({ step: row.step }),
    },
    String(row.at),
  );
  return h(
    "tr",
    { class: row.step + 1 === until ? "now" : null },
    h("th", { scope: "row" }, button),
    row.reads === null ? null : h("td", { class: "text" }, word(row.reads)),
    h("td", { class: "text" }, h("b", {}, word(row.writes))),
    h("td", {}, inWords ? percent(row.p) : digits(row.p)),
    h(
      "td",
      { class: "candidates" },
      h(
        "ol",
        {},
        row.candidates.map((one) => candidate(one, inWords)),
      ),
    ),
  );
}

/** @param {Row["candidates"][number]} one @param {boolean} inWords @returns {Child} */
function candidate({ name, p, taken }, inWords) {
  return h(
    "li",
    { class: `candidate${taken ? " taken" : ""}` },
    h("span", { class: "fill", style: { width: `${100 * p}%` } }),
    word(name),
    h("span", { class: "number" }, inWords ? percent(p) : digits(p, 3)),
  );
}
