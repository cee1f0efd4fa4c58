/** The outputs a search may choose from, ordered again for any alpha: arithmetic on what is known, no decoding. */

import { number, signed } from "page/beam/numbers";
import { ends, ranked, winners } from "page/beam/tree";
import { beam as words } from "page/beam/words";
import { h, word } from "page/elements/dom";
import { percent } from "page/numbers/numbers";

/** @import { End } from "page/beam/tree" */
/** @import { Beam } from "page/trace/schema" */
/** @import { Context, State } from "page/types" */

const SHOWN = 12;
const MOST = 2;

/**
 * The alpha in force: the one chosen, or the one searched with.
 * @param {Beam} beam
 * @param {State} state
 */
export function alphaOf(beam, state) {
  return state.alpha ?? beam.alpha;
}

/** The node of the output that the search itself returned. @param {Beam} beam */
export function returned(beam) {
  return beam.hypotheses?.[beam.best ?? 0]?.node ?? null;
}

/**
 * The section below the picture. `textAt(node)` says what was written up to a node.
 * @param {Context} context
 * @param {Beam} beam
 * @param {(number: number) => string} textAt
 * @param {(node: number) => void} onPick
 * @returns {{element: HTMLElement, update: (state: any) => void}}
 */
export function endsOf(context, beam, textAt, onPick) {
  const inWords = context.state.depth === "words";
  const outputs = ends(beam);
  const asSearched = ranked(outputs, beam.alpha, beam.penalty);
  const before = new Map(asSearched.map((each, place) => [each.node, place + 1]));
  const most = Math.max(MOST, beam.alpha, context.state.alpha ?? 0);
  const ranges = winners(outputs, most, beam.penalty);
  const verdict = h("p", { class: "beam-verdict", role: "status" });
  const body = h("tbody");
  const slider = h("input", {
    type: "range",
    min: "0",
    max: String(most),
    step: "0.01",
    dataset: { focus: "beam-alpha" },
  });
  const shown = h("output", {});
  const reset = h(
    "button",
    { type: "button", class: "tool", onclick: () => context.set({ alpha: null }) },
    words.finished.reset(beam.alpha),
  );
  const again = context.served
    ? h(
        "button",
        {
          type: "button",
          class: "tool",
          onclick: () => context.set({ penalty: alphaOf(beam, context.state), alpha: null, hyp: null }),
        },
        words.finished.rerun,
      )
    : null;
  const strip = stripOf(ranges, most, textAt);
  slider.addEventListener("input", () =>
    context.set({ alpha: Number(slider.value) === beam.alpha ? null : Number(slider.value) }),
  );

  /** @param {State} state */
  const update = (state) => {
    const alpha = alphaOf(beam, state);
    const now = ranked(outputs, alpha, beam.penalty);
    slider.value = String(alpha);
    shown.textContent = String(alpha);
    slider.setAttribute("aria-valuetext", words.finished.alphaIs(alpha));
    reset.hidden = alpha === beam.alpha;
    if (again) again.hidden = alpha === beam.alpha;
    strip.mark(alpha);
    const [best, was] = [now[0], asSearched[0]];
    verdict.textContent =
      alpha === beam.alpha
        ? words.finished.asSearched(alpha)
        : best.node === was.node
          ? words.finished.same(alpha)
          : words.finished.other(alpha, textAt(best.node), textAt(was.node));
    verdict.classList.toggle("changed", best.node !== was.node);
    const rows = state.pruned === "all" ? now : now.slice(0, SHOWN);
    const texts = now.map((each) => textAt(each.node));
    body.replaceChildren(
      ...rows.map((each, place) => rowOf(each, place, before.get(each.node), texts, onPick, inWords)),
    );
  };
  update(context.state);
  const names = words.finished.columns;
  const head = h(
    "tr",
    {},
    ["now", "before", "text", ...(inWords ? ["p"] : ["length", "cum", "lp", "score"])].map((name) =>
      h(
        "th",
        { scope: "col", class: name === "text" ? "text" : null },
        names[/** @type {keyof typeof names} */ (name)],
      ),
    ),
  );
  const hidden = Math.max(0, outputs.length - SHOWN);
  const element = h(
    "section",
    { class: "beam-ends", "aria-labelledby": "beam-ends" },
    h("h2", { id: "beam-ends" }, words.finished.heading),
    outputs[0].finished ? null : h("p", { class: "note" }, words.finished.unfinished),
    h(
      "div",
      { class: "heads-bar" },
      h("label", { class: "heads-choice" }, h("span", {}, words.finished.alpha), slider),
      shown,
      reset,
      again,
    ),
    verdict,
    strip.element,
    h(
      "div",
      {
        class: "table-scroll",
        tabindex: "0",
        role: "region",
        "aria-label": words.finished.caption,
        dataset: { scroll: "beam-ends", focus: "beam-ends" },
      },
      h(
        "table",
        { class: "beam-table" },
        h("caption", { class: "unseen" }, words.finished.caption),
        h("thead", {}, head),
        body,
      ),
    ),
    hidden && context.state.pruned !== "all" ? h("p", { class: "heads-quiet" }, words.finished.more(hidden)) : null,
    h("p", { class: "heads-quiet" }, words.finished.caution, beam.coverage ? ` ${words.finished.coverage}` : ""),
  );
  return { element, update };
}

/**
 * @param {End} each
 * @param {number} place
 * @param {any} before
 * @param {any} texts
 * @param {(node: number) => void} onPick
 * @param {boolean} inWords
 */
function rowOf(each, place, before, texts, onPick, inWords) {
  const text = texts[place] || words.finished.empty;
  const again =
    texts.indexOf(texts[place]) < place ? h("span", { class: "heads-quiet" }, ` ${words.finished.again}`) : null;
  const button = h(
    "button",
    { type: "button", class: "beam-text", dataset: { focus: `end-${each.node}` }, onclick: () => onPick(each.node) },
    word(text),
  );
  return h(
    "tr",
    { class: place ? null : "winner", dataset: { node: each.node } },
    h("td", {}, String(place + 1)),
    h("td", {}, String(before)),
    h("th", { scope: "row", class: "text" }, button, again),
    inWords
      ? h("td", {}, percent(Math.exp(each.cum)))
      : [
          h("td", {}, String(each.length)),
          h("td", {}, signed(each.cum, 4)),
          h("td", {}, number(/** @type {number} */ (each.lp), 4)),
          h("td", {}, signed(/** @type {number} */ (each.score), 4)),
        ],
  );
}

/**
 * Which output wins where, as a strip from alpha 0 on, with the part of the chosen alpha marked.
 * @param {{from: number, to: number, node: number}[]} ranges
 * @param {number} most
 * @param {(number: number) => string} textAt
 */
function stripOf(ranges, most, textAt) {
  const parts = ranges.map(({ from, to, node }) =>
    h(
      "li",
      { class: "beam-part", style: { "flex-grow": String((to - from) / most) }, dataset: { node } },
      h("b", {}, words.finished.range(from, to)),
      " ",
      word(textAt(node) || words.finished.empty),
    ),
  );
  /** @param {any} alpha */
  const mark = (alpha) => {
    const here = ranges.findLastIndex(({ from }) => from <= alpha);
    parts.forEach((part, i) => {
      if (i === here) part.setAttribute("aria-current", "true");
      else part.removeAttribute("aria-current");
    });
  };
  return {
    element: h(
      "div",
      { class: "beam-ranges" },
      h("h3", {}, words.finished.ranges),
      h("ol", { class: "beam-strip" }, parts),
    ),
    mark,
  };
}
