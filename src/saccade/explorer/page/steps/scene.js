/**
 * What each step draws: a list of pictures, in the order of reading.
 *
 * A picture is data: {key, name, shape, values, rows, columns?, kind, main, deep, room, mask, limit, cursor, pick}.
 * `kind` is "strip" for vectors, "matrix" for queries against keys; `name` is the tensor it shows, or what it was
 * computed from; `main` is the one that a reader who wants words only sees, `deep` is for readers of tensors; `room`
 * is the share of the width. page/steps/pictures draws them.
 */
import { extent } from "page/numbers/numbers";
import { feedforwardOf, headOf, inputOf, pointing, sideOf } from "page/steps/facts";
import { grid, headStrip, numbered, ofKey, ofQuery, ofUnit, projection, strip } from "page/steps/scene-pictures";
import { axis, mask, role, tensor } from "page/trace/trace";

/** @import { Choice, Facts } from "page/steps/facts" */
/** @import { Trace } from "page/types" */

/** @param {Trace} trace @param {Choice} choice */
function scaledScores(trace, { block, head }) {
  const scores = headOf(role(trace, block, "scores"), head);
  return scores ? Float32Array.from(scores, (score) => score * (block.scale ?? 1)) : null;
}

/** @param {Choice} choice @param {string} role_ */
const named = (choice, role_) => choice.block?.tensors?.[role_];

const scenes = {
  tokens: () => [],

  /** @param {Trace} trace @param {Choice} choice */
  embedding: (trace, choice) => {
    const side = trace.embedding?.[sideOf(choice.block)];
    return [
      strip("token", side?.tensors.token, role(trace, side, "token"), choice.rows, choice, choice.q, {
        main: true,
        ...ofQuery(choice),
      }),
    ];
  },

  /** @param {Trace} trace @param {Choice} choice */
  position: (trace, choice) => {
    const side = trace.embedding?.[sideOf(choice.block)];
    const found = ["token", "position", "sum"].map((name) => role(trace, side, name));
    // Places are waves between -1 and 1; beside pieces of ten times that size they would be blank, so they have a
    // scale of their own.
    const shared = Math.max(...[found[0], found[2]].map((one) => (one ? extent(one.data) : 0)));
    const limits = [shared, found[1] ? extent(found[1].data) : 1, shared];
    return ["token", "position", "sum"].map((name, i) =>
      strip(name, side?.tensors[name], found[i], choice.rows, choice, choice.q, {
        limit: limits[i],
        main: name === "position",
        ...ofQuery(choice),
      }),
    );
  },

  /** @param {Trace} trace @param {Choice} choice */
  qkv: (trace, choice) => {
    const { block, rows, columns, q, k } = choice;
    const input = inputOf(trace, block);
    const made = { q: role(trace, block, "q"), k: role(trace, block, "k"), v: role(trace, block, "v") };
    const limit = Math.max(
      ...Object.values(made).map((one) => (one ? extent(/** @type {any} */ (headOf(one, choice.head))) : 0)),
    );
    const cross = block.kind === "cross";
    /** @param {string} name */
    const wide = (name) => made[/** @type {keyof typeof made} */ (name)]?.shape[2] ?? 0;
    return [
      strip("input", input, tensor(trace, input), rows, choice, q, {
        cursor: { row: q, column: 0 },
        /** @param {number} row */
        pick: (row) => pointing(choice, { q: row }),
      }),
      cross
        ? strip("memory", trace.memory?.tensors?.states, role(trace, trace.memory, "states"), columns, choice, k, {
            cursor: { row: k, column: 0 },
            /** @param {number} row */
            pick: (row) => pointing(choice, { k: row }),
          })
        : null,
      ...["q", "k", "v"].map((name) => projection(`w_${name}`, trace, choice, /** @type {any} */ (wide(name)))),
      headStrip("q", named(choice, "q"), made.q, rows, choice, q, {
        limit,
        main: true,
        room: "third",
        ...ofQuery(choice),
      }),
      headStrip("k", named(choice, "k"), made.k, columns, choice, k, {
        limit,
        main: true,
        room: "third",
        ...ofKey(choice),
      }),
      headStrip("v", named(choice, "v"), made.v, columns, choice, k, {
        limit,
        main: true,
        room: "third",
        ...ofKey(choice),
      }),
    ];
  },

  /** @param {Trace} trace @param {Choice} choice */
  memory: (trace, choice) => {
    const states = role(trace, trace.memory, "states");
    const rows = trace.memory?.kind === "list" ? choice.rows : numbered("vector", states?.shape[0] ?? 0);
    return [
      strip("carried", trace.memory?.tensors?.states, states, rows, choice, 0, { main: true, ...ofUnit(choice) }),
    ];
  },

  /** @param {Trace} trace @param {Choice} choice */
  states: (trace, choice) => {
    const { block, rows, columns, q, k } = choice;
    return [
      headStrip("q", named(choice, "q"), role(trace, block, "q"), rows, choice, q, { main: true, ...ofQuery(choice) }),
      headStrip("k", named(choice, "k"), role(trace, block, "k"), columns, choice, k, { main: true, ...ofKey(choice) }),
    ];
  },

  /** @param {Trace} trace @param {Choice} choice */
  scores: (trace, choice) => {
    const { block, head, rows, columns, q, k } = choice;
    const scores = headOf(role(trace, block, "scores"), head);
    return [
      grid("scores", `${named(choice, "scores")}[${head}]`, scores, choice, { main: true, room: "tall" }),
      headStrip("q", named(choice, "q"), role(trace, block, "q"), rows, choice, q, {
        room: "half",
        ...ofQuery(choice),
      }),
      headStrip("k", named(choice, "k"), role(trace, block, "k"), columns, choice, k, {
        room: "half",
        ...ofKey(choice),
      }),
      headStrip("q_hidden", named(choice, "q_hidden"), role(trace, block, "q_hidden"), rows, choice, q, {
        room: "half",
        deep: true,
        ...ofQuery(choice),
      }),
      headStrip("k_hidden", named(choice, "k_hidden"), role(trace, block, "k_hidden"), columns, choice, k, {
        room: "half",
        deep: true,
        ...ofKey(choice),
      }),
    ];
  },

  /** @param {Trace} trace @param {Choice} choice */
  scale: (trace, choice) => {
    const scores = headOf(role(trace, choice.block, "scores"), choice.head);
    const limit = scores ? extent(scores) : 1;
    const name = `${named(choice, "scores")}[${choice.head}]`;
    return [
      grid("scores", name, scores, choice, { limit, room: "half" }),
      grid("scaled", `${name} × scale`, scaledScores(trace, choice), choice, { limit, room: "half", main: true }),
    ];
  },

  /** @param {Trace} trace @param {Choice} choice */
  factor: (trace, choice) => scenes.scale(trace, choice),

  /** @param {Trace} trace @param {Choice} choice */
  mask: (trace, choice) => {
    const allowed = mask(trace, choice.block);
    const name = `${named(choice, "scores")}[${choice.head}] × scale`;
    return [
      grid("masked", name, scaledScores(trace, choice), choice, { mask: allowed, main: true }) ??
        grid("mask", named(choice, "mask"), allowed?.data, choice, { mask: allowed, scale: "weights", main: true }),
    ];
  },

  /** @param {Trace} trace @param {Choice} choice */
  softmax: (trace, choice) => [
    grid(
      "weights",
      `${named(choice, "weights")}[${choice.head}]`,
      headOf(role(trace, choice.block, "weights"), choice.head),
      choice,
      { scale: "weights", mask: mask(trace, choice.block), main: true, room: "half" },
    ),
  ],

  /** @param {Trace} trace @param {Choice} choice */
  values: (trace, choice) => {
    const { block, head, rows, columns, q, k } = choice;
    const [values, out] = [role(trace, block, "v"), role(trace, block, "head_out")];
    const limit = values ? extent(/** @type {any} */ (headOf(values, head))) : 1;
    return [
      grid("weights", `${named(choice, "weights")}[${head}]`, headOf(role(trace, block, "weights"), head), choice, {
        scale: "weights",
        mask: mask(trace, block),
        room: "tall",
      }),
      headStrip("v", named(choice, "v"), values, columns, choice, k, { limit, room: "half", ...ofKey(choice) }),
      headStrip("head_out", named(choice, "head_out"), out, rows, choice, q, {
        limit,
        room: "half",
        main: true,
        ...ofQuery(choice),
      }),
    ];
  },

  /** @param {Trace} trace @param {Choice} choice */
  concat: (trace, choice) => {
    const { block, rows, q, head } = choice;
    const [joined, out] = [role(trace, block, "concat"), role(trace, block, "out")];
    const bands = joined ? joined.shape[1] / block.heads : 0;
    return [
      strip("concat", named(choice, "concat"), joined, rows, choice, q, {
        bands,
        band: head,
        main: true,
        ...ofQuery(choice),
        cursor: null,
      }),
      strip("out", named(choice, "out"), out, rows, choice, q, { main: true, ...ofQuery(choice) }),
    ];
  },

  /** @param {Trace} trace @param {Choice} choice */
  norm: (trace, choice) => {
    const { block, rows, q } = choice;
    const order =
      block.norm === "pre"
        ? ["resid_in", "norm_out", "out", "resid_sum"]
        : ["resid_in", "out", "resid_sum", "norm_out"];
    return order.map((name) =>
      strip(name, named(choice, name), role(trace, block, name), rows, choice, q, { deep: true, ...ofQuery(choice) }),
    );
  },

  /** @param {Trace} trace @param {Choice} choice */
  ffn: (trace, choice) => {
    const layer = feedforwardOf(trace, choice.block);
    const { rows, q } = choice;
    return [
      ["input", "in"],
      ["hidden", "hidden"],
      ["ffn_out", "out"],
      ["resid_sum", "resid_sum"],
      ["norm_out", "norm_out"],
    ].map(([key, name]) =>
      strip(key, layer?.tensors[name], role(trace, layer, name), rows, choice, q, {
        main: name === "hidden",
        deep: key === name && key !== "hidden",
        ...ofQuery(choice),
      }),
    );
  },

  /** @param {Trace} trace @param {Choice} choice @param {Facts} facts */
  output: (trace, choice, facts) => {
    const states = role(trace, trace.final, "states");
    const reads = axis(trace, "reads", "piece");
    return [
      strip("states", trace.final?.tensors?.states, states, reads, choice, facts.round, {
        room: "half",
        ...ofUnit(choice),
      }),
    ];
  },
};

/**
 * @param {string} step
 * @param {Trace} trace
 * @param {Choice} choice
 * @param {Facts} facts
 * @returns {any[]} the pictures of a step that the trace holds the numbers of
 */
export function scene(step, trace, choice, facts) {
  return /** @type {any} */ (scenes)[step](trace, choice, facts).filter(Boolean);
}
