/**
 * Two sentences in one model: which words look elsewhere when one word changes.
 *
 * Shared words are paired in order. For the chosen word its row of attention in each sentence stands side by side,
 * and a table ranks all heads by how much of the row moved. For models without attention in the reader, and besides
 * for all, the vectors of shared words are compared.
 */
import { words } from "page/ancestors/columns";
import { cosine, meanRow, moved, paired, sideBySide } from "page/ancestors/word-pairs";
import { WORDS } from "page/ancestors/words";
import { presets } from "page/app/example-sentences";
import { matrix } from "page/drawing/matrix";
import { h, word } from "page/elements/dom";
import { argmax, digits, percent } from "page/numbers/numbers";
import { wishOf } from "page/trace/store";
import { blocks, role } from "page/trace/trace";

const SAY = WORDS.compare;
const MOST_HEADS = 8;

/**
 * Pairs in which one change moves a meaning: those of the presets, and more. `word` is the one whose look is asked
 * for.
 */
const ASKED = { T3: "it", T4: "transformers", T5: "their" };
export const PAIRS = [
  ...presets
    .filter(({ sentences }) => sentences.length === 2)
    .map(({ id, sentences: [first, second] }) => ({ first, second, word: ASKED[id] ?? null })),
  {
    first: "The dog chased the ball because it was bored.",
    second: "The dog chased the ball because it was red.",
    word: "it",
  },
  {
    first: "Several old transformers had fallen from the poles.",
    second: "Several large transformers had learned from the texts.",
    word: "transformers",
  },
];

/** @param {any} context @returns {HTMLElement} */
export function comparison(context) {
  const { state, trace } = context;
  const other = state.cmp.trim();
  const input = h("input", {
    type: "text",
    id: "other-sentence",
    dir: "auto",
    value: state.cmp,
    dataset: { focus: "cmp" },
    spellcheck: "false",
  });
  const compare = (event) => {
    event.preventDefault();
    context.set({ cmp: input.value.trim(), cw: null });
  };
  return h(
    "section",
    { class: "comparison", id: "comparison" },
    h("h2", {}, SAY.title),
    h(
      "p",
      { class: "lede" },
      SAY.lede,
      " ",
      trace ? SAY.model(trace.model.name, context.document.models.length > 1) : null,
    ),
    h(
      "form",
      { class: "other", onsubmit: compare },
      h("label", { for: "other-sentence" }, SAY.other),
      input,
      h("button", { type: "submit" }, SAY.show),
    ),
    choicesOf(context),
    other && trace ? body(context, other) : h("p", { class: "note" }, SAY.empty),
  );
}

/** Pairs to try; a file without a server has only the sentences that are in it. */
function choicesOf(context) {
  const { document, served, state } = context;
  const button = (label, changes) =>
    h(
      "button",
      { type: "button", class: "tool", dataset: { focus: `pair-${label}` }, onclick: () => context.set(changes) },
      word(label),
    );
  if (served)
    return h(
      "p",
      { class: "pairs" },
      `${SAY.presets}: `,
      PAIRS.map((pair) =>
        button(pairName(pair), { sentence: pair.first, cmp: pair.second, cw: placeOf(pair.first, pair.word) }),
      ),
    );
  const held = new Set(
    document.traces
      .filter((one) => one.model.id === state.model && !one.options.force && !one.what_if)
      .map((one) => wishOf(one).sentence),
  );
  held.delete(state.sentence);
  return held.size
    ? h(
        "p",
        { class: "pairs" },
        `${SAY.inFile}: `,
        [...held].map((one) => button(one, { cmp: one, cw: null })),
      )
    : null;
}

const SHORT = 5;

/** A pair in few words: how it begins, and what changes. */
function pairName({ first, second }) {
  const [left, right] = [first.split(" "), second.split(" ")];
  const pairs = paired(left, right).filter(
    (pair) => pair.left === null || pair.right === null || left[pair.left] !== right[pair.right],
  );
  const changed = (list, side) =>
    pairs.filter((pair) => pair[side] !== null).map((pair) => list[pair[side]].replace(/[.,]/g, ""));
  const [lost, won] = [changed(left, "left"), changed(right, "right")];
  const few = lost.length <= SHORT && won.length <= SHORT;
  return few
    ? `${left.slice(0, 3).join(" ")} … ${lost.join(" ")} / ${won.join(" ")}`
    : `${left.slice(0, 4).join(" ")} … / ${right.slice(0, 4).join(" ")} …`;
}

/** The place of a word among those of a sentence; null where it has none, and the word that moved most is shown. */
function placeOf(sentence, wanted) {
  const place = sentence.split(" ").findIndex((one) => one.replace(/\P{L}+$/u, "") === wanted);
  return place < 0 ? null : place;
}

/** What a change of the sentence leaves as it is. */
const asked = (sentence) => ({ sentence, force: "", prefix: "", whatif: "" });

function body(context, other) {
  const changes = asked(other);
  const left = context.want(asked(context.state.sentence), ["memory"]);
  const right = context.want(changes, ["memory"]);
  const error = context.failed(changes);
  if (error) return h("p", { class: "problem", role: "alert" }, `${error.message} ${error.hint ?? ""}`);
  if (!left || !right) {
    if (context.served) return h("p", { class: "waiting" }, WORDS.waiting);
    return h("p", { class: "note" }, WORDS.missing, " ", h("code", {}, SAY.missingHow(context.state.sentence, other)));
  }
  const [leftWords, rightWords] = [words(left, "source"), words(right, "source")];
  const pairs = paired(leftWords.map(nameOf), rightWords.map(nameOf));
  const shared = pairs.filter(
    (pair) =>
      pair.left !== null &&
      pair.right !== null &&
      nameOf(leftWords[pair.left]) === nameOf(rightWords[pair.right]) &&
      !leftWords[pair.left].special,
  );
  return h(
    "div",
    {},
    translations(left, right, pairs),
    shared.length
      ? looking(context, { left, right, pairs, shared, leftWords, rightWords })
      : h("p", { class: "note" }, SAY.none),
    shared.length ? vectors(left, right, shared, leftWords, rightWords) : null,
  );
}

const nameOf = (one) => (one.special ? `\u0000${one.special}` : one.label);

/** A sentence with the words marked that the other has not. */
function marked(trace, pairs, side) {
  const other = side === "left" ? "right" : "left";
  const list = words(trace, "source");
  const own = new Map(pairs.filter((pair) => pair[side] !== null).map((pair) => [pair[side], pair]));
  const same = (i) => own.get(i)?.[other] !== null && pairs.find((pair) => pair[side] === i).same !== false;
  return list
    .filter((one) => !one.special)
    .flatMap((one) => [same(list.indexOf(one)) ? word(one.label) : h("mark", {}, word(one.label)), " "]);
}

function translations(left, right, pairs) {
  const [leftWords, rightWords] = [words(left, "source"), words(right, "source")];
  for (const pair of pairs)
    pair.same =
      pair.left !== null && pair.right !== null && nameOf(leftWords[pair.left]) === nameOf(rightWords[pair.right]);
  const line = (name, trace, side) =>
    h(
      "div",
      {},
      h("dt", {}, name),
      h("dd", {}, h("p", {}, marked(trace, pairs, side)), h("p", { class: "output" }, word(trace.output.text))),
    );
  return h("dl", { class: "two" }, line(SAY.first, left, "left"), line(SAY.second, right, "right"));
}

/** The rows of one word in all heads of a block and in their mean, over the words of its own sentence. */
function rowsOf(trace, one, place) {
  const {
    shape: [heads, , columns],
    data,
  } = role(trace, one, "weights");
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

/** Every head of every layer, by how much of the word's attention went elsewhere. */
function ranking({ left, right, pairs }, place) {
  const found = [];
  for (const one of blocks(left, "enc")) {
    const twin = blocks(right, "enc").find((other) => other.id === one.id);
    const [before, after] = [rowsOf(left, one, place.left), rowsOf(right, twin, place.right)];
    before.forEach(({ head, row }, i) =>
      found.push({ block: one, head, before: row, after: after[i].row, share: moved(pairs, row, after[i].row) }),
    );
  }
  return found;
}

function looking(context, given) {
  const { left, pairs, shared, leftWords, rightWords } = given;
  if (!blocks(left, "enc").length) return h("p", { class: "note" }, SAY.noBlocks);
  const { state } = context;
  const measure = (pair) =>
    Math.max(
      ...ranking(given, pair)
        .filter(({ head }) => head === "mean")
        .map(({ share }) => share),
    );
  const chosen =
    shared.find((pair) => pair.left === state.cw) ??
    shared.reduce((best, pair) => (measure(pair) > measure(best) ? pair : best));
  const all = ranking(given, chosen);
  const ranked = all
    .filter((one) => one.head !== "mean")
    .sort((a, b) => b.share - a.share)
    .slice(0, MOST_HEADS);
  // Until somebody chooses, the head that moved most is the one worth seeing.
  const last = blocks(left, "enc").at(-1).layer;
  const chosenHead = all.find((one) => one.block.layer === (state.layer ?? last) && one.head === state.head);
  const now = state.layer === null && state.head === "mean" ? ranked[0] : (chosenHead ?? ranked[0]);
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
      ...pairs.map((pair) => Number(pair.left !== null)),
      ...pairs.map((pair) => Number(pair.right !== null)),
    ]),
  };
  const named = (one) =>
    one.head === "mean" ? SAY.meanHead(one.block.layer + 1) : SAY.layerHead(one.block.layer + 1, one.head + 1);
  const name = leftWords[chosen.left].label;
  const strongest = (list, row) => {
    const at = argmax(row);
    return h("span", {}, word(list[at].label), ` ${digits(row[at], 2)}`);
  };
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
        shared.map((pair) => h("option", { value: String(pair.left), dir: "auto" }, leftWords[pair.left].label)),
      ),
    ),
    matrix(context, {
      values: { rows: 2, columns: pairs.length, data },
      rows: [SAY.before, SAY.after],
      columns: pairs.map(label),
      mask,
      title: `“${name}”, ${named(now)}`,
      name: "compare",
      axes: ["sentence", "looks at"],
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

/** How much the reader's vector of each shared word changed. */
function vectors(left, right, shared, leftWords, rightWords) {
  const [before, after] = [role(left, left.memory, "states"), role(right, right.memory, "states")];
  if (left.memory.kind !== "list" || !before || !after) return null;
  const values = shared.map((pair) =>
    cosine(meanRow(before, leftWords[pair.left].pieces), meanRow(after, rightWords[pair.right].pieces)),
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
            shared.map((pair) => h("th", { scope: "col" }, word(leftWords[pair.left].label))),
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
