/** How long the vectors of this sentence are, before and after what changes them. */
import { h, word } from "page/elements/dom";
import { LISTED, named, onlyFirst } from "page/model/laboratory";
import { MODEL } from "page/model/words";
import { digits } from "page/numbers/numbers";
import { norms } from "page/position/table";
import { namedFor } from "page/trace/plain-names";
import { axis, role } from "page/trace/trace";

/** @import { Context } from "page/types" */

/** Lengths of the vectors of words and positions, before and after the factor. @param {Context} context */
export function vectorLengths(context) {
  const { trace } = context;
  const found = trace.embedding?.source ?? trace.embedding?.target;
  const side = trace.embedding?.source ? "source" : "reads";
  // A system whose embeddings go straight into its layers has nothing to compare them with.
  if (!found) return "";
  const section = h(
    "section",
    { "aria-labelledby": "model-lengths" },
    h("h2", { id: "model-lengths" }, MODEL.embedding),
  );
  const token = role(trace, found, "token");
  if (!token) {
    if (!context.waits()) section.append(h("p", { class: "note" }, context.failed()?.message ?? MODEL.missing));
    return section;
  }
  const scale = found.scale ?? 1;
  const position = role(trace, found, "position");
  const after = norms(token.data, token.shape[0], token.shape[1]);
  const place = position ? norms(position.data, position.shape[0], position.shape[1]) : null;
  const labels = named(namedFor(axis(trace, side, "piece"), context.state.depth)).map(({ label }) => label);
  const whole = scale !== 1 && place;
  /** @param {number} at */
  const cells = (at) =>
    whole
      ? [after[at] / scale, after[at], place[at], (place[at] / after[at]) * scale, place[at] / after[at]]
      : [after[at]];
  /** @param {any[]} list */
  const mean = (list) => list.reduce((total, value) => total + value, 0) / list.length;
  const all = labels.map((_, at) => cells(at));
  const averages = all[0].map((_, column) => mean(all.map((line) => line[column])));
  /** @param {any} name @param {any} values */
  const line = (name, values) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      values.map((/** @type {number} */ value) => h("td", {}, digits(value, 2))),
    );
  section.append(
    h("p", {}, scale === 1 ? MODEL.unscaled : MODEL.embeddingLead(scale)),
    context.state.depth === "words"
      ? ""
      : h(
          "div",
          {
            class: "table-scroll",
            tabindex: "0",
            role: "group",
            "aria-label": MODEL.embedding,
            dataset: { scroll: "lengths", focus: "lengths" },
          },
          h(
            "table",
            { class: "lab-table", dataset: { table: "lengths" } },
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                (whole ? MODEL.embeddingColumns : MODEL.plainColumns).map((name) => h("th", { scope: "col" }, name)),
              ),
            ),
            h(
              "tbody",
              {},
              all.slice(0, LISTED).map((values, at) => line(word(labels[at]), values)),
            ),
            h("tfoot", {}, line(MODEL.means, averages)),
          ),
        ),
    context.state.depth === "words" ? "" : onlyFirst(all.length),
    whole
      ? h(
          "p",
          { dataset: { fact: "lengths" } },
          MODEL.lengths(mean(all.map((values) => values[0])), mean(after), mean(place)),
        )
      : "",
  );
  return section;
}
