/** Claims that can be checked at a step, with the numbers of this sentence: page/steps/words-claims has the words. */
import { h } from "page/elements/dom";
import { digits } from "page/numbers/numbers";
import { length, proportions, row, slope, softmax } from "page/steps/arithmetic";
import { allowedOf, headOf, sideOf, softmaxOf } from "page/steps/facts";
import { CHECK, CLAIMS, KIND_NAMES, PROPORTION } from "page/steps/words-claims";
import { blocks, mask, role } from "page/trace/trace";

/** @import { Choice } from "page/steps/facts" */
/** @import { Context, Tensor, Trace } from "page/types" */

/** Six scores of a worked example: the best row there is to see what softmax does. */
export const SIX = [89, 12, 32, 45, 73, 34];

const AT = {
  embedding: ["norms"],
  scale: ["options", "overflow"],
  mask: ["causal"],
  softmax: ["proportion", "overflow"],
};

const measured = {
  /** @param {Trace} trace @param {Choice} choice */
  norms(trace, choice) {
    const side = trace.embedding?.[sideOf(choice.block)];
    const [token, position] = [role(trace, side, "token"), role(trace, side, "position")];
    if (!token || !position || !(/** @type {NonNullable<typeof side>} */ (side).scale)) return null;
    /** @param {Tensor} tensor */
    const mean = ({ shape, data }) => {
      let total = 0;
      for (let i = 0; i < shape[0]; i++) total += length(row(data, shape[1], i));
      return total / shape[0];
    };
    return {
      scale: /** @type {NonNullable<typeof side>} */ (side).scale,
      after: mean(token),
      before: mean(token) / /** @type {NonNullable<typeof side>} */ (side).scale,
      position: mean(position),
    };
  },
  /** @param {Trace} trace @param {Choice} choice */
  options: (trace, choice) => {
    const keys = role(trace, choice.block, "k");
    return keys ? { dk: keys.shape[2], keys: choice.columns.length } : null;
  },
  /** @param {Trace} trace @param {Choice} choice */
  overflow(trace, choice) {
    const scores = headOf(role(trace, choice.block, "scores"), choice.head);
    if (!scores || choice.block.score !== "scaled-dot") return null;
    let largest = -Infinity;
    for (const score of scores) largest = Math.max(largest, score);
    const mine = row(scores, choice.columns.length, choice.q);
    const raw = softmax(mine, { allowed: allowedOf(trace, choice) });
    return {
      largest,
      bound: Math.log(3.4028234663852886e38),
      slopeScaled: slope(/** @type {any} */ (softmaxOf(trace, choice)).weights),
      slopeRaw: slope(raw.weights),
    };
  },
  proportion: () => ({}),
  /** @param {Trace} trace */
  causal: (trace) => ({
    kinds: ["enc", "dec", "cross"]
      .map((kind) => ({
        kind,
        name: KIND_NAMES[/** @type {keyof typeof KIND_NAMES} */ (kind)],
        ...covered(trace, kind),
      }))
      .filter((one) => one.cells > 0),
  }),
};

/**
 * How many cells of a kind's first block are covered.
 * @param {Trace} trace
 * @param {any} kind
 */
function covered(trace, kind) {
  const first = blocks(trace, kind)[0];
  const found = first ? mask(trace, first) : null;
  if (!first) return { cells: 0, covered: 0 };
  const [, queries, keys] = /** @type {any} */ (role(trace, first, "weights")).shape;
  return {
    cells: queries * keys,
    covered: found ? /** @type {Uint8Array} */ (found.data).reduce((sum, one) => sum + (one ? 0 : 1), 0) : 0,
  };
}

/**
 * The numbers behind a claim; null where the trace does not hold them.
 * @param {string} id
 * @param {Trace} trace
 * @param {Choice} choice
 */
export const numbersOf = (id, trace, choice) => measured[/** @type {keyof typeof measured} */ (id)](trace, choice);

/**
 * The claims of a step, each to be opened.
 * @param {Context} context
 * @param {string} step
 * @param {Choice} choice
 */
export function claims(context, step, choice) {
  const found = (AT[/** @type {keyof typeof AT} */ (step)] ?? [])
    .map((/** @type {string} */ id) => ({ id, numbers: numbersOf(id, context.trace, choice) }))
    .filter((one) => one.numbers);
  if (!found.length) return null;
  return h(
    "div",
    { class: "claims" },
    found.map((/** @type {any} */ { id, numbers }) => {
      const open = context.state.claim === id;
      return h(
        "details",
        { class: "claim", open, dataset: { claim: id } },
        h(
          "summary",
          {
            dataset: { focus: `claim-${id}` },
            onclick: (event) => {
              event.preventDefault();
              context.set({ claim: open ? "" : id });
            },
          },
          `${CHECK}: `,
          h("q", {}, /** @type {any} */ (CLAIMS)[id].claim),
        ),
        h("p", {}, /** @type {any} */ (CLAIMS)[id].answer(numbers)),
        id === "proportion" ? sixTable() : null,
      );
    }),
  );
}

function sixTable() {
  const columns = [
    [PROPORTION.score, SIX.map(String)],
    [PROPORTION.share, proportions(SIX).map((value) => digits(value, 4))],
    [PROPORTION.softmax, softmax(SIX).weights.map((value) => digits(value, 4))],
    [PROPORTION.six, softmax(SIX, { scale: 1 / Math.sqrt(6) }).weights.map((value) => digits(value, 4))],
    [PROPORTION.sixtyfour, softmax(SIX, { scale: 1 / 8 }).weights.map((value) => digits(value, 4))],
  ];
  return h(
    "table",
    { class: "six" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        columns.map(([name]) => h("th", { scope: "col" }, name)),
      ),
    ),
    h(
      "tbody",
      {},
      SIX.map((_, i) =>
        h(
          "tr",
          {},
          columns.map(([name, cells], j) =>
            h(j ? "td" : "th", /** @type {any} */ (j ? { dataset: { column: name } } : { scope: "row" }), cells[i]),
          ),
        ),
      ),
    ),
  );
}
