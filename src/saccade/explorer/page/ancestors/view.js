/**
 * The same sentence through every model: what each hands over, where it looks, how far words are apart; and the
 * papers.
 */

import { aim, choice, choices, measured, ways } from "page/ancestors/choices";
import { columns, hasSource, inAdvance, mismatch, models } from "page/ancestors/columns";
import { comparison } from "page/ancestors/compare-sentences";
import { keys } from "page/ancestors/keys";
import { chains, chosenWords, path } from "page/ancestors/path-row";
import * as rows from "page/ancestors/rows";
import { differences, timeline, trainCommand } from "page/ancestors/timeline";
import { WORDS } from "page/ancestors/words";
import { words } from "page/app/words";
import { legend } from "page/drawing/matrix-drawing";
import { CanvasSurface } from "page/drawing/surface";
import { h, word } from "page/elements/dom";
import { summaryOf } from "page/model/summaries";

/** @import { Column } from "page/ancestors/columns" */
/** @import { Child, Context, State, Trace, View } from "page/types" */

const NARROWEST = 260;

const PADDING = 24;

/** @type {View} */
export default {
  id: "ancestors",
  key: "a",
  keys,
  title: words.viewNames.ancestors,
  bare: true,
  wide: true,
  needs: () => [],
  /** @param {HTMLElement} root @param {Context} context */
  render(root, context) {
    root.append(
      h(
        "div",
        { class: "ancestors" },
        h("h1", {}, words.viewNames.ancestors),
        h(
          "nav",
          { class: "parts-of-view", "aria-label": WORDS.partsLabel },
          Object.entries(WORDS.parts).map(([part, name]) =>
            h(
              "a",
              {
                href: context.link("ancestors", { part: /** @type {State["part"]} */ (part) }),
                "aria-current": part === context.state.part ? "true" : null,
                dataset: { focus: `part-${part}` },
              },
              name,
            ),
          ),
        ),
        PARTS[context.state.part](context),
      ),
    );
  },
};

const PARTS = {
  /** @param {Context} context */
  models(context) {
    const shown = columns(context);
    const reference = shown.find(({ trace }) => trace && hasSource(trace))?.trace ?? null;
    return h(
      "div",
      {},
      h("p", { class: "lede" }, WORDS.lede),
      shown.length
        ? choices(
            context,
            shown.filter((one) => !one.inAdvance),
          )
        : h("p", { class: "note" }, WORDS.noSentence),
      shown.length ? table(context, shown, /** @type {NonNullable<typeof reference>} */ (reference)) : null,
      shown.length === 1 ? [others(context), h("p", { class: "note" }, WORDS.one)] : null,
      absent(context),
    );
  },
  /** @param {Context} context */
  papers(context) {
    return h(
      "div",
      {},
      section(WORDS.timeline, WORDS.timelineLede, timeline(context, architectures(context))),
      section(WORDS.differences, WORDS.differencesLede, differences(context, measured(context, columns(context)))),
    );
  },
  /** @param {Context} context */
  words(context) {
    return comparison(context);
  },
};

/** @param {Context} context */
const architectures = (context) => new Set(models(context).map((model) => model.architecture));

/** @param {string} title @param {string} lede @param {...Child} content */
function section(title, lede, ...content) {
  return h("section", {}, h("h2", {}, title), lede ? h("p", { class: "lede" }, lede) : null, ...content);
}

/** @param {Context} context @param {Column[]} shown @param {Trace} reference */
function table(context, shown, reference) {
  const width = Math.max(NARROWEST, Math.floor(context.width / shown.length)) - PADDING;
  const chosen = reference ? chosenWords(reference, context.state) : null;
  const given = {
    context,
    theme: context.theme,
    width,
    chosen,
    cell: rows.commonCell(shown, width),
    dot: rows.commonDot(shown),
    written: context.state.wt,
  };
  const parts = [
    ["translation", rows.translation],
    ["memory", rows.memory],
    ["alignment", rows.looks, () => scale(context)],
    ["path", path, () => (chosen ? ways(context, chosen) : null)],
    ...(context.state.depth === "words" ? [] : numbers(context, shown, chosen)),
  ];
  return h(
    "div",
    {
      class: "side-by-side",
      tabindex: "0",
      role: "region",
      "aria-label": WORDS.lede,
      dataset: { scroll: "ancestors" },
    },
    h(
      "table",
      { style: { "min-width": `${shown.length * NARROWEST}px` } },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          shown.map((column) =>
            h(
              "th",
              { scope: "col", dataset: { column: column.id } },
              h("span", { class: "system" }, column.name),
              h("span", { class: "when" }, [column.year, column.model.architecture].filter(Boolean).join(" · ")),
              warning(context, column),
            ),
          ),
        ),
      ),
      parts.map(([key, show, above]) =>
        h(
          "tbody",
          { dataset: { row: String(key) } },
          h(
            "tr",
            { class: "row-title" },
            h(
              "th",
              { scope: "rowgroup", colspan: shown.length },
              h(
                "div",
                { class: "stays" },
                h("h2", {}, WORDS.rows[/** @type {keyof typeof WORDS.rows} */ (key)]),
                WORDS.leads[/** @type {keyof typeof WORDS.leads} */ (key)]
                  ? h("p", { class: "lede" }, WORDS.leads[/** @type {keyof typeof WORDS.leads} */ (key)])
                  : null,
                /** @type {any} */ (above)?.(),
              ),
            ),
          ),
          h(
            "tr",
            {},
            shown.map((column) =>
              h(
                "td",
                { dataset: { cell: String(key), model: column.id } },
                column.trace ? /** @type {any} */ (show)(column, given) : missing(context, column),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

/** The sentences that an older system was given in advance. @param {Context} context */
function others(context) {
  const found = inAdvance(context);
  if (!found.length) return null;
  const [{ model }] = found;
  return h(
    "div",
    { class: "note", dataset: { traced: "" } },
    h("p", {}, WORDS.tracedHere(model.name, /** @type {number} */ (model.year))),
    h(
      "ul",
      {},
      found.map((trace) =>
        h(
          "li",
          {},
          h("a", { href: context.link("ancestors", { sentence: trace.source_text }) }, word(trace.source_text)),
        ),
      ),
    ),
  );
}

/** What a reader must know before comparing a column with the others. @param {Context} context @param {Column} column */
function warning(context, { model, inAdvance: traced }) {
  if (traced) return h("span", { class: "note warning", dataset: { traced: "" } }, WORDS.traced);
  const why = mismatch(
    model,
    models(context).find((one) => one.id === context.state.model),
  );
  if (!why) return null;
  const text =
    why === "task"
      ? WORDS.otherTask(WORDS.tasks[/** @type {keyof typeof WORDS.tasks} */ (model.task)] ?? model.task)
      : WORDS.otherLanguages(`${model.source_language} → ${model.target_language}`);
  return h("span", { class: "note warning", dataset: { mismatch: why } }, text);
}

/**
 * The rows that are about numbers.
 * @param {Context} context
 * @param {Column[]} shown
 * @param {any} chosen
 */
function numbers(context, shown, chosen) {
  const gated = shown.some(({ trace }) => trace?.recurrent?.layers.some((one) => one.gates.length));
  return [
    ["waiting", chains],
    ...(gated ? [["gates", rows.gates]] : []),
    ["influence", rows.mattered, () => (chosen ? aim(context, chosen) : null)],
    ["cost", rows.size],
  ];
}

/**
 * What stands where a trace is missing: it is coming, it failed, or this file never had it.
 * @param {Context} context
 * @param {Column} column
 */
function missing(context, column) {
  if (column.failed) return h("p", { class: "problem" }, `${column.failed.message} ${column.failed.hint ?? ""}`);
  if (column.waits || context.served) return h("p", { class: "waiting" }, WORDS.waiting);
  return [h("p", {}, WORDS.missing), h("code", {}, WORDS.missingHow(context.state.sentence))];
}

/** One scale for all pictures of weights. @param {Context} context */
function scale(context) {
  const { transfer, palette, opinion } = context.state;
  const canvas = h("canvas", { class: "legend", role: "img", "aria-label": WORDS.leads.alignment });
  legend(
    new CanvasSurface(canvas, 300, 28),
    {
      values: { rows: 0, columns: 0, data: new Float64Array() },
      scale: "weights",
      transfer,
      palette,
      theme: context.theme,
      cell: 12,
      percent: context.state.depth === "words",
    },
    8,
    1,
    200,
  );
  const measures = choice("opinion", WORDS.show, Object.entries(WORDS.measures), opinion, (key) =>
    context.set({ opinion: /** @type {State["opinion"]} */ (key) }),
  );
  return h(
    "div",
    {},
    h("div", { class: "choices" }, measures),
    h("p", { class: "note" }, WORDS.measureNotes[opinion]),
    canvas,
  );
}

/** The translating systems nobody gave a model of, and how to get one. @param {Context} context */
function absent(context) {
  const here = architectures(context);
  const lacking = (context.document.papers ?? []).flatMap((paper) =>
    paper.architectures
      .filter((/** @type {any} */ one) => one.task === "translation" && !here.has(one.name))
      .map((/** @type {any} */ one) => ({ paper, one })),
  );
  if (!lacking.length) return null;
  return section(
    WORDS.notHere,
    WORDS.notHereLede,
    h(
      "ul",
      { class: "absent" },
      lacking.map(({ paper, one }) =>
        h(
          "li",
          {},
          h("strong", {}, one.name),
          ` (${paper.year}) ${summaryOf(one.name, one.summary)}`,
          h("code", {}, trainCommand(paper, one)),
        ),
      ),
    ),
  );
}
