/** What can be chosen in the Ancestors view: the translation read, the words, the path and the measure. */
import { alignment, models } from "page/ancestors/columns";
import { meanEntropy, meanLargest } from "page/ancestors/rows";
import { WORDS } from "page/ancestors/words";
import { h } from "page/elements/dom";
import { digits } from "page/numbers/numbers";

/** @import { Column, WordEntry } from "page/ancestors/columns" */
/** @import { ChosenWords } from "page/ancestors/path-row" */
/** @import { Context, State } from "page/types" */

/**
 * A choice of a few, as radio buttons that a keyboard walks through.
 * @param {string} name
 * @param {string} title
 * @param {[string, string][]} options
 * @param {string} value
 * @param {(value: string) => void} choose
 */
export function choice(name, title, options, value, choose) {
  return h(
    "fieldset",
    { class: "choice" },
    h("legend", {}, title),
    options.map(([key, label]) =>
      h(
        "label",
        {},
        h("input", {
          type: "radio",
          name,
          value: key,
          checked: key === value,
          dataset: { focus: `${name}-${key}` },
          onchange: () => choose(key),
        }),
        label,
      ),
    ),
  );
}

/**
 * @param {string} title
 * @param {string} name
 * @param {WordEntry[]} list
 * @param {number | null} value
 * @param {any} choose
 * @param {string | null} [first]
 */
function picker(title, name, list, value, choose, first = null) {
  const options = [
    ...(first ? [h("option", { value: "" }, first)] : []),
    ...list.map((one, i) => h("option", { value: String(i), dir: "auto" }, one.label)),
  ];
  return h(
    "label",
    { class: "picker" },
    title,
    " ",
    h(
      "select",
      {
        dataset: { focus: name, picker: name },
        value: value === null ? "" : String(value),
        onchange: (event) => choose(event.target.value === "" ? null : Number(event.target.value)),
      },
      options,
    ),
  );
}

/** @param {Context} context @param {Column[]} shown */
export function choices(context, shown) {
  const { state } = context;
  const leading = models(context)[0];
  const forced =
    shown.length > 1
      ? choice(
          "forced",
          WORDS.whichTranslation,
          [
            ["0", WORDS.own],
            ["1", WORDS.forced],
          ],
          state.forced ? "1" : "0",
          (key) => context.set({ forced: key === "1" }),
        )
      : null;
  return h(
    "div",
    { class: "choices" },
    forced,
    forced
      ? h("p", { class: "note" }, state.forced ? WORDS.forcedNote(leading.name ?? leading.id) : WORDS.ownNote)
      : null,
  );
}

/** @param {Context} context @param {ChosenWords} chosen */
export function ways(context, chosen) {
  const { state } = context;
  /** @param {string} key */
  const pick = (key) => (/** @type {number} */ value) => context.set({ [key]: value });
  return h(
    "div",
    { class: "choices" },
    choice(
      "path",
      WORDS.pathMode,
      [
        ["inside", WORDS.inside],
        ["across", WORDS.across],
      ],
      state.path,
      (key) => context.set({ path: /** @type {State["path"]} */ (key) }),
    ),
    picker(WORDS.from, "wa", chosen.source, chosen.first, pick("wa")),
    state.path === "across"
      ? picker(WORDS.target, "wt", chosen.target, chosen.written, pick("wt"))
      : picker(WORDS.to, "wb", chosen.source, chosen.second, pick("wb")),
  );
}

/** @param {Context} context @param {ChosenWords} chosen */
export function aim(context, chosen) {
  return h(
    "div",
    { class: "choices" },
    picker(
      WORDS.influenceOf,
      "influence",
      chosen.target,
      context.state.wt,
      (/** @type {number | null} */ value) => context.set({ wt: value }),
      WORDS.all,
    ),
  );
}

/**
 * How sharply the two looks of 2015 look at this sentence, where models of both are here.
 * @param {Context} context
 * @param {Column[]} shown
 */
export function measured(context, shown) {
  const found = ["bahdanau2015", "luong2015"].map((key) => {
    const names =
      (context.document.papers ?? [])
        .find((paper) => paper.key === key)
        ?.architectures.map((/** @type {any} */ one) => one.name) ?? [];
    const trace = shown.find((column) => column.trace && names.includes(column.model.architecture))?.trace;
    return trace ? alignment(trace) : null;
  });
  if (found.some((one) => !one)) return [];
  return [
    { name: WORDS.measuredEntropy, cells: found.map((one) => `${digits(meanEntropy(one), 2)} bits`) },
    { name: WORDS.measuredBest, cells: found.map((one) => digits(meanLargest(one), 2)) },
  ];
}
