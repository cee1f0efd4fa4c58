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
import { decodingTable, probabilityOf } from "page/translate/decoding-table";
import { picture } from "page/translate/picture";
import { TRANSLATE } from "page/translate/words";

/** @import { Context, State, View } from "page/types" */

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
    root.append(decodingTable(context, until));
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
function pair({ trace, state, set }, until) {
  const { axes, steps, output, model } = trace;
  const inWords = state.depth === "words";
  const shown = axes.target.words.filter((one) => !(inWords && (one.special === "eos" || one.special === "bos")));
  const written = shown.map((one) => {
    const p = probabilityOf(one.pieces, steps);
    const later = until !== null && one.pieces[0] >= until;
    const title = TRANSLATE.probability(one.text, inWords ? percent(p) : digits(p));
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
  const whole = inWords
    ? TRANSLATE.whole(percent(Math.exp(output.logprob)))
    : TRANSLATE.logprob(digits(output.logprob, 3));
  const found = output.mode === "forced" ? TRANSLATE.given : whole;
  return h(
    "section",
    { class: "pair" },
    h("p", { class: "from", lang: languages[0] }, word(trace.source_text || wishOf(trace).sentence)),
    h("p", { class: "to", lang: languages[1], "aria-label": TRANSLATE.heading }, written),
    h("p", { class: "quiet-text" }, TRANSLATE.under(found)),
  );
}
