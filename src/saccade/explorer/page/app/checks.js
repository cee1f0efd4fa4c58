/**
 * The invariants of a trace once more, in the page: what is shown is only shown as true if it agrees with itself here.
 * A check covers what the trace holds; with scores and values loaded there is more to compare.
 */
import { softmax } from "page/numbers/numbers";
import { aggregate, axis, mask, role, slice } from "page/trace/trace";

/** @import { Block, Matrix, Numbers, Tensor, Trace } from "page/types" */

/** @typedef {{name: string, error: number, limit: number, holds: boolean, where: string}} Check */

const memory = new WeakMap();

/**
 * All checks of a trace.
 * @param {Trace} trace
 * @returns {Check[]}
 */
export function check(trace) {
  const held = Object.keys(trace.tensors).length;
  const known = memory.get(trace);
  if (known?.held === held && known.beam === trace.beam) return known.found;
  const found = [rows, range, masked, causal, shapes, scores, values, steps, top, reads, beam, byWords].flatMap(
    (one) => {
      try {
        return one(trace);
      } catch (error) {
        return [{ name: one.name, error: Infinity, limit: 0, holds: false, where: /** @type {any} */ (error).message }];
      }
    },
  );
  memory.set(trace, { held, beam: trace.beam, found });
  return found;
}

/**
 * The worst of many errors against one limit; nothing where there was nothing to compare.
 * @param {string} name
 * @param {number} limit
 * @param {[number, string][]} errors
 */
function worst(name, limit, errors) {
  if (!errors.length) return [];
  const [error, where] = errors.reduce((most, one) => (one[0] > most[0] || Number.isNaN(one[0]) ? one : most));
  return [{ name, error, limit, holds: error <= limit, where }];
}

/**
 * @param {Trace} trace
 * @param {(block: Block, weights: Tensor) => number} judge
 * @returns {[number, string][]}
 */
const each = (trace, judge) =>
  trace.blocks.flatMap((block) => {
    const weights = role(trace, block, "weights");
    return weights ? [/** @type {[number, string]} */ ([judge(block, weights), block.id])] : [];
  });

/** Typed arrays of all kinds have one `reduce`. @param {Numbers} data */
const numbers = (data) => /** @type {Float64Array} */ (data);

/** @param {Trace} trace */
function rows(trace) {
  const summing = { ...trace, blocks: trace.blocks.filter((block) => block.sums_to_one) };
  return worst(
    "rows",
    1e-5,
    each(summing, (_, { shape, data }) => {
      const columns = shape.at(-1);
      let error = 0;
      for (let at = 0; at < data.length; at += /** @type {NonNullable<typeof columns>} */ (columns)) {
        let total = 0;
        for (let j = 0; j < /** @type {NonNullable<typeof columns>} */ (columns); j++) total += data[at + j];
        error = larger(error, Math.abs(total - 1));
      }
      return error;
    }),
  );
}

/** @param {number} a @param {number} b */
const larger = (a, b) => (b > a || Number.isNaN(b) ? (Number.isNaN(b) ? Infinity : b) : a);

/** @param {Trace} trace */
function range(trace) {
  return worst(
    "range",
    1e-6,
    each(trace, (_, { data }) =>
      numbers(data).reduce((error, value) => larger(error, Math.max(-value, value - 1, 0)), 0),
    ),
  );
}

/** @param {Trace} trace */
function masked(trace) {
  const hidden = { ...trace, blocks: trace.blocks.filter((block) => mask(trace, block)) };
  return worst(
    "masked",
    0,
    each(hidden, (block, { data }) => {
      const allowed = /** @type {any} */ (mask(trace, block)).data;
      return numbers(data).reduce(
        (/** @type {number} */ error, /** @type {number} */ value, /** @type {number} */ at) =>
          allowed[at % allowed.length] ? error : larger(error, Math.abs(value)),
        0,
      );
    }),
  );
}

/** @param {Trace} trace */
function causal(trace) {
  const ordered = trace.blocks.filter((block) => block.causal && mask(trace, block));
  return worst(
    "causal",
    0,
    ordered.map((block) => {
      const { rows: count, columns, data } = /** @type {Matrix} */ (mask(trace, block));
      let error = 0;
      for (let i = 0; i < count; i++)
        for (let j = i + 1; j < columns; j++) error = Math.max(error, data[i * columns + j]);
      return [error, block.id];
    }),
  );
}

/** @param {Trace} trace */
function shapes(trace) {
  return worst(
    "shapes",
    0,
    each(trace, (block, { shape }) => {
      const wanted = [
        block.heads,
        trace.axes[block.query_axis].tokens.length,
        trace.axes[block.key_axis].tokens.length,
      ];
      return wanted.reduce((error, size, at) => error + Math.abs(size - shape[at]), 0);
    }),
  );
}

/** @param {Trace} trace */
function scores(trace) {
  const soft = trace.blocks.filter(
    (block) =>
      block.alignment === "soft" && block.sums_to_one && role(trace, block, "scores") && role(trace, block, "weights"),
  );
  return worst(
    "softmax",
    1e-5,
    soft.map((block) => {
      const given = role(trace, block, "scores");
      const expected = /** @type {any} */ (role(trace, block, "weights")).data;
      const [, count, columns] = /** @type {NonNullable<typeof given>} */ (given).shape;
      const allowed = mask(trace, block)?.data;
      let error = 0;
      for (let at = 0; at < /** @type {NonNullable<typeof given>} */ (given).data.length; at += columns) {
        const line = (at / columns) % count;
        const scaled = Float64Array.from(
          /** @type {NonNullable<typeof given>} */ (given).data.subarray(at, at + columns),
          (value) => value * block.scale,
        );
        softmax(scaled, allowed?.subarray(line * columns, (line + 1) * columns)).forEach((value, j) => {
          error = larger(error, Math.abs(value - expected[at + j]));
        });
      }
      return [error, block.id];
    }),
  );
}

/** @param {Trace} trace */
function values(trace) {
  const complete = trace.blocks.filter((block) => role(trace, block, "v") && role(trace, block, "head_out"));
  return worst(
    "values",
    1e-4,
    complete.map((block) => {
      const [looks, held, out] = ["weights", "v", "head_out"].map((name) => role(trace, block, name));
      const [heads, queries, keys] = /** @type {NonNullable<typeof looks>} */ (looks).shape;
      const width = /** @type {NonNullable<typeof held>} */ (held).shape[2];
      let error = 0;
      for (let head = 0; head < heads; head++)
        for (let i = 0; i < queries; i++)
          for (let d = 0; d < width; d++) {
            let total = 0;
            for (let j = 0; j < keys; j++)
              total +=
                /** @type {NonNullable<typeof looks>} */ (looks).data[(head * queries + i) * keys + j] *
                /** @type {NonNullable<typeof held>} */ (held).data[(head * keys + j) * width + d];
            error = larger(
              error,
              Math.abs(total - /** @type {NonNullable<typeof out>} */ (out).data[(head * queries + i) * width + d]),
            );
          }
      return [error, block.id];
    }),
  );
}

/** @param {Trace} trace */
function steps(trace) {
  if (!trace.steps.length) return [];
  const scored = trace.steps.slice(trace.output.unscored ?? 0); // the name of a language is given
  const total = scored.reduce((sum, step) => sum + step.logprob, 0);
  return worst("steps", 1e-3, [[Math.abs(total - trace.output.logprob), "output"]]);
}

/** @param {Trace} trace */
function top(trace) {
  const given = trace.steps.filter((step) => step.log_normaliser !== undefined && step.log_normaliser !== null);
  return worst(
    "top",
    1e-5,
    /** @type {any} */ (
      given.flatMap((step) =>
        step.top.map((one) => [Math.abs(Math.exp(one.logit - step.log_normaliser) - one.p), `round ${step.t + 1}`]),
      )
    ),
  );
}

/** @param {Trace} trace */
function reads(trace) {
  const { reads: read, target } = trace.axes;
  const wrong = target.tokens.slice(0, -1).filter((token, t) => read.tokens[t + 1]?.id !== token.id).length;
  return worst("reads", 0, [[wrong + Math.abs(read.tokens.length - target.tokens.length), "reads"]]);
}

/** @param {Trace} trace */
function beam(trace) {
  if (!trace.beam?.nodes?.length) return [];
  const byNumber = new Map(trace.beam.nodes.map((node) => [node.n, node]));
  return worst(
    "beam",
    1e-3,
    trace.beam.nodes.map((node) => {
      const parent = byNumber.get(/** @type {NonNullable<typeof node.parent>} */ (node.parent));
      return [parent ? Math.abs(parent.cum + node.logp - node.cum) : 0, `node ${node.n}`];
    }),
  );
}

/** @param {Trace} trace */
function byWords(trace) {
  const summing = trace.blocks.filter((block) => block.sums_to_one && role(trace, block, "weights")).slice(0, 3);
  return worst(
    "words",
    1e-5,
    summing.map((block) => {
      const [rowWords, columnWords] = [block.query_axis, block.key_axis].map((name) => axis(trace, name, "word"));
      const grouped = aggregate(
        slice(/** @type {any} */ (role(trace, block, "weights")), "mean"),
        rowWords,
        columnWords,
      );
      let error = 0;
      for (let i = 0; i < grouped.rows; i++) {
        let total = 0;
        for (let j = 0; j < grouped.columns; j++) total += grouped.data[i * grouped.columns + j];
        error = larger(error, Math.abs(total - 1));
      }
      return [error, block.id];
    }),
  );
}
