/** Questions about what was handed over, written and counted. */
import { digits, softmax, sum } from "page/numbers/numbers";
import { named, pick, question, shuffled } from "page/quiz/question";
import { LIVE } from "page/quiz/words";
import { axis, blocks, role } from "page/trace/trace";

/** @import { Roll } from "page/quiz/question" */
/** @import { Token, Trace } from "page/types" */

/** @param {Trace} trace @param {Roll} roll */
export function memory(trace, roll) {
  const states = role(trace, trace.memory, "states");
  if (!states) return null;
  const width = states.shape.at(-1);
  const rows = states.data.length / /** @type {NonNullable<typeof width>} */ (width);
  const total = trace.memory.numbers ?? states.data.length;
  const tokens = trace.axes.source?.tokens.length ?? 1;
  const wrong = [
    rows * /** @type {NonNullable<typeof width>} */ (width),
    width,
    tokens * /** @type {NonNullable<typeof width>} */ (width),
    tokens,
    2 * total,
    /** @type {NonNullable<typeof width>} */ (width) * /** @type {NonNullable<typeof width>} */ (width),
  ]
    .filter((count) => count !== total)
    .map((count) => [String(count)]);
  const { list, more, vector } = LIVE.memory;
  const why =
    trace.memory.kind !== "list"
      ? vector(total)
      : total === rows * /** @type {NonNullable<typeof width>} */ (width)
        ? list(rows, width, total)
        : more(rows, width, total - rows * /** @type {NonNullable<typeof width>} */ (width), total);
  return question(
    roll,
    "memory",
    true,
    LIVE.memory.ask(),
    [String(total)],
    wrong,
    why,
    { view: "model" },
    LIVE.memory.look,
  );
}

/** @param {Trace} trace @param {Roll} roll */
export function cells(trace, roll) {
  const encoder = blocks(trace, "enc").find((block) => block.query_axis === "source" && block.key_axis === "source");
  const tokens = trace.axes.source?.tokens.length ?? 0;
  if (!encoder || tokens < 4) return null;
  const wrong = [tokens, 2 * tokens, (tokens * (tokens - 1)) / 2, tokens * encoder.heads].map((count) => [
    String(count),
  ]);
  const why = LIVE.cells.why(tokens, 4 * tokens * tokens);
  return question(
    roll,
    "cells",
    true,
    LIVE.cells.ask(tokens),
    [String(tokens * tokens)],
    wrong,
    why,
    { view: "cost" },
    LIVE.cells.look,
  );
}

/** @param {Pick<Token, "piece" | "text"> & {special?: string | null}} token */
const written = (token) => (token.special ? token.piece : token.text || token.piece);

/** What was written in each round; pieces without the mark of a word's beginning. @param {Trace} trace */
const wrote = (trace) => (trace.axes.target?.tokens ?? []).map((token) => ({ label: written(token), id: token.id }));

/** @param {Trace} trace @param {Roll} roll */
export function sure(trace, roll) {
  const tokens = wrote(trace);
  const steps = (trace.steps ?? []).filter((step) => step.top?.length > 1 && step.rank === 1 && tokens[step.predicts]);
  if (!steps.length) return null;
  const step = pick(roll, steps);
  const p = Math.exp(step.logprob);
  const { label, id } = tokens[step.predicts];
  const second = step.top.find((/** @type {any} */ one) => one.id !== id);
  const wrong = [second.p, 1 - p, p / 2, p / 5, (p + 1) / 2, 1 / step.top.length]
    .filter((other) => Math.abs(other - p) > 0.04)
    .map((other) => [digits(other, 2)]);
  const why = LIVE.sure.why(digits(p), written(second), digits(second.p));
  return question(
    roll,
    "sure",
    true,
    LIVE.sure.ask(label),
    [digits(p, 2)],
    wrong,
    why,
    { view: "translate", step: step.t },
    LIVE.sure.look,
  );
}

/** @param {Trace} trace @param {Roll} roll */
export function doubt(trace, roll) {
  const labels = named(wrote(trace));
  const order = (trace.steps ?? []).filter((step) => labels[step.predicts]).sort((a, b) => a.logprob - b.logprob);
  if (order.length < 3 || order[1].logprob - order[0].logprob < 0.02) return null;
  /** @param {any} step */
  const label = (step) => labels[step.predicts];
  const wrong = shuffled(roll, order.slice(1)).map((step) => [{ word: label(step) }]);
  const why = LIVE.doubt.why(label(order[0]), digits(Math.exp(order[0].logprob)));
  return question(
    roll,
    "doubt",
    true,
    LIVE.doubt.ask(),
    [{ word: label(order[0]) }],
    wrong,
    why,
    { view: "translate", step: order[0].t },
    LIVE.doubt.look,
  );
}

/** @param {Trace} _trace @param {Roll} roll */
export function threeScores(_trace, roll) {
  const scores = shuffled(
    roll,
    pick(roll, [
      [0, 1, 2],
      [1, 2, 4],
      [0, 2, 3],
      [1, 3, 4],
    ]),
  );
  /** @param {any} list */
  const write = (list) => [list.map((/** @type {number} */ value) => digits(value, 2)).join(", ")];
  const right = write(softmax(scores));
  const proportion = scores.map((value) => value / sum(scores));
  const winner = scores.map((value) => (value === Math.max(...scores) ? 1 : 0));
  const wrong = [proportion, winner, [1 / 3, 1 / 3, 1 / 3]].map(write);
  const exps = scores.map((value) => digits(Math.exp(value), 2)).join(", ");
  return question(
    roll,
    "softmax",
    true,
    LIVE.softmax.ask(scores.join(", ")),
    right,
    wrong,
    LIVE.softmax.why(scores, exps),
    { view: "steps", at: 7 },
    LIVE.softmax.look,
  );
}

/** @param {Trace} trace @param {Roll} roll */
export function rounds(trace, roll) {
  const count = trace.steps?.length ?? 0;
  const tokens = trace.axes.source?.tokens.length ?? 0;
  if (!count) return null;
  const wrong = [1, count - 1, count + 1, tokens, 2 * count]
    .filter((other) => other > 0 && other !== count)
    .map((other) => [String(other)]);
  return question(
    roll,
    "rounds",
    true,
    LIVE.rounds.ask(),
    [String(count)],
    shuffled(roll, wrong),
    LIVE.rounds.why(count),
    { view: "translate" },
    LIVE.rounds.look,
  );
}

/** @param {Trace} trace @param {Roll} roll */
export function path(trace, roll) {
  /** @param {string} name */
  const read = (name) =>
    trace.axes[/** @type {keyof typeof trace.axes} */ (name)]
      ? axis(trace, /** @type {any} */ (name), "word").filter(({ special }) => !special)
      : [];
  // A language model reads what it has written.
  const labels = named(read("source").length ? read("source") : read("reads"));
  const steps = labels.length - 1;
  if (steps < 2) return null;
  const wrong = [1, steps * steps, steps + 1, Math.ceil(steps / 2)].map((count) => [String(count)]);
  return question(
    roll,
    "path",
    true,
    LIVE.path.ask(labels[0], labels.at(-1)),
    [String(steps)],
    wrong,
    LIVE.path.why(steps),
    { view: "cost" },
    LIVE.path.look,
  );
}

/** @param {Trace} trace @param {Roll} roll */
export function second(trace, roll) {
  const tokens = wrote(trace);
  const steps = (trace.steps ?? []).filter(
    (step) => step.top?.length > 3 && step.rank === 1 && tokens[step.predicts] && step.top[1].p - step.top[2].p > 1e-4,
  );
  if (!steps.length) return null;
  const step = pick(roll, steps);
  const [, best, ...rest] = step.top;
  const why = LIVE.second.why(written(best), digits(best.p));
  const wrong = rest.map((/** @type {any} */ one) => [{ word: written(one) }]);
  return question(
    roll,
    "second",
    true,
    LIVE.second.ask(tokens[step.predicts].label),
    [{ word: written(best) }],
    wrong,
    why,
    { view: "translate", step: step.t },
    LIVE.second.look,
  );
}

/** @param {Trace} trace @param {Roll} roll */
export function vocabulary(trace, roll) {
  const count = trace.model.target_vocabulary;
  if (!count) return null;
  const wrong = [trace.axes.target?.tokens.length ?? 1, Math.round(count / 2), 10 * count, 1].map((other) => [
    String(other),
  ]);
  return question(
    roll,
    "vocabulary",
    true,
    LIVE.vocabulary.ask(),
    [String(count)],
    wrong,
    LIVE.vocabulary.why(count),
    { view: "model" },
    LIVE.vocabulary.look,
  );
}
