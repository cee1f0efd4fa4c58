/** One word in two sentences: where each head looks, what moved, and how much its encoder state changed. */
import { words } from "page/ancestors/columns";
import { cosine, meanRow, moved, sideBySide } from "page/ancestors/word-pairs";
import { WORDS } from "page/ancestors/words";
import { matrix } from "page/drawing/matrix";
import { h, word } from "page/elements/dom";
import { argmax, digits, percent } from "page/numbers/numbers";
import { blocks, role } from "page/trace/trace";

/** @import { WordEntry } from "page/ancestors/columns" */
/** @import { Pair } from "page/ancestors/word-pairs" */
/** @import { Block, Context, Control, Tensor, Trace } from "page/types" */

/**
 * Two sentences and which of their words are the same.
 * @typedef {object} Compared
 * @property {Trace} left
 * @property {Trace} right
 * @property {Pair[]} pairs
 * @property {Pair[]} shared
 * @property {WordEntry[]} leftWords
 * @property {WordEntry[]} rightWords
 */

const SAY = WORDS.compare;
const MOST_HEADS = 8;

/**
 * The rows of one word in all heads of a block and in their mean, over the words of its own sentence.
 * @param {Trace} trace
 * @param {Block} one
 * @param {any} place
 */
function rowsOf(trace, one, place) {
  const {
    shape: [heads, , columns],
    data,
  } = /** @type {Tensor} */ (role(trace, one, "weights"));
  const list = words(trace, "source");
  const { pieces } = list[place];
  const rows = Array.from({ length: heads }, (_, head) =>
    Float64Array.from(list, (column) => {
      let total = 0;
      for (const row of pieces) for (const at of column.pieces) total += data[(head * columns + row) * columns + at];
      return total / pieces.length;
    }),
  );
  const mean = Float64Array.from(list, (_, at) => rows.reduce((sum, row) => sum + row[at] / heads, 0));
  return [...rows.map((row, head) => ({ head, row })), { head: "mean", row: mean }];
}

/**
 * Every head of every layer, by how much of the word's attention went elsewhere.
 * @param {Compared} given
 * @param {Pair} place
 */
function ranking({ left, right, pairs }, place) {
  /** @type {any[]} */
  const found = [];
  for (const one of blocks(left, "enc")) {
    const twin = blocks(right, "enc").find((other) => other.id === one.id);
    const [before, after] = [
      rowsOf(left, one, place.left),
      rowsOf(right, /** @type {NonNullable<typeof twin>} */ (twin), place.right),
    ];
    before.forEach(({ head, row }, i) =>
      found.push({ block: one, head, before: row, after: after[i].row, share: moved(pairs, row, after[i].row) }),
    );
  }
  return found;
}

/** @param {Context} context @param {any} given */
export function looking(context, given) {
  const { left, pairs, shared, leftWords, rightWords } = given;
  if (!blocks(left, "enc").length) return h("p", { class: "note" }, SAY.noBlocks);
  const { state } = context;
  /** @param {Pair} pair */
  const measure = (pair) =>
    Math.max(
      ...ranking(given, pair)
        .filter(({ head }) => head === "mean")
        .map(({ share }) => share),
    );
  const chosen =
    shared.find((/** @type {Pair} */ pair) => pair.left === state.cw) ??
    shared.reduce((/** @type {any} */ best, /** @type {Pair} */ pair) => (measure(pair) > measure(best) ? pair : best));
  const all = ranking(given, chosen);
  const ranked = all
    .filter((one) => one.head !== "mean")
    .sort((a, b) => b.share - a.share)
    .slice(0, MOST_HEADS);
  // Until somebody chooses, the head that moved most is the one worth seeing.
  const last = /** @type {any} */ (blocks(left, "enc").at(-1)).layer;
  const chosenHead = all.find((one) => one.block.layer === (state.layer ?? last) && one.head === state.head);
  const now = state.layer === null && state.head === "mean" ? ranked[0] : (chosenHead ?? ranked[0]);
  /** @param {Pair} pair */
  const label = (pair) => {
    const [a, b] = [
      pair.left === null ? null : leftWords[pair.left].label,
      pair.right === null ? null : rightWords[pair.right].label,
    ];
    return a === b ? a : `${a ?? "–"} / ${b ?? "–"}`;
  };
  const beside = sideBySide(pairs, now.before, now.after);
  const data = Float64Array.from([...beside.map((one) => one.left), ...beside.map((one) => one.right)]);
  const mask = {
    data: Uint8Array.from([
      ...pairs.map((/** @type {Pair} */ pair) => Number(pair.left !== null)),
      ...pairs.map((/** @type {Pair} */ pair) => Number(pair.right !== null)),
    ]),
  };
  /** @param {any} one */
  const named = (one) =>
    one.head === "mean" ? SAY.meanHead(one.block.layer + 1) : SAY.layerHead(one.block.layer + 1, one.head + 1);
  const name = leftWords[chosen.left].label;
  /** @param {any[]} list @param {any} row */
  const strongest = (list, row) => {
    const at = argmax(row);
    return h("span", {}, word(list[at].label), ` ${digits(row[at], 2)}`);
  };
  /** @param {Event & {target: Control}} event */
  const choose = (event) => context.set({ cw: Number(event.target.value) });
  return h(
    "div",
    { class: "looking" },
    h(
      "label",
      { class: "picker" },
      `${SAY.word} `,
      h(
        "select",
        { value: String(chosen.left), dataset: { focus: "cw", picker: "cw" }, onchange: choose },
        shared.map((/** @type {Pair} */ pair) =>
          h(
            "option",
            { value: String(pair.left), dir: "auto" },
            leftWords[/** @type {NonNullable<typeof pair.left>} */ (pair.left)].label,
          ),
        ),
      ),
    ),
    matrix(context, {
      values: { rows: 2, columns: pairs.length, data },
      rows: [SAY.before, SAY.after],
      columns: pairs.map(label),
      mask,
      title: `“${name}”, ${named(now)}`,
      name: "compare",
      axes: [WORDS.axes.sentence, WORDS.axes.looks],
      legend: true,
    }),
    h("p", { class: "said", dataset: { moved: now.share.toFixed(6) } }, SAY.moved(percent(now.share))),
    h("h3", {}, SAY.movedBy),
    h(
      "div",
      {
        class: "table-scroll",
        tabindex: "0",
        role: "region",
        "aria-label": SAY.movedBy,
        dataset: { scroll: "ranking" },
      },
      h(
        "table",
        { class: "ranking" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("td"),
            [SAY.mostMoved, `${SAY.first}: ${SAY.strongest}`, `${SAY.second}: ${SAY.strongest}`].map((text) =>
              h("th", { scope: "col" }, text),
            ),
          ),
        ),
        h(
          "tbody",
          {},
          ranked.map((one) =>
            h(
              "tr",
              {},
              h(
                "th",
                { scope: "row" },
                h(
                  "button",
                  {
                    type: "button",
                    class: "tool",
                    dataset: { focus: `rank-${one.block.id}-${one.head}` },
                    onclick: () => context.set({ layer: one.block.layer, head: one.head, cw: chosen.left }),
                  },
                  named(one),
                ),
              ),
              h("td", {}, percent(one.share)),
              h("td", {}, strongest(leftWords, one.before)),
              h("td", {}, strongest(rightWords, one.after)),
            ),
          ),
        ),
      ),
    ),
  );
}

/**
 * How much the reader's vector of each shared word changed.
 * @param {Trace} left
 * @param {Trace} right
 * @param {Pair[]} shared
 * @param {any} leftWords
 * @param {any} rightWords
 */
export function vectors(left, right, shared, leftWords, rightWords) {
  const [before, after] = [role(left, left.memory, "states"), role(right, right.memory, "states")];
  if (left.memory.kind !== "list" || !before || !after) return null;
  const values = shared.map((pair) =>
    cosine(
      meanRow(before, leftWords[/** @type {NonNullable<typeof pair.left>} */ (pair.left)].pieces),
      meanRow(after, rightWords[/** @type {NonNullable<typeof pair.right>} */ (pair.right)].pieces),
    ),
  );
  return h(
    "div",
    {},
    h("h3", {}, SAY.vectors),
    h("p", { class: "lede" }, SAY.vectorsLede),
    h(
      "div",
      {
        class: "table-scroll",
        tabindex: "0",
        role: "region",
        "aria-label": SAY.vectors,
        dataset: { scroll: "vectors" },
      },
      h(
        "table",
        { class: "vectors" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            shared.map((pair) =>
              h(
                "th",
                { scope: "col" },
                word(leftWords[/** @type {NonNullable<typeof pair.left>} */ (pair.left)].label),
              ),
            ),
          ),
        ),
        h(
          "tbody",
          {},
          h(
            "tr",
            {},
            values.map((value) => h("td", {}, digits(value, 3))),
          ),
        ),
      ),
    ),
  );
}
