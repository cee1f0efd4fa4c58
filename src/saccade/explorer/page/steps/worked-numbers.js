/**
 * One cell of each step in digits: the sum a reader could do with a calculator, and the number the model has there.
 *
 * A line is {name, parts, result, stored}: `parts` are printed between "=" signs, `result` is what the page computed,
 * `stored` the model's own number of the same cell, or null where there is none to compare with.
 */
import { digits } from "page/numbers/numbers";
import { column, dot, heaviestFirst, row, sinusoid } from "page/steps/arithmetic";
import { allowedOf, feedforwardOf, headOf, inputOf, nameOf, readAxis, sideOf, softmaxOf } from "page/steps/facts";
import {
  at,
  cellOf,
  factor,
  MINUS,
  normLine,
  plain,
  product,
  squeezed,
  sumLine,
  sumOfPowers,
  within,
} from "page/steps/terms";
import { SAY } from "page/steps/words";
import { role, tensor } from "page/trace/trace";

/** @import { Choice, Facts } from "page/steps/facts" */
/** @import { Trace } from "page/types" */

/** What stands between the two maps of a feed-forward layer: as it is written, and its value where the page has it. */
const ACTIVATIONS = {
  relu: { name: "max(0, ", of: (/** @type {number} */ x) => Math.max(0, x) },
  silu: { name: "silu(", of: (/** @type {number} */ x) => x / (1 + Math.exp(-x)) },
  gelu: { name: "gelu(", of: () => null },
  quick_gelu: { name: "quick_gelu(", of: (/** @type {number} */ x) => x / (1 + Math.exp(-1.702 * x)) },
};

const lines = {
  /** @param {Trace} trace @param {Choice} choice */
  tokens: (trace, choice) => {
    const token =
      trace.axes[/** @type {keyof typeof trace.axes} */ (choice.block?.query_axis ?? readAxis(trace))].tokens[choice.q];
    return [{ name: `“${token.piece}”`, parts: [SAY.pieceNumber(token.id)], result: null, stored: null }];
  },

  /** @param {Trace} trace @param {Choice} choice */
  embedding: (trace, choice) => {
    const side = trace.embedding?.[sideOf(choice.block)];
    const token = role(trace, side, "token");
    if (!token) return null;
    const d = within(choice.d, token.shape[1]);
    const value = token.data[at(token, choice.q, d)];
    const scale = /** @type {NonNullable<typeof side>} */ (side).scale ?? 1;
    const name = cellOf("x", choice.q, d);
    if (scale === 1)
      return [{ name, parts: [`E[${nameOf(choice.rows[choice.q])}][${d}]`], result: value, stored: value }];
    return [
      {
        name,
        parts: [
          `${factor(value / scale, 5)} × √${token.shape[1]}`,
          `${factor(value / scale, 5)} × ${digits(scale, 3)}`,
        ],
        result: value,
        stored: value,
      },
    ];
  },

  /** @param {Trace} trace @param {Choice} choice */
  position: (trace, choice) => {
    const side = trace.embedding?.[sideOf(choice.block)];
    const [token, position, sum] = ["token", "position", "sum"].map((name) => role(trace, side, name));
    if (!token || !position || !sum) return null;
    const d = within(choice.d, token.shape[1]);
    const cell = at(token, choice.q, d);
    const found = [];
    if (/** @type {NonNullable<typeof side>} */ (side).kind === "sinusoidal") {
      const wave = sinusoid(choice.q, d, token.shape[1]);
      const name = d % 2 ? "cos" : "sin";
      found.push({
        name: `PE[${choice.q}, ${d}]`,
        parts: [`${name}(${choice.q} ÷ 10000^(${d - (d % 2)}/${token.shape[1]}))`, `${name}(${plain(wave.angle)})`],
        result: wave.value,
        stored: position.data[cell],
      });
    }
    found.push({
      name: cellOf("x", choice.q, d),
      parts: [`${factor(token.data[cell], 4)} + ${factor(position.data[cell], 4)}`],
      result: token.data[cell] + position.data[cell],
      stored: sum.data[cell],
    });
    return found;
  },

  /** @param {Trace} trace @param {Choice} choice */
  qkv: (trace, choice) => {
    const { block, head, q, k } = choice;
    const input = tensor(trace, inputOf(trace, block));
    const other = block.kind === "cross" ? role(trace, trace.memory, "states") : input;
    const found = [];
    for (const [name, from, place] of [
      ["q", input, q],
      ["k", other, k],
      ["v", other, k],
    ]) {
      const [matrix, bias, made] = [
        role(trace, block, `w_${name}`),
        role(trace, block, `b_${name}`),
        role(trace, block, String(name)),
      ];
      if (!from || !matrix || !made) continue;
      const d = within(choice.d, made.shape[2]);
      const wide = head * made.shape[2] + d;
      const spelled = dot(
        row(/** @type {any} */ (from).data, /** @type {any} */ (from).shape[1], place),
        column(matrix.data, matrix.shape[1], wide),
        bias ? bias.data[wide] : 0,
      );
      found.push(sumLine(cellOf(name, place, d), spelled, made.data[at(made, head, place, d)]));
    }
    return found.length ? found : null;
  },

  /** @param {Trace} trace */
  memory: (trace) => {
    const states = role(trace, trace.memory, "states");
    if (!states) return null;
    const pieces = trace.axes.source.tokens.length;
    return [
      {
        name: SAY.perPiece,
        parts: [`${states.data.length} ÷ ${pieces}`],
        result: states.data.length / pieces,
        stored: null,
      },
    ];
  },

  /** @param {Trace} trace @param {Choice} choice */
  states: (trace, choice) => {
    const found = [];
    for (const [name, place] of [
      ["q", choice.q],
      ["k", choice.k],
    ]) {
      const made = role(trace, choice.block, /** @type {any} */ (name));
      if (!made) continue;
      const d = within(choice.d, made.shape[2]);
      const value = made.data[at(made, choice.head, place, d)];
      found.push({ name: cellOf(name, place, d), parts: [], result: value, stored: value });
    }
    return found.length ? found : null;
  },

  /** @param {Trace} trace @param {Choice} choice */
  scores: (trace, choice) => {
    const { block, head, q, k } = choice;
    const scores = role(trace, block, "scores");
    if (!scores) return null;
    const stored = scores.data[at(scores, head, q, k)];
    const name = cellOf("score", q, k);
    /** @param {any} asks @param {any} answers */
    const plainly = (asks, answers) => {
      const [queries, keys] = [role(trace, block, asks), role(trace, block, answers)];
      if (!queries || !keys || queries.shape[2] !== keys.shape[2]) return null;
      return [row(headOf(queries, head), queries.shape[2], q), row(headOf(keys, head), keys.shape[2], k)];
    };
    const vector = role(trace, block, "vector");
    const inside =
      plainly("q_hidden", "k_hidden") ?? (["scaled-dot", "dot"].includes(block.score) ? plainly("q", "k") : null);
    if (!inside) return [{ name, parts: [], result: stored, stored }];
    if (!vector) return [sumLine(name, dot(inside[0], inside[1]), stored)];
    return squeezed(inside, vector.data, within(choice.d, vector.data.length), name, stored);
  },

  /** @param {Trace} _trace @param {Choice} choice @param {Facts} facts */
  factor: (_trace, choice, facts) =>
    facts.score === null
      ? null
      : [
          {
            name: cellOf("scaled", choice.q, choice.k),
            parts: [`${plain(facts.score)} × ${digits(facts.scale, 4)}`],
            result: facts.score * facts.scale,
            stored: null,
          },
        ],

  /** @param {Trace} _trace @param {Choice} choice @param {Facts} facts */
  scale: (_trace, choice, facts) => {
    if (facts.score === null) return null;
    const inverse = 1 / facts.scale;
    return [
      {
        name: cellOf("scaled", choice.q, choice.k),
        parts: [`${plain(facts.score)} ÷ √${facts.dk}`, `${plain(facts.score)} ÷ ${digits(inverse, 4)}`],
        result: facts.score / inverse,
        stored: facts.score * facts.scale,
      },
    ];
  },

  /** @param {Trace} _trace @param {Choice} choice @param {Facts} facts */
  mask: (_trace, choice, facts) => {
    const { q, k } = choice;
    const why = facts.causal
      ? SAY.causal(k, q)
      : facts.centre !== null
        ? SAY.near(k, facts.centre, facts.reach, facts.seen)
        : facts.seen
          ? SAY.allowed
          : SAY.covered;
    const found = [
      { name: cellOf("M", q, k), parts: [`${facts.seen ? "0" : `${MINUS}∞`}, ${why}`], result: null, stored: null },
    ];
    if (facts.scaledScore === null) return found;
    const score = plain(facts.scaledScore);
    return [
      ...found,
      {
        name: cellOf("masked", q, k),
        parts: facts.seen ? [`${score} + 0`, score] : [`${score} ${MINUS} ∞`, `${MINUS}∞`],
        result: null,
        stored: null,
      },
    ];
  },

  /** @param {Trace} trace @param {Choice} choice @param {Facts} facts */
  softmax: (trace, choice, facts) => {
    const made = softmaxOf(trace, choice);
    if (!made || !["soft", "local-m", "local-p"].includes(facts.alignment)) return null;
    const { scaled, largest, exponentials, total, weights } = made;
    const { k } = choice;
    const power = facts.seen ? `e^(${plain(scaled[k])} ${MINUS} ${factor(largest, 4)})` : "0";
    const seen = exponentials.filter(
      (/** @type {unknown} */ _, /** @type {number} */ i) => allowedOf(trace, choice)?.[i] ?? true,
    );
    const found = [
      {
        name: SAY.powers,
        parts: [sumOfPowers(made.blank === null ? seen : [...seen, made.blank])],
        result: total,
        stored: null,
      },
    ];
    const name = cellOf("weight", choice.q, k);
    const parts = [`${power} ÷ ${digits(total, 4)}`, `${digits(exponentials[k], 4)} ÷ ${digits(total, 4)}`];
    if (facts.alignment !== "local-p") return [...found, { name, parts, result: weights[k], stored: facts.weight }];
    const centre = choice.block.window?.centre?.[choice.q];
    const reach = choice.block.window?.reach;
    if (centre === undefined || !reach) return found;
    const bell = Math.exp(-((k - centre) ** 2) / (2 * (reach / 2) ** 2));
    const curve = `e^(${MINUS}(${k} ${MINUS} ${digits(centre, 3)})² ÷ ${digits(2 * (reach / 2) ** 2, 2)})`;
    return [
      ...found,
      {
        name,
        parts: [`${digits(weights[k], 4)} × ${curve}`, `${digits(weights[k], 4)} × ${digits(bell, 4)}`],
        result: weights[k] * bell,
        stored: facts.weight,
      },
    ];
  },

  /** @param {Trace} trace @param {Choice} choice */
  values: (trace, choice) => {
    const [weights, values, out] = ["weights", "v", "head_out"].map((name) => role(trace, choice.block, name));
    if (!values) return null;
    const d = within(choice.d, values.shape[2]);
    const mixed = dot(
      row(headOf(weights, choice.head), choice.columns.length, choice.q),
      column(headOf(values, choice.head), values.shape[2], d),
    );
    return [
      sumLine(
        cellOf("out", choice.q, d),
        heaviestFirst(mixed),
        out ? out.data[at(out, choice.head, choice.q, d)] : null,
      ),
    ];
  },

  /** @param {Trace} trace @param {Choice} choice */
  concat: (trace, choice) => {
    const [joined, matrix, bias, out] = ["concat", "w_o", "b_o", "out"].map((name) => role(trace, choice.block, name));
    if (!joined || !matrix) return null;
    const d = within(choice.d, matrix.shape[1]);
    const spelled = dot(
      row(joined.data, joined.shape[1], choice.q),
      column(matrix.data, matrix.shape[1], d),
      bias ? bias.data[d] : 0,
    );
    return [sumLine(cellOf("out", choice.q, d), spelled, out ? out.data[at(out, choice.q, d)] : null)];
  },

  /** @param {Trace} trace @param {Choice} choice @param {Facts} facts */
  norm: (trace, choice, facts) => {
    const [came, update, sum] = ["resid_in", "out", "resid_sum"].map((name) => role(trace, choice.block, name));
    if (!came || !update) return null;
    const d = within(choice.d, came.shape[1]);
    const cell = at(came, choice.q, d);
    const found = [];
    if (facts.wiring !== "plain")
      found.push({
        name: cellOf("sum", choice.q, d),
        parts: [`${factor(came.data[cell], 4)} + ${factor(update.data[cell], 4)}`],
        result: came.data[cell] + update.data[cell],
        stored: sum ? sum.data[cell] : null,
      });
    const normed = normLine(trace, choice, facts.wiring === "pre" ? came : sum, d);
    if (normed) found[facts.wiring === "pre" ? "unshift" : "push"](normed);
    return found;
  },

  /** @param {Trace} trace @param {Choice} choice */
  ffn: (trace, choice) => {
    const layer = feedforwardOf(trace, choice.block);
    const [came, hidden, out, w1, b1, w2, b2] = ["in", "hidden", "out", "w_1", "b_1", "w_2", "b_2"].map((name) =>
      role(trace, layer, name),
    );
    if (!came || !hidden || !w1) return null;
    const activation = ACTIVATIONS[layer?.activation ?? "relu"];
    const unit = within(choice.d, hidden.shape[1]);
    const inner = dot(
      row(came.data, came.shape[1], choice.q),
      column(w1.data, w1.shape[1], unit),
      b1 ? b1.data[unit] : 0,
    );
    const found = [
      {
        name: cellOf("hidden", choice.q, unit),
        parts: [`${activation.name}${product(inner)})`, `${activation.name}${plain(inner.sum)})`],
        result: activation.of(inner.sum),
        stored: hidden.data[at(hidden, choice.q, unit)],
      },
    ];
    if (!out || !w2) return found;
    const d = within(choice.d, out.shape[1]);
    const outer = dot(
      row(hidden.data, hidden.shape[1], choice.q),
      column(w2.data, w2.shape[1], d),
      b2 ? b2.data[d] : 0,
    );
    return [...found, sumLine(cellOf("out", choice.q, d), heaviestFirst(outer), out.data[at(out, choice.q, d)])];
  },

  /** @param {Trace} trace @param {Choice} _choice @param {Facts} facts */
  output: (trace, _choice, facts) => {
    const step = trace.steps?.[facts.round];
    if (!step) return null;
    const best = step.top[0];
    const found = [];
    const [states, rows, bias] = ["states", "rows", "bias"].map((name) => role(trace, trace.final, name));
    if (states && rows) {
      const width = states.shape[1];
      const start = at(rows, facts.round, 0, 0);
      const spelled = dot(
        row(states.data, width, facts.round),
        rows.data.subarray(start, start + width),
        bias ? bias.data[at(bias, facts.round, 0)] : 0,
      );
      found.push(sumLine(`logit(${best.text || best.piece})`, spelled, best.logit));
    }
    found.push({
      name: `P(${best.text || best.piece})`,
      parts: [`e^(${plain(best.logit)} ${MINUS} ${factor(step.log_normaliser, 4)})`],
      result: Math.exp(best.logit - step.log_normaliser),
      stored: best.p,
    });
    return found;
  },
};

/**
 * The lines of a step, or null where the trace does not hold its numbers.
 * @param {string} step
 * @param {Trace} trace
 * @param {Choice} choice
 * @param {Facts} facts
 * @returns {{name: string, parts: string[], result: number | null, stored: number | null}[] | null}
 */
export function spelled(step, trace, choice, facts) {
  return lines[/** @type {keyof typeof lines} */ (step)]
    ? lines[/** @type {keyof typeof lines} */ (step)](trace, choice, facts)
    : null;
}
