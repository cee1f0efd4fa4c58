/** The strip of papers from 2013 to 2017, the card of the chosen one, and two of them point by point. */

import { parse } from "page/ancestors/equation";
import { CARDS, DIFFERENCES } from "page/ancestors/papers";
import { WORDS } from "page/ancestors/words";
import { h } from "page/elements/dom";
import { mathBlock } from "page/elements/mathml";
import { summaryOf } from "page/model/summaries";

/** @import { Card } from "page/ancestors/papers" */
/** @import { AxisEntry, Child, Context, Paper } from "page/types" */

/** An equation as MathML. @param {string} text */
export function formula(text) {
  return mathBlock(parse(text));
}

/**
 * The paper of a card, as the document lists it; null in a document that lists none.
 * @param {Context} context
 * @param {string} key
 */
const paperOf = (context, key) => (context.document.papers ?? []).find((paper) => paper.key === key) ?? null;

/**
 * The cards a document has papers for, the oldest first; papers of one year in the order of the cards.
 * @param {Context} context
 */
export function dated(context) {
  return CARDS.map((card) => ({ card, paper: paperOf(context, card.paper) }))
    .filter(({ paper }) => paper)
    .sort(
      (a, b) =>
        /** @type {NonNullable<typeof a.paper>} */ (a.paper).year -
        /** @type {NonNullable<typeof b.paper>} */ (b.paper).year,
    );
}

/**
 * @param {Context} context
 * @param {Set<string>} given architectures of the models that are shown
 */
export function timeline(context, given) {
  const entries = dated(context);
  if (!entries.length) return h("p", { class: "note" }, WORDS.noPapers);
  const chosen =
    entries.find(({ card }) => card.paper === context.state.card) ??
    entries.find(({ card }) => card.paper === "bahdanau2015") ??
    entries[0];
  /** @param {any} paper */
  const shown = (paper) => paper.architectures.some((/** @type {any} */ one) => given.has(one.name));
  /** @param {{card: Card, paper: Paper}} given */
  const button = ({ card, paper }) =>
    h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          "aria-pressed": card === chosen.card ? "true" : "false",
          dataset: { card: card.paper, focus: `card-${card.paper}` },
          onclick: () => context.set({ card: card.paper }),
        },
        card.name,
        shown(paper) ? h("span", { class: "here" }, WORDS.here) : null,
      ),
    );
  const years = [...new Set(entries.map(({ paper }) => /** @type {NonNullable<typeof paper>} */ (paper).year))];
  return h(
    "div",
    { class: "timeline" },
    h(
      "ol",
      { class: "papers-by-year", "aria-label": WORDS.timeline },
      years.map((year) =>
        h(
          "li",
          { class: "year" },
          h("span", {}, String(year)),
          h(
            "ol",
            {},
            entries
              .filter(({ paper }) => /** @type {NonNullable<typeof paper>} */ (paper).year === year)
              .map(/** @type {any} */ (button)),
          ),
        ),
      ),
    ),
    cardOf(context, chosen, entries, given),
  );
}

/**
 * @param {Context} context
 * @param {any} given
 * @param {any} entries
 * @param {Set<string>} given
 */
function cardOf(context, { card, paper }, entries, given) {
  const place = entries.findIndex((/** @type {AxisEntry} */ entry) => /** @type {any} */ (entry).card === card);
  const before = card.before
    ? entries.find((/** @type {AxisEntry} */ entry) => /** @type {any} */ (entry).card.paper === card.before)
    : null;
  /** @param {any} entry @param {string} name */
  const step = (entry, name) =>
    h(
      "button",
      { type: "button", class: "tool", disabled: !entry, onclick: () => context.set({ card: entry.card.paper }) },
      entry ? `${name} ${entry.card.name}` : name,
    );
  /** @param {string} title @param {...Child} content */
  const part = (title, ...content) => h("div", { class: "part" }, h("h4", {}, title), ...content);
  return h(
    "article",
    { class: "paper-card", "aria-live": "polite", dataset: { paper: card.paper } },
    h("h3", {}, card.name),
    h("p", { class: "cite" }, `${paper.names}, ${paper.year}: `, h("cite", {}, paper.title), `. ${paper.venue}.`),
    h(
      "div",
      { class: "parts" },
      part(WORDS.problem, h("p", {}, card.problem)),
      part(WORDS.idea, h("p", {}, card.idea)),
      context.state.depth === "words"
        ? null
        : part(WORDS.equation, card.equations.map(formula), h("p", { class: "letters" }, card.letters)),
      card.against ? part(WORDS.against(before?.card.name ?? ""), h("p", {}, card.against)) : null,
      card.story ? part(WORDS.story, h("p", {}, card.story)) : null,
      part(WORDS.inPackage, here(paper, given)),
    ),
    h("p", { class: "turn" }, step(entries[place - 1], "←"), step(entries[place + 1], "→")),
  );
}

/**
 * What of a paper is in the package, and whether a model of it is on this page.
 * @param {any} paper
 * @param {any} given
 */
function here(paper, given) {
  if (!paper.architectures.length) return h("p", {}, WORDS.noArchitecture);
  return h(
    "ul",
    {},
    paper.architectures.map((/** @type {any} */ one) =>
      h(
        "li",
        {},
        h("code", {}, one.name),
        ` ${summaryOf(one.name, one.summary)}. `,
        given.has(one.name) ? WORDS.isShown : h("span", {}, WORDS.trainIt, h("code", {}, trainCommand(paper, one))),
      ),
    ),
  );
}

/**
 * The command that trains an architecture: where it translates on captions, else by its paper's recipe.
 * @param {any} paper
 * @param {any} architecture
 */
export function trainCommand(paper, architecture) {
  if (architecture.task === "translation")
    return `saccade train multi30k --set model.architecture=${architecture.name} --out runs/${architecture.name}`;
  return paper.recipe
    ? `saccade train ${paper.recipe}`
    : `saccade train --task ${architecture.task} --set model.architecture=${architecture.name}`;
}

/**
 * Bahdanau against Luong; where models of both are shown, how sharply each looks at this sentence.
 * @param {Context} context
 * @param {any} measured rows of numbers of the two models, if both are there
 */
export function differences(context, measured) {
  const entries = dated(context);
  /** @param {string} key */
  const name = (key) => entries.find(({ card }) => card.paper === key)?.card.name ?? key;
  return h(
    "div",
    {
      class: "table-scroll",
      tabindex: "0",
      role: "region",
      "aria-label": WORDS.differences,
      dataset: { scroll: "differences" },
    },
    h(
      "table",
      { class: "differences" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("td"),
          h("th", { scope: "col" }, name("bahdanau2015")),
          h("th", { scope: "col" }, name("luong2015")),
        ),
      ),
      h(
        "tbody",
        {},
        DIFFERENCES.map(([what, left, right]) =>
          h("tr", {}, h("th", { scope: "row" }, what), h("td", {}, left), h("td", {}, right)),
        ),
        measured.map((/** @type {any} */ { name: what, cells }) =>
          h(
            "tr",
            { class: "measured" },
            h("th", { scope: "row" }, what),
            cells.map((/** @type {number} */ cell) => h("td", {}, cell)),
          ),
        ),
      ),
    ),
  );
}
