/**
 * Inside one head: thirteen steps from the pieces of a sentence to the next word, each with its text, its equation, its
 * matrices and one cell in digits.
 *
 * Text comes first, then the picture changes: Space goes on, Shift+Space goes back.
 */

import { words } from "page/app/words";
import { h } from "page/elements/dom";
import { mathBlock } from "page/elements/mathml";
import { beforeAfter } from "page/steps/before-after";
import { claims } from "page/steps/claims";
import { CODE } from "page/steps/code";
import { arrows, controls, move, rail } from "page/steps/controls";
import { choose, facts, pointing } from "page/steps/facts";
import { formula } from "page/steps/formulas";
import { keys } from "page/steps/keys";
import { candidates, digitLines, picture, pieces, rowOfKeys } from "page/steps/pictures";
import { details, everything, plan, present } from "page/steps/plan";
import { scene } from "page/steps/scene";
import { suppositions } from "page/steps/what-if";
import { FURTHER, INTRODUCTION, PLAIN, SAY, STEPS, TITLE } from "page/steps/words";
import { caption } from "page/steps/words-analogies";
import { spelled } from "page/steps/worked-numbers";

/** @import { Choice, Facts } from "page/steps/facts" */
/** @import { Picture } from "page/steps/scene-pictures" */
/** @import { Context, PageDocument, State, Trace, View } from "page/types" */

/**
 * What is on the screen, for the keys: the page has one view at a time.
 * @type {{context: Context, steps: {id: string, place: number}[], now: number, root: HTMLElement} | null}
 */
let showing = null;

let listening = false;

/** The view that shows a step at length. @type {Record<string, string | undefined>} */
const SHOWN_IN = {
  tokens: "translate",
  position: "position",
  memory: "ancestors",
  softmax: "heat",
  concat: "heads",
  norm: "model",
  output: "beam",
};

/** @type {View} */
export default {
  id: "steps",
  key: "s",
  keys,
  title: words.viewNames.steps,
  advance(state, trace, way) {
    if (!trace) return null;
    const { steps, now } = present(trace, choose(trace, state).block, state.at);
    return steps[now + way] ? { at: steps[now + way].place } : null;
  },
  wide: true,
  /** @param {State} state @param {PageDocument} _document_ @param {Trace} trace */
  needs(state, _document_, trace) {
    if (!trace) return [];
    const { block } = choose(trace, state);
    const { steps, now } = present(trace, block, state.at);
    return details(trace, block, steps[now].id);
  },
  /** @param {HTMLElement} root @param {Context} context */
  render(root, context) {
    const { trace, state } = context;
    const choice = choose(trace, state);
    const { steps, now } = present(trace, choice.block, state.at);
    const told = facts(trace, choice, state.step, state.depth);
    showing = { context, steps, now, root };
    listen();
    root.append(
      h(
        "div",
        { class: "steps-view" },
        h("h1", {}, TITLE),
        now === 0 ? h("p", { class: "quiet lead" }, INTRODUCTION) : null,
        controls(context, choice, told),
        choice.block ? null : h("p", { class: "note" }, SAY.noAttention),
        rail(context, steps, now),
        panel(context, choice, told, steps, now),
        missing(trace, choice),
      ),
    );
  },
};

/**
 * One step: text, equation, pictures, digits, what-ifs, claims.
 * @param {Context} context
 * @param {Choice} choice
 * @param {Facts} told
 * @param {{id: string, place: number}[]} steps
 * @param {number} now
 */
function panel(context, choice, told, steps, now) {
  const { trace, state } = context;
  const { id } = steps[now];
  const { depth } = state;
  const lacking = details(trace, choice.block, id);
  const waits = lacking.length > 0;
  const pictures = scene(id, trace, choice, told).filter(
    (one) => (depth !== "words" || one.main) && (depth === "tensors" || !one.deep),
  );
  const lines = spelled(id, trace, choice, told);
  const sums = h("div", { class: "step-sums" }, equation(id, told), lines ? digitLines(lines) : null);
  return h(
    "article",
    { class: `step depth-${depth}`, dataset: { step: id } },
    h(
      "header",
      {},
      h("h2", {}, SAY.step(now + 1, steps.length, STEPS[/** @type {keyof typeof STEPS} */ (id)].title)),
      arrows(context, steps, now),
    ),
    h(
      "div",
      { class: "step-top" },
      h(
        "div",
        { class: "step-text" },
        h("p", {}, texted(PLAIN[/** @type {keyof typeof PLAIN} */ (id)], told) ?? SAY.later),
        analogy(state.analogy, id, told),
        note(choice, id),
      ),
      depth === "words"
        ? h("details", { class: "step-folded", dataset: { fold: "formula" } }, h("summary", {}, SAY.folded), sums)
        : sums,
    ),
    waits
      ? h(
          "p",
          { class: "note", dataset: { lacking: lacking.join(" ") } },
          context.served
            ? (context.failed()?.message ?? SAY.askDetail)
            : SAY.noDetail(everything(trace, choice.block), trace.model.id, trace.source_text),
        )
      : null,
    suppositions(context, id, choice, told),
    id === "tokens" ? pieces(context, choice) : null,
    id === "norm" ? beforeAfter(context, choice, told) : null,
    h(
      "div",
      { class: "pictures" },
      pictures.map((one) => h("div", { class: one.room ?? "full" }, picture(context, one, id))),
      id === "softmax" ? h("div", { class: "half" }, rowOfKeys(context, choice, told)) : null,
      id === "output" ? h("div", { class: "half" }, candidates(context, choice)) : null,
    ),
    depth === "tensors" ? tensorList(trace, pictures, id, told) : null,
    depth === "words" ? null : claims(context, id, choice),
    further(context, id, choice),
  );
}

/**
 * Where the same thing is shown at length.
 * @param {Context} context
 * @param {string} id
 * @param {Choice} choice
 */
function further(context, id, choice) {
  const view = SHOWN_IN[id];
  if (!view) return null;
  return h(
    "p",
    { class: "further" },
    h(
      "a",
      {
        href: context.link(
          view,
          /** @type {any} */ (
            choice.block ? { kind: choice.kind, layer: choice.block.layer, ...pointing(choice, {}) } : {}
          ),
        ),
      },
      FURTHER[/** @type {keyof typeof FURTHER} */ (id)],
    ),
  );
}

/**
 * A text whose facts are all there; a number that is not there yet is no reason to say something wrong.
 * @param {(facts: Facts) => string} text
 * @param {Facts} told
 */
function texted(text, told) {
  try {
    const said = text(told);
    return /\bnull\b|NaN|undefined|–/.test(said ?? "") ? null : said;
  } catch {
    return null;
  }
}

/**
 * The step in the chosen picture of words.
 * @param {string} name
 * @param {string} id
 * @param {Facts} told
 */
export function analogy(name, id, told) {
  const said = texted((f) => caption(name, id, f), told);
  return said ? h("p", { class: "analogy", dataset: { analogy: name } }, said) : null;
}

/** @param {Choice} choice @param {string} id */
function note(choice, id) {
  if (["embedding", "position"].includes(id) && choice.block?.layer > 0)
    return h("p", { class: "quiet" }, SAY.layerInput(choice.block.layer + 1));
  if (id === "output" && choice.block) return h("p", { class: "quiet" }, SAY.above);
  return null;
}

/**
 * The equation with the term of this step marked.
 * @param {string} id
 * @param {Facts} told
 */
function equation(id, told) {
  const { parts, spoken } = formula(id, told);
  return h("div", { class: "equation" }, mathBlock(parts, { spoken, marked: id }));
}

/**
 * Names, shapes and the line of code.
 * @param {Trace} _trace
 * @param {Picture[]} pictures
 * @param {string} id
 * @param {Facts} told
 */
function tensorList(_trace, pictures, id, told) {
  const rows = pictures.map((one) =>
    h("tr", {}, h("th", { scope: "row" }, h("code", {}, one.name)), h("td", {}, one.shape)),
  );
  return h(
    "div",
    { class: "tensor-list" },
    rows.length ? h("table", {}, h("caption", {}, SAY.tensors), h("tbody", {}, rows)) : null,
    h("p", {}, `${SAY.code}: `, h("code", {}, CODE[/** @type {keyof typeof CODE} */ (id)](told))),
  );
}

/**
 * The steps of the thirteen that this system does not have.
 * @param {Trace} trace
 * @param {Choice} choice
 */
function missing(trace, choice) {
  const absent = plan(trace, choice.block).filter((step) => step.missing);
  if (!absent.length) return null;
  const reasons = [...new Set(absent.map((step) => step.missing))];
  /** @param {any} reason */
  const named = (reason) =>
    absent
      .filter((step) => step.missing === reason)
      .map((step) => STEPS[/** @type {keyof typeof STEPS} */ (step.id)].short)
      .join(", ");
  return h(
    "section",
    { class: "missing" },
    h("h3", {}, SAY.skipped),
    h(
      "ul",
      {},
      reasons.map((reason) => h("li", {}, h("b", {}, named(reason)), `: ${reason}.`)),
    ),
  );
}

/** Space and Shift+Space, wherever nothing else wants them. */
function listen() {
  if (listening) return;
  listening = true;
  addEventListener("keydown", (event) => {
    if (
      event.key !== " " ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      !(/** @type {any} */ (showing)?.root.isConnected) ||
      /** @type {any} */ (showing).context.state.view !== "steps"
    )
      return;
    const busy = /** @type {NonNullable<typeof event.target>} */ /** @type {any} */ (event.target).closest?.(
      "input, textarea, select, button, a, summary, dialog, [contenteditable]",
    );
    if (busy && !busy.dataset.go) return;
    event.preventDefault();
    move(
      /** @type {any} */ (showing).context,
      /** @type {any} */ (showing).steps,
      /** @type {any} */ (showing).now + (event.shiftKey ? -1 : 1),
    );
  });
}
