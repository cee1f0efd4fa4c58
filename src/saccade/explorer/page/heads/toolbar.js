/** What is shown of the heads: number, order, filter, unit. */
import { segmented, toggle } from "page/elements/controls";
import { h } from "page/elements/dom";
import { BADGES } from "page/heads/statistics";
import { heads as words } from "page/heads/words";
import { live } from "page/trace/live";
import { served } from "page/trace/server";

/** @import { Panel, PanelHead } from "page/heads/heads-of-trace" */
/** @import { Context, Control, Trace } from "page/types" */

/**
 * @param {string} label
 * @param {string} name
 * @param {string} value
 * @param {[string, string][]} options
 * @param {(value: any) => void} onchange
 */
function choice(label, name, value, options, onchange) {
  return h(
    "label",
    { class: "heads-choice" },
    h("span", {}, label),
    h(
      "select",
      {
        value,
        dataset: { focus: name } /** @param {Event & {target: Control}} event */,
        onchange: (event) => onchange(event.target.value),
      },
      options.map(([key, text]) => h("option", { value: key }, text)),
    ),
  );
}

/** @param {Context} context @param {any} panels */
export function toolbar(context, panels) {
  const { state, trace, set } = context;
  const mode = choice(
    words.mode.label,
    "heads-mode",
    state.one ? "word" : "heads",
    [
      ["heads", words.mode.heads],
      ["word", words.mode.word],
    ],
    (value) => set({ one: value === "word" }),
  );
  const unit = segmented(
    words.unit.label,
    ["word", "piece"].map((value) => ({ value, name: words.unit[/** @type {keyof typeof words.unit} */ (value)] })),
    state.unit,
    (value) => set({ unit: value, q: null, k: null }),
  );
  const hide = toggle(words.hide, state.hide, (value) => set({ hide: value }));
  if (state.one) return h("div", { class: "heads-bar" }, mode, unit, hide);
  const has =
    panels.some((/** @type {Panel} */ panel) =>
      panel.heads.some((/** @type {PanelHead} */ head) => head.facts.agreement !== null),
    ) || trace.alignment;
  const badge = choice(
    words.badge.label,
    "heads-badge",
    state.badge,
    BADGES.filter((name) => has || name !== "agreement").map((name) => [
      name,
      words.badge.names[/** @type {keyof typeof words.badge.names} */ (name)],
    ]),
    (value) => set({ badge: value, limit: null }),
  );
  const order = choice(
    words.order.label,
    "heads-order",
    state.order,
    ["grid", "high", "low"].map((name) => [name, words.order[/** @type {keyof typeof words.order} */ (name)]]),
    (value) => set({ order: value }),
  );
  const opens = choice(
    words.open.label,
    "heads-opens",
    state.opens,
    ["heat", "steps"].map((name) => [name, words.open[/** @type {keyof typeof words.open} */ (name)]]),
    (value) => set({ opens: value }),
  );
  const against =
    state.badge === "agreement" && has
      ? choice(
          words.reference.label,
          "heads-against",
          state.against,
          ["own", ...measures(trace)].map((name) => [
            name,
            words.reference[/** @type {keyof typeof words.reference} */ (name)],
          ]),
          (value) => set({ against: value }),
        )
      : null;
  return h("div", { class: "heads-bar" }, mode, badge, against, order, filter(context, panels), unit, hide, opens);
}

/** What else heads can be compared with: a model in the page makes no gradients. @param {Trace} trace */
function measures(trace) {
  if (served()) return ["occlusion", "gradient"];
  return live() ? ["occlusion"] : Object.keys(trace.influence?.tensors ?? {});
}

/**
 * A slider over the range the chosen number really has.
 * @param {Context} context
 * @param {Panel[]} panels
 */
function filter(context, panels) {
  const { state, set } = context;
  const values = panels
    .flatMap((panel) => panel.heads.map((head) => head.facts[state.badge]))
    .filter((value) => value !== null);
  if (!values.length) return null;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = Math.max((most - least) / 200, 1e-6);
  const label = state.order === "low" ? words.filter.most : words.filter.least;
  const start = state.order === "low" ? most : least;
  const now = state.limit ?? start;
  const input = h("input", {
    type: "range",
    min: least,
    max: most,
    step,
    dataset: { focus: "heads-limit" },
    "aria-valuetext": words.badge.format(state.badge, now),
    onchange: (event) => set({ limit: Number(Number(event.target.value).toFixed(6)) }),
  });
  input.value = String(now);
  const number = h("output", {}, words.badge.format(state.badge, now));
  input.addEventListener("input", () => {
    number.textContent = words.badge.format(state.badge, Number(input.value));
  });
  const off =
    state.limit === null
      ? null
      : h("button", { type: "button", class: "tool", onclick: () => set({ limit: null }) }, words.filter.off);
  return h(
    "span",
    { class: "heads-choice" },
    h("label", { class: "heads-choice" }, h("span", {}, label), input),
    number,
    off,
  );
}
