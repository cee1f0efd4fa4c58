/**
 * Two sentences in one model: which words look elsewhere when one word changes.
 *
 * Shared words are paired in order. For the chosen word its row of attention in each sentence stands side by side,
 * and a table ranks all heads by how much of the row moved. For models without attention in the reader, and besides
 * for all, the vectors of shared words are compared.
 */
import { words } from "page/ancestors/columns";
import { looking, vectors } from "page/ancestors/compare-attention";
import { paired } from "page/ancestors/word-pairs";
import { WORDS } from "page/ancestors/words";
import { pairs } from "page/app/example-sentences";
import { h, word } from "page/elements/dom";
import { sourceLanguage, wishOf } from "page/trace/store";

/** @import { Pair } from "page/ancestors/word-pairs" */
/** @import { Changes, Context, Control, Trace } from "page/types" */

const SAY = WORDS.compare;

/** @param {Context} context @returns {HTMLElement} */
export function comparison(context) {
  const { state, trace } = context;
  const other = state.cmp.trim();
  const input = h("input", {
    type: "text",
    id: "other-sentence",
    dir: "auto",
    value: state.cmp,
    dataset: { focus: "cmp" },
    spellcheck: "false",
  });
  /** @param {Event & {target: Control}} event */
  const compare = (event) => {
    event.preventDefault();
    context.set({ cmp: input.value.trim(), cw: null });
  };
  return h(
    "section",
    { class: "comparison", id: "comparison" },
    h("h2", {}, SAY.title),
    h(
      "p",
      { class: "lede" },
      SAY.lede,
      " ",
      trace ? SAY.model(trace.model.name, context.document.models.length > 1) : null,
    ),
    h(
      "form",
      { class: "other", onsubmit: compare },
      h("label", { for: "other-sentence" }, SAY.other),
      input,
      h("button", { type: "submit" }, SAY.show),
    ),
    choicesOf(context),
    other && trace ? body(context, other) : h("p", { class: "note" }, SAY.empty),
  );
}

/** Pairs to try; a file without a server has only the sentences that are in it. @param {Context} context */
function choicesOf(context) {
  const { document, served, state } = context;
  /** @param {string} label @param {Changes} changes */
  const button = (label, changes) =>
    h(
      "button",
      { type: "button", class: "tool", dataset: { focus: `pair-${label}` }, onclick: () => context.set(changes) },
      word(label),
    );
  if (served)
    return h(
      "p",
      { class: "pairs" },
      `${SAY.presets}: `,
      pairs(sourceLanguage(context)).map((pair) =>
        button(pairName(pair), { sentence: pair.first, cmp: pair.second, cw: placeOf(pair.first, pair.word) }),
      ),
    );
  const held = new Set(
    document.traces
      .filter((one) => one.model.id === state.model && !one.options.force && !one.what_if)
      .map((one) => wishOf(one).sentence),
  );
  held.delete(state.sentence);
  return held.size
    ? h(
        "p",
        { class: "pairs" },
        `${SAY.inFile}: `,
        [...held].map((one) => button(one, { cmp: one, cw: null })),
      )
    : null;
}

const SHORT = 5;

/** A pair in few words: how it begins, and what changes. @param {{first: string, second: string}} given */
function pairName({ first, second }) {
  const [left, right] = [first.split(" "), second.split(" ")];
  const pairs = paired(left, right).filter(
    (pair) => pair.left === null || pair.right === null || left[pair.left] !== right[pair.right],
  );
  /** @param {any} list @param {any} side */
  const changed = (list, side) =>
    pairs
      .filter((pair) => pair[/** @type {keyof typeof pair} */ (side)] !== null)
      .map((pair) => list[Number(pair[/** @type {keyof typeof pair} */ (side)])].replace(/[.,]/g, ""));
  const [lost, won] = [changed(left, "left"), changed(right, "right")];
  const few = lost.length <= SHORT && won.length <= SHORT;
  return few
    ? `${left.slice(0, 3).join(" ")} … ${lost.join(" ")} / ${won.join(" ")}`
    : `${left.slice(0, 4).join(" ")} … / ${right.slice(0, 4).join(" ")} …`;
}

/**
 * The place of a word among those of a sentence; null where it has none, and the word that moved most is shown.
 * @param {string} sentence
 * @param {string} wanted
 */
function placeOf(sentence, wanted) {
  const place = sentence.split(" ").findIndex((one) => one.replace(/\P{L}+$/u, "") === wanted);
  return place < 0 ? null : place;
}

/** What a change of the sentence leaves as it is. @param {string} sentence */
const asked = (sentence) => ({ sentence, force: "", prefix: "", whatif: "" });

/** @param {Context} context @param {string} other */
function body(context, other) {
  const changes = asked(other);
  const left = context.want(asked(context.state.sentence), ["memory"]);
  const right = context.want(changes, ["memory"]);
  const error = context.failed(changes);
  if (error) return h("p", { class: "problem", role: "alert" }, `${error.message} ${error.hint ?? ""}`);
  if (!left || !right) {
    if (context.served) return h("p", { class: "waiting" }, WORDS.waiting);
    return h("p", { class: "note" }, WORDS.missing, " ", h("code", {}, SAY.missingHow(context.state.sentence, other)));
  }
  const [leftWords, rightWords] = [words(left, "source"), words(right, "source")];
  const pairs = paired(leftWords.map(nameOf), rightWords.map(nameOf));
  const shared = pairs.filter(
    (pair) =>
      pair.left !== null &&
      pair.right !== null &&
      nameOf(leftWords[pair.left]) === nameOf(rightWords[pair.right]) &&
      !leftWords[pair.left].special,
  );
  return h(
    "div",
    {},
    translations(left, right, pairs),
    shared.length
      ? looking(context, { left, right, pairs, shared, leftWords, rightWords })
      : h("p", { class: "note" }, SAY.none),
    shared.length ? vectors(left, right, shared, leftWords, rightWords) : null,
  );
}

/** @param {{special: string | null, label: string}} one */
const nameOf = (one) => (one.special ? `\u0000${one.special}` : one.label);

/**
 * A sentence with the words marked that the other has not.
 * @param {Trace} trace
 * @param {any} pairs
 * @param {any} side
 */
function marked(trace, pairs, side) {
  const other = side === "left" ? "right" : "left";
  const list = words(trace, "source");
  const own = new Map(
    pairs
      .filter((/** @type {Pair} */ pair) => pair[/** @type {keyof typeof pair} */ (side)] !== null)
      .map((/** @type {Pair} */ pair) => [pair[/** @type {keyof typeof pair} */ (side)], pair]),
  );
  /** @param {number} i */
  const same = (i) =>
    own.get(i)?.[other] !== null &&
    pairs.find((/** @type {Pair} */ pair) => pair[/** @type {keyof typeof pair} */ (side)] === i).same !== false;
  return list
    .filter((one) => !one.special)
    .flatMap((one) => [same(list.indexOf(one)) ? word(one.label) : h("mark", {}, word(one.label)), " "]);
}

/** @param {Trace} left @param {Trace} right @param {Pair[]} pairs */
function translations(left, right, pairs) {
  const [leftWords, rightWords] = [words(left, "source"), words(right, "source")];
  for (const pair of pairs)
    pair.same =
      pair.left !== null && pair.right !== null && nameOf(leftWords[pair.left]) === nameOf(rightWords[pair.right]);
  /** @param {string} name @param {Trace} trace @param {any} side */
  const line = (name, trace, side) =>
    h(
      "div",
      {},
      h("dt", {}, name),
      h("dd", {}, h("p", {}, marked(trace, pairs, side)), h("p", { class: "output" }, word(trace.output.text))),
    );
  return h("dl", { class: "two" }, line(SAY.first, left, "left"), line(SAY.second, right, "right"));
}
