/** Model: how it is built, its letters and sizes, what acts in training, and a laboratory for norms and lengths. */

import { words } from "page/app/words";
import { figure } from "page/drawing/figure";
import { h, unseen } from "page/elements/dom";
import { i, math, sub } from "page/elements/mathml";
import { drawModel, size } from "page/model/drawing";
import { keys } from "page/model/keys";
import { labNeeds, normLab } from "page/model/laboratory";
import { readable } from "page/model/numbers";
import { plan, wired } from "page/model/plan";
import { summaryOf } from "page/model/summaries";
import { vectorLengths } from "page/model/vector-lengths";
import { MODEL } from "page/model/words";
import { digits } from "page/numbers/numbers";
import { thousands } from "page/numbers/thousands";

/** @import { Group, Plan } from "page/model/plan" */
/** @import { Context, State, Surface, Theme, Trace, View } from "page/types" */

/** @param {Context} context @param {Plan} found */
function drawing(context, found) {
  const { encoder, decoder } = found;
  /** @param {Group[]} groups */
  const listed = (groups) => groups.map(said).join(", ");
  const parts = [
    ...(encoder ? [`${MODEL.boxes.encoder}: ${listed(encoder)}`] : []),
    `${MODEL.boxes.decoder}: ${listed(decoder)}`,
  ];
  const { width, height } = size(found);
  return figure(context, {
    name: "model",
    title: MODEL.drawing,
    label: MODEL.drawingLabel(found.memory ? [...parts, found.memory.label] : parts),
    width,
    height,
    captions: [context.trace.model.name, MODEL.caption],
    /** @param {Surface} surface @param {Theme} theme */
    draw: (surface, theme) => drawModel(surface, found, theme),
  });
}

/** @param {Group} given */
const said = ({ times, boxes }) =>
  `${times > 1 ? `${times} times ` : ""}${boxes.map(({ label }) => label).join(" and ")}`;

/**
 * The boxes again, as a table with links.
 * @param {Context} context
 * @param {Plan} found
 */
function parts(context, found) {
  const [part, sizes, dropout, see] = MODEL.partColumns;
  const lines = [];
  for (const [name, groups] of /** @type {[keyof typeof MODEL.boxes, Group[] | null][]} */ ([
    ["encoder", found.encoder],
    ["decoder", found.decoder],
  ]))
    for (const { times, boxes } of groups ?? [])
      for (const box of boxes)
        if (box.kind !== "words" && box.kind !== "norm")
          lines.push({
            ...box,
            times,
            stack: MODEL.boxes[/** @type {NonNullable<typeof name>} */ /** @type {keyof typeof MODEL.boxes} */ (name)],
          });
  if (found.memory) lines.push({ ...found.memory, times: 1, stack: "" });
  const p = context.trace.model.letters?.P_drop;
  /** @param {any} given */
  const line = ({ stack, times, label, detail, link, dropout: drops }) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, [stack, stack ? ": " : "", times > 1 ? `${MODEL.times(times)} ` : "", label]),
      h("td", {}, detail ?? ""),
      h("td", {}, drops && p ? digits(p, 2) : ""),
      h(
        "td",
        {},
        link
          ? h(
              "a",
              { href: context.link(link.view, link), "aria-label": `${see}: ${stack} ${label}` },
              words.viewNames[/** @type {keyof typeof words.viewNames} */ (link.view)],
            )
          : "",
      ),
    );
  return h(
    "details",
    {},
    h("summary", {}, MODEL.parts),
    h(
      "div",
      {
        class: "table-scroll",
        tabindex: "0",
        role: "group",
        "aria-label": MODEL.parts,
        dataset: { scroll: "parts", focus: "parts" },
      },
      h(
        "table",
        { class: "lab-table left" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            [part, sizes, dropout, see].map((name) => h("th", { scope: "col" }, name)),
          ),
        ),
        h("tbody", {}, lines.map(line)),
      ),
    ),
  );
}

/** @param {string} written */
function letter(written) {
  const [name, index] = written.split("_");
  const formula = math(index ? sub(i(name), i(index)) : i(name));
  formula.setAttribute("aria-hidden", "true");
  return formula;
}

/** @param {Context} context */
function letters(context) {
  const values = context.trace.model.letters ?? {};
  // A letter that means nothing in this system is left out; one whose value was not kept says so.
  const kept = new Set(["eps_ls", "steps"]);
  const rows = Object.entries(MODEL.meanings).filter(
    ([name]) => name in values && (values[name] !== null || kept.has(name)),
  );
  const body = rows.map(([name, [written, meaning]]) =>
    h(
      "tr",
      { dataset: { letter: name } },
      h("th", { scope: "row" }, letter(written), unseen(written)),
      h("td", {}, name === "d_model" && !wired(context.trace) ? MODEL.outputs : meaning),
      h(
        "td",
        {},
        values[name] === null
          ? h("span", { class: "quiet-text" }, MODEL.unknown)
          : Number.isInteger(values[name])
            ? thousands(/** @type {number} */ (values[name]))
            : String(values[name]),
      ),
    ),
  );
  const { h: heads, d_k: each, d_model: width } = values;
  return h(
    "section",
    { "aria-labelledby": "model-letters" },
    h("h2", { id: "model-letters" }, MODEL.letters),
    h(
      "div",
      {
        class: "table-scroll",
        tabindex: "0",
        role: "group",
        "aria-label": MODEL.letters,
        dataset: { scroll: "letters", focus: "letters" },
      },
      h(
        "table",
        { class: "lab-table left" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            MODEL.letterColumns.map((name) => h("th", { scope: "col" }, name)),
          ),
        ),
        h("tbody", {}, body),
      ),
    ),
    heads && each ? h("p", { class: "quiet-text" }, MODEL.agree(heads, each, width)) : "",
  );
}

/** @param {Context} context */
function parameters(context) {
  const { counts = {}, model, tied = [] } = context.trace;
  const all = Object.values(counts).reduce((total, value) => total + value, 0) || model.parameters;
  const bars = Object.entries(counts)
    .sort((a, b) => b[1] - a[1])
    .map(([name, value]) =>
      h(
        "tr",
        { dataset: { part: name } },
        h("th", { scope: "row" }, readable(name)),
        h("td", {}, thousands(value)),
        h(
          "td",
          { class: "with-bar" },
          h("span", { class: "lab-bar", style: { "--share": String(value / all) }, "aria-hidden": "true" }),
          h("span", {}, `${digits((100 * value) / all, 1)} %`),
        ),
      ),
    );
  return h(
    "section",
    { "aria-labelledby": "model-parameters" },
    h("h2", { id: "model-parameters" }, MODEL.parameters),
    h("p", {}, MODEL.total(model.parameters)),
    h(
      "table",
      { class: "lab-table barred" },
      h("caption", { class: "unseen" }, MODEL.parameters),
      h("tbody", {}, bars),
    ),
    h("h3", {}, MODEL.tied),
    tied.length ? tied.map((names) => h("p", {}, MODEL.tiedLead(names))) : h("p", {}, MODEL.untied),
  );
}

/** @param {Context} context */
function training(context) {
  const { letters: values = {} } = context.trace.model;
  const { P_drop: p, eps_ls: smoothing } = values;
  return h(
    "section",
    { "aria-labelledby": "model-training" },
    h("h2", { id: "model-training" }, MODEL.training),
    h("p", {}, !p ? MODEL.noDropout : wired(context.trace) ? MODEL.dropout(p) : MODEL.plainDropout(p)),
    h("p", {}, typeof smoothing === "number" ? MODEL.smoothing(smoothing) : MODEL.unknownSmoothing),
  );
}

/** @type {View} */
export default {
  id: "model",
  key: "o",
  keys,
  title: words.viewNames.model,
  strip: "none",
  wide: true,
  /** @param {State} state @param {unknown} _ @param {Trace} trace */
  needs: (state, _, trace) => (trace ? labNeeds(state, trace) : []),
  /** @param {HTMLElement} main @param {Context} context */
  render(main, context) {
    const root = h("div", { class: "lab" });
    main.append(root);
    const { model } = context.trace;
    const found = plan(context.trace);
    root.append(
      h("h1", {}, MODEL.title),
      h("p", { class: "lede" }, MODEL.lede({ ...model, summary: summaryOf(model.architecture, model.summary) })),
      model.paper ? h("p", { class: "quiet-text" }, `${MODEL.paper}: ${model.paper}`) : "",
      h(
        "div",
        { class: "model-top" },
        h(
          "div",
          {},
          drawing(context, found),
          h(
            "p",
            { class: "quiet-text" },
            MODEL.caption,
            model.letters?.P_drop && wired(context.trace) ? ` ${MODEL.dots}` : "",
          ),
          parts(context, found),
          training(context),
        ),
        h("div", {}, letters(context), parameters(context)),
      ),
      vectorLengths(context),
      normLab(context),
    );
  },
};
