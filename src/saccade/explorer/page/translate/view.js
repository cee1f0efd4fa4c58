/**
 * The sentence and its translation: where the model looked while it wrote each word, how sure it was, what else it
 * considered.
 */

import { advanceDecoding } from "page/app/presenter";
import { inThisFile, tryThese } from "page/app/suggestions";
import { words } from "page/app/words";
import { parseTree } from "page/drawing/parse-tree";
import { h, word } from "page/elements/dom";
import { digits, percent } from "page/numbers/numbers";
import { alignment } from "page/trace/attention";
import { wishOf } from "page/trace/store";
import { picture } from "page/translate/picture";
import { TRANSLATE } from "page/translate/words";

/** @import { Context, State, View } from "page/types" */

const MOST_ROUNDS = 24;

/** @type {View} */
export default {
  id: "translate",
  key: "t",
  title: words.viewNames.translate,
  advance: advanceDecoding,
  /** @param {State} state */
  needs: (state) => (state.opinion === "attention" ? [] : ["influence"]),
  /** @param {HTMLElement} root @param {Context} context */
  render(root, context) {
    const { trace, state } = context;
    const until = state.step === null || state.step >= trace.steps.length ? null : state.step + 1;
    root.append(
      h("h1", { class: "unseen" }, TRANSLATE.heading),
      pair(context, until),
      parseTree(context, alignment(context.trace, "word")) ?? "",
    );
    picture(root, context, until);
    root.append(rounds(context, until));
    if (context.served)
      root.append(h("details", { class: "more" }, h("summary", {}, TRANSLATE.tries), tryThese(context)));
    else root.append(others(context));
  },
};

/** What else a file holds. @param {Context} context */
function others(context) {
  const found = inThisFile(context);
  return found ? h("section", {}, h("h2", {}, words.alsoHere), found) : "";
}

/**
 * Source and translation, large; words not written yet are pale.
 * @param {Context} context
 * @param {number | null} until
 */
function pair({ trace, set }, until) {
  const { axes, steps, output, model } = trace;
  const written = axes.target.words.map((one) => {
    const p = Math.exp(one.pieces.reduce((total, t) => total + steps[t].logprob, 0));
    const later = until !== null && one.pieces[0] >= until;
    const title = TRANSLATE.probability(one.text, digits(p));
    return h(
      "button",
      {
        type: "button",
        class: `written${later ? " later" : ""}${one.special ? " special" : ""}`,
        title,
        "aria-pressed": String(until === /** @type {any} */ (one.pieces.at(-1)) + 1),
        dataset: { focus: `written-${one.pieces[0]}` },
        onclick: () => set({ step: one.pieces.at(-1) }),
      },
      word(one.text),
      h("span", { class: "p" }, percent(p)),
    );
  });
  const languages = [model.source_language, model.target_language];
  const found = output.mode === "forced" ? TRANSLATE.given : TRANSLATE.logprob(digits(output.logprob, 3));
  return h(
    "section",
    { class: "pair" },
    h("p", { class: "from", lang: languages[0] }, word(trace.source_text || wishOf(trace).sentence)),
    h("p", { class: "to", lang: languages[1], "aria-label": TRANSLATE.heading }, written),
    h("p", { class: "quiet-text" }, TRANSLATE.under(found)),
  );
}

/**
 * Decoding step by step: what had been read, what was written, and what else was likely.
 * @param {Context} context
 * @param {number | null} until
 */
function rounds(context, until) {
  const { trace, state, set } = context;
  const { reads, target } = trace.axes;
  const written = until === null ? trace.steps : trace.steps.slice(0, until);
  const shown = until === null ? written.slice(0, MOST_ROUNDS) : written.slice(-MOST_ROUNDS);
  const most = Math.max(...trace.steps.map((step) => step.top.length));
  /** @param {any} step */
  const line = (step) =>
    h(
      "tr",
      { class: step.t + 1 === until ? "now" : null },
      h(
        "th",
        { scope: "row" },
        h(
          "button",
          {
            type: "button",
            class: "quiet",
            "aria-label": TRANSLATE.step(step.t + 1),
            dataset: { focus: `round-${step.t}` },
            onclick: () => set({ step: step.t }),
          },
          String(step.t + 1),
        ),
      ),
      h("td", { class: "text" }, word(reads.tokens[step.t].piece)),
      h("td", { class: "text" }, h("b", {}, word(target.tokens[step.t].piece))),
      h("td", {}, digits(Math.exp(step.logprob))),
      step.top.map((/** @type {any} */ one) =>
        h(
          "td",
          { class: `candidate${one.id === target.tokens[step.t].id ? " taken" : ""}` },
          h("span", { class: "fill", style: { width: `${100 * one.p}%` } }),
          word(one.piece),
          h("span", { class: "number" }, digits(one.p, 3)),
        ),
      ),
    );
  return h(
    "section",
    { class: "rounds-table" },
    h("h2", {}, TRANSLATE.steps),
    h("p", { class: "explain" }, state.depth === "words" ? TRANSLATE.stepsWords : TRANSLATE.stepsNumbers),
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
            TRANSLATE.columns.map((name) => h("th", { scope: "col" }, name)),
            h("th", { scope: "col", colspan: most, class: "text" }, TRANSLATE.most),
          ),
        ),
        h("tbody", {}, shown.map(line)),
      ),
    ),
    shown.length < written.length
      ? h(
          "p",
          { class: "quiet-text" },
          TRANSLATE.some(shown[0].t + 1, shown[shown.length - 1].t + 1, trace.steps.length),
        )
      : null,
  );
}
