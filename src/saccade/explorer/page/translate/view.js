/**
 * The sentence and its translation: where the model looked while it wrote each word, how sure it was, what else it
 * considered.
 */

import { inThisFile, tryThese } from "page/app/suggestions";
import { words } from "page/app/words";
import { parseTree } from "page/drawing/parse-tree";
import { h, word } from "page/elements/dom";
import { digits, percent } from "page/numbers/numbers";
import { alignment } from "page/trace/attention";
import { wishOf } from "page/trace/store";
import { picture } from "page/translate/picture";

/** @import { Context, State, View } from "page/types" */

const MOST_ROUNDS = 24;

/** @type {View} */
export default {
  id: "translate",
  key: "t",
  title: "Translate",
  /** @param {State} state */
  needs: (state) => (state.opinion === "attention" ? [] : ["influence"]),
  /** @param {HTMLElement} root @param {Context} context */
  render(root, context) {
    const { trace, state } = context;
    const until = state.step === null || state.step >= trace.steps.length ? null : state.step + 1;
    root.append(
      h("h1", { class: "unseen" }, "Translation"),
      pair(context, until),
      parseTree(context, alignment(context.trace, "word")) ?? "",
    );
    picture(root, context, until);
    root.append(rounds(context, until));
    if (context.served)
      root.append(h("details", { class: "more" }, h("summary", {}, "Sentences to try"), tryThese(context)));
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
    const title = `${one.text}: probability ${digits(p)}`;
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
  const found = output.mode === "forced" ? "given, not searched for" : `log-probability ${digits(output.logprob, 3)}`;
  return h(
    "section",
    { class: "pair" },
    h("p", { class: "from", lang: languages[0] }, word(trace.source_text || wishOf(trace).sentence)),
    h("p", { class: "to", lang: languages[1], "aria-label": "Translation" }, written),
    h(
      "p",
      { class: "quiet-text" },
      `Under each word: how probable the model found it when it wrote it. The whole: ${found}.`,
    ),
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
            "aria-label": `Decoding step ${step.t + 1}`,
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
    h("h2", {}, "Decoding step by step"),
    h(
      "p",
      { class: "explain" },
      state.depth === "words"
        ? "The model writes one piece at a time. It reads what it has written so far, and chooses the next."
        : "Each decoding step reads one token more than the step before, and gives every token of the vocabulary a " +
            "probability. These are the five largest.",
    ),
    h(
      "div",
      {
        class: "table-scroll",
        tabindex: "0",
        role: "region",
        "aria-label": "Decoding step by step",
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
            ["step", "reads", "writes", "p"].map((name) => h("th", { scope: "col" }, name)),
            h("th", { scope: "col", colspan: most, class: "text" }, "most probable"),
          ),
        ),
        h("tbody", {}, shown.map(line)),
      ),
    ),
    shown.length < written.length
      ? h(
          "p",
          { class: "quiet-text" },
          `Decoding steps ${shown[0].t + 1} to ${shown[shown.length - 1].t + 1} of ${trace.steps.length}: the slider below ` +
            "leads to the others.",
        )
      : null,
  );
}
