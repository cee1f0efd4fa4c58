/** What steers the Steps view: the choice of head, query and key, and the row of steps. */
import { h } from "page/elements/dom";
import { nameOf, pointing, wordAt } from "page/steps/facts";
import { IN_WORDS, SAY, STEPS } from "page/steps/words";
import { ANALOGIES } from "page/steps/words-analogies";
import { namedFor } from "page/trace/plain-names";
import { blocks, kinds } from "page/trace/trace";

/** @import { Choice, Facts } from "page/steps/facts" */
/** @import { AxisEntry, Context, State } from "page/types" */

/**
 * Which head, which query and key, which analogy and depth.
 * @param {Context} context
 * @param {Choice} choice
 * @param {Facts} told
 */
export function controls(context, choice, told) {
  const { trace } = context;
  const { block, head, q, k, rows, columns } = choice;
  /**
   * @param {string} name
   * @param {string} label
   * @param {any} value
   * @param {any} options
   * @param {(value: any) => void} onchange
   */
  const select = (name, label, value, options, onchange) =>
    h(
      "label",
      { class: "control" },
      h("span", {}, label),
      h(
        "select",
        {
          dataset: { focus: `steps-${name}` },
          value: String(value),
          onchange: (event) => onchange(event.target.value),
        },
        options.map((/** @type {any} */ [key, text]) => h("option", { value: key }, text)),
      ),
    );
  /** @param {AxisEntry[]} axis @param {any} predicted */
  const entry = (axis, predicted) =>
    axis.map((one, i) => [
      String(i),
      `${i} ${nameOf(one)}${predicted ? ` → ${nameOf({ label: predicted[i]?.piece ?? "" })}` : ""}`,
    ]);
  const target = block?.query_axis === "reads" ? trace.axes.target.tokens : null;
  const attention = () => [
    select(
      "kind",
      SAY.kind,
      choice.kind,
      kinds(trace).map((kind) => [kind, SAY.kinds[kind]]),
      (kind) => context.set({ kind, q: null, k: null }),
    ),
    select(
      "layer",
      SAY.layer,
      block.layer,
      blocks(trace, /** @type {NonNullable<typeof choice.kind>} */ (choice.kind)).map((one) => [
        String(one.layer),
        String(one.layer + 1),
      ]),
      (layer) => context.set({ layer: Number(layer) }),
    ),
    block.heads > 1
      ? select(
          "head",
          SAY.head,
          head,
          Array.from({ length: block.heads }, (_, i) => [String(i), String(i + 1)]),
          (one) => context.set({ head: Number(one) }),
        )
      : null,
    ...(choice.inWords ? byWord(choice.inWords) : byPiece()),
  ];
  const byPiece = () => [
    select("query", SAY.query, q, entry(rows, target), (one) => context.set(pointing(choice, { q: Number(one) }))),
    select("key", SAY.key, k, entry(columns, null), (one) => context.set(pointing(choice, { k: Number(one) }))),
  ];
  /** @param {NonNullable<Choice["inWords"]>} shown */
  const byWord = (shown) => {
    /** @param {AxisEntry[]} entries */
    const names = (entries) => namedFor(entries, "words").map((one, i) => [String(i), one.label]);
    // A row of the decoder is made from the word read last and decides the word written next: both name it.
    const queries = names(shown.rows).map(([key, name], i) => [
      key,
      target ? `${nameOf(rows[shown.rows[i].pieces[0]])} → ${name}` : name,
    ]);
    return [
      select("query", SAY.query, wordAt(shown.rows, q), queries, (one) =>
        context.set({ ...pointing(choice, {}), q: Number(one), k: null }),
      ),
      select("key", SAY.key, wordAt(shown.columns, k), names(shown.columns), (one) =>
        context.set({ ...pointing(choice, {}), k: Number(one) }),
      ),
    ];
  };
  return h(
    "div",
    { class: "controls steps-controls" },
    block ? attention() : null,
    context.state.depth === "words"
      ? null
      : h(
          "label",
          { class: "control" },
          h("span", {}, SAY.dimension),
          h("input", {
            type: "number",
            min: 0,
            max: (told.width ?? 1) - 1,
            value: choice.d,
            dataset: { focus: "steps-dimension" },
            onchange: (event) => context.set({ dimension: Math.max(0, Math.floor(Number(event.target.value)) || 0) }),
          }),
        ),
    select("analogy", SAY.analogy, context.state.analogy, Object.entries(ANALOGIES), (analogy) =>
      context.set({ analogy }),
    ),
  );
}

/** What a button calls its step. @param {string} id @param {State["depth"]} depth */
const shortName = (id, depth) =>
  (depth === "words" ? IN_WORDS[id] : undefined) ?? STEPS[/** @type {keyof typeof STEPS} */ (id)].short;

/**
 * The row of steps.
 * @param {Context} context
 * @param {{id: string, place: number}[]} steps
 * @param {number} now
 */
export function rail(context, steps, now) {
  return h(
    "nav",
    { class: "steps-rail", "aria-label": SAY.steps },
    h(
      "ol",
      {},
      steps.map(({ id }, i) =>
        h(
          "li",
          {},
          h(
            "button",
            {
              type: "button",
              "aria-current": i === now ? "step" : null,
              dataset: { focus: `rail-${i}` },
              onclick: () => move(context, steps, i),
            },
            h("span", { class: "number" }, String(i + 1)),
            ` ${shortName(id, context.state.depth)}`,
          ),
        ),
      ),
    ),
  );
}

/** @param {Context} context @param {{id: string, place: number}[]} steps @param {number} to */
export function move(context, steps, to) {
  if (to < 0 || to >= steps.length) return;
  context.say(SAY.step(to + 1, steps.length, STEPS[/** @type {keyof typeof STEPS} */ (steps[to].id)].title));
  context.set({ at: steps[to].place });
}

/** @param {Context} context @param {{id: string, place: number}[]} steps @param {number} now */
export function arrows(context, steps, now) {
  /** @param {string} name @param {number} to */
  const button = (name, to) =>
    h(
      "button",
      {
        type: "button",
        class: name === SAY.next ? "primary" : null,
        disabled: to < 0 || to >= steps.length,
        dataset: { focus: `go-${name}`, go: "yes" },
        onclick: () => move(context, steps, to),
      },
      name,
    );
  return h("div", { class: "arrows" }, button(SAY.back, now - 1), button(SAY.next, now + 1));
}
