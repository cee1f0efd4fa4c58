/**
 * Questions out of a trace: the same trace always asks the same ones in the same order, and every right answer is read
 * from its tensors. A question that this trace cannot ask fairly (a tie, no attention, too few words) is left out.
 */
import { argmax, digits, softmax, sum } from "page/numbers/numbers";
import { axis, blocks, kinds, picture, role } from "page/trace/trace";
import { IDEAS, LIVE } from "page/quiz/words";

/** @typedef {{word: string} | string} Part */
/**
 * @typedef {object} Question
 * @property {string} id
 * @property {boolean} live
 * @property {Part[]} ask
 * @property {Part[][]} options
 * @property {number} answer  the place of the right option
 * @property {Part[]} why
 * @property {Record<string, any>} link  what to change in the state to see it
 * @property {string} look
 */

const SALT = 0x9e3779b9;

/** A number out of a text: FNV-1a. */
function seed(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

/** Numbers in [0, 1) that depend on the text alone: mulberry32. */
export function dice(text) {
  let state = seed(text);
  return () => {
    state = (state + SALT) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const pick = (roll, list) => list[Math.floor(roll() * list.length)];

function shuffled(roll, list) {
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(roll() * (i + 1));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

const shown = (parts) => parts.map((part) => (typeof part === "string" ? part : part.word)).join("");

/** Puts the options in an order of chance; null unless there are at least three different ones. */
function question(roll, id, live, ask, right, wrong, why, link, look) {
  const different = [];
  for (const option of wrong)
    if (shown(option) !== shown(right) && !different.some((one) => shown(one) === shown(option)))
      different.push(option);
  if (different.length < 2) return null;
  const options = shuffled(roll, [right, ...different.slice(0, 3)]);
  return { id, live, ask, options, answer: options.indexOf(right), why, link, look };
}

/** Labels that tell two equal words apart by their place. */
function named(list) {
  const count = new Map();
  for (const { label } of list) count.set(label, (count.get(label) ?? 0) + 1);
  return list.map(({ label }, i) => (count.get(label) > 1 ? LIVE.at(label, i + 1) : label));
}

/** A block and head by chance, among those whose weights the trace holds, over words: rows still sum to one. */
function somewhere(trace, roll) {
  const found = blocksWithWeights(trace);
  if (!found.length) return null;
  const { kind, block } = pick(roll, found);
  const head = Math.floor(roll() * block.heads);
  const { rows, columns, weights, mask } = picture(trace, block, head, "word");
  const count = columns.length;
  const place =
    block.heads > 1
      ? LIVE.place(LIVE.kinds[kind], block.layer + 1, head + 1)
      : LIVE.headless(LIVE.kinds[kind], block.layer + 1);
  const link = { ...HEAT, kind, layer: block.layer, head };
  const row = (i) => weights.data.subarray(i * count, (i + 1) * count);
  const sees = (i, j) => !mask || mask.data[i * count + j] === 1;
  return { block, rows: named(rows), columns: named(columns), row, sees, place, link };
}

/** Heat without anything that would change a number. */
const HEAT = {
  view: "heat",
  unit: "word",
  hide: false,
  share: false,
  shift: false,
  mass: 1,
  links: false,
  opinion: "attention",
};

const blocksWithWeights = (trace) =>
  kinds(trace).flatMap((kind) =>
    blocks(trace, kind)
      .filter((block) => role(trace, block, "weights"))
      .map((block) => ({ kind, block })),
  );

/** Tries several places until one makes a fair question. */
function tried(trace, roll, make) {
  for (let attempt = 0; attempt < 24; attempt++) {
    const at = somewhere(trace, roll);
    const made = at && make(at);
    if (made) return made;
  }
  return null;
}

function most(trace, roll) {
  return tried(trace, roll, ({ rows, columns, row, sees, place, link }) => {
    const q = Math.floor(roll() * rows.length);
    const order = columns
      .map((_, j) => j)
      .filter((j) => sees(q, j))
      .sort((a, b) => row(q)[b] - row(q)[a]);
    if (order.length < 3 || row(q)[order[0]] - row(q)[order[1]] < 0.01) return null;
    const [best, second] = order;
    const why = LIVE.most.why(columns[best], digits(row(q)[best]), columns[second], digits(row(q)[second]));
    const others = [second, ...shuffled(roll, order.slice(2))].map((j) => [{ word: columns[j] }]);
    return question(
      roll,
      "most",
      true,
      LIVE.most.ask(rows[q], place),
      [{ word: columns[best] }],
      others,
      why,
      { ...link, q, k: best },
      LIVE.most.look,
    );
  });
}

function weight(trace, roll) {
  return tried(trace, roll, ({ rows, columns, row, sees, place, link }) => {
    const q = Math.floor(roll() * rows.length);
    const open = columns.map((_, j) => j).filter((j) => sees(q, j));
    if (open.length < 3) return null;
    const k = argmax(row(q));
    const value = row(q)[k];
    const even = 1 / open.length;
    // Plausible: what an even spread gives, what is left for the others, and half or double of it.
    const wrong = [even, 1 - value, value / 2, Math.min(1, 2 * value), value / 4]
      .filter((other) => Math.abs(other - value) > 0.05)
      .map((other) => [digits(other, 2)]);
    const why = LIVE.weight.why(digits(value), digits(even), String(open.length));
    return question(
      roll,
      "weight",
      true,
      LIVE.weight.ask(rows[q], columns[k], place),
      [digits(value, 2)],
      wrong,
      why,
      { ...link, q, k },
      LIVE.weight.look,
    );
  });
}

function hidden(trace, roll) {
  const causal = blocks(trace, "dec").find(
    (block) => block.causal && block.query_axis === block.key_axis && role(trace, block, "weights"),
  );
  const labels = causal ? named(axis(trace, causal.query_axis, "word")) : [];
  if (labels.length < 4) return null;
  // Two words at least have been read, and one is still to come.
  const q = 2 + Math.floor(roll() * (labels.length - 3));
  const future = q + 1 + Math.floor(roll() * (labels.length - q - 1));
  const past = shuffled(roll, labels.slice(0, q + 1)).map((label) => [{ word: label }]);
  const link = { ...HEAT, kind: "dec", layer: causal.layer, head: 0, q, k: future };
  return question(
    roll,
    "hidden",
    true,
    LIVE.hidden.ask(labels[q]),
    [{ word: labels[future] }],
    past,
    LIVE.hidden.why(labels[future]),
    link,
    LIVE.hidden.look,
  );
}

function rowsum(trace, roll) {
  return tried(trace, roll, ({ block, rows, columns, row, place, link }) => {
    if (!block.sums_to_one) return null;
    const q = Math.floor(roll() * rows.length);
    const total = sum(row(q));
    if (Math.abs(total - 1) > 1e-4) return null;
    const largest = row(q)[argmax(row(q))];
    const wrong = [[digits(largest, 2)], ["0.00"], [String(columns.length)], [digits(1 / columns.length, 2)]];
    return question(
      roll,
      "rowsum",
      true,
      LIVE.rowsum.ask(rows[q], place, String(columns.length)),
      [digits(1, 2)],
      wrong,
      LIVE.rowsum.why(digits(total)),
      { ...link, q },
      LIVE.rowsum.look,
    );
  });
}

function memory(trace, roll) {
  const states = role(trace, trace.memory, "states");
  if (!states) return null;
  const width = states.shape.at(-1);
  const rows = states.data.length / width;
  const total = trace.memory.numbers ?? states.data.length;
  const tokens = trace.axes.source?.tokens.length ?? 1;
  const wrong = [rows * width, width, tokens * width, tokens, 2 * total, width * width]
    .filter((count) => count !== total)
    .map((count) => [String(count)]);
  const { list, more, vector } = LIVE.memory;
  const why =
    trace.memory.kind !== "list"
      ? vector(total)
      : total === rows * width
        ? list(rows, width, total)
        : more(rows, width, total - rows * width, total);
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

function cells(trace, roll) {
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

const written = (token) => (token.special ? token.piece : token.text || token.piece);
/** What was written in each round; pieces without the mark of a word's beginning. */
const wrote = (trace) => (trace.axes.target?.tokens ?? []).map((token) => ({ label: written(token), id: token.id }));

function sure(trace, roll) {
  const tokens = wrote(trace);
  const steps = (trace.steps ?? []).filter((step) => step.top?.length > 1 && step.rank === 1 && tokens[step.predicts]);
  if (!steps.length) return null;
  const step = pick(roll, steps);
  const p = Math.exp(step.logprob);
  const { label, id } = tokens[step.predicts];
  const second = step.top.find((one) => one.id !== id);
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

function doubt(trace, roll) {
  const labels = named(wrote(trace));
  const order = (trace.steps ?? []).filter((step) => labels[step.predicts]).sort((a, b) => a.logprob - b.logprob);
  if (order.length < 3 || order[1].logprob - order[0].logprob < 0.02) return null;
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

function spread(trace, roll) {
  const found = blocksWithWeights(trace).filter(({ block }) => block.heads >= 3 && block.stats?.entropy);
  for (const { kind, block } of shuffled(roll, found)) {
    const order = block.stats.entropy.map((nats, head) => ({ nats, head })).sort((a, b) => b.nats - a.nats);
    if (order[0].nats - order[1].nats < 0.02) continue;
    const wrong = shuffled(roll, order.slice(1)).map(({ head }) => [LIVE.head(head + 1)]);
    const why = LIVE.spread.why(LIVE.head(order[0].head + 1), digits(order[0].nats, 2));
    const place = LIVE.headless(LIVE.kinds[kind], block.layer + 1);
    return question(
      roll,
      "spread",
      true,
      LIVE.spread.ask(place),
      [LIVE.head(order[0].head + 1)],
      wrong,
      why,
      { view: "heads", kind },
      LIVE.spread.look,
    );
  }
  return null;
}

function threeScores(trace, roll) {
  const scores = shuffled(
    roll,
    pick(roll, [
      [0, 1, 2],
      [1, 2, 4],
      [0, 2, 3],
      [1, 3, 4],
    ]),
  );
  const write = (list) => [list.map((value) => digits(value, 2)).join(", ")];
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

function rounds(trace, roll) {
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

function path(trace, roll) {
  const read = (name) => (trace.axes[name] ? axis(trace, name, "word").filter(({ special }) => !special) : []);
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

function second(trace, roll) {
  const tokens = wrote(trace);
  const steps = (trace.steps ?? []).filter(
    (step) => step.top?.length > 3 && step.rank === 1 && tokens[step.predicts] && step.top[1].p - step.top[2].p > 1e-4,
  );
  if (!steps.length) return null;
  const step = pick(roll, steps);
  const [, best, ...rest] = step.top;
  const why = LIVE.second.why(written(best), digits(best.p));
  const wrong = rest.map((one) => [{ word: written(one) }]);
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

function vocabulary(trace, roll) {
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

const MAKERS = [
  most,
  weight,
  hidden,
  rowsum,
  memory,
  sure,
  doubt,
  spread,
  cells,
  second,
  threeScores,
  rounds,
  path,
  vocabulary,
];
/** Questions about the sentence: no more than this many, the first makers first. */
const ENOUGH = 8;

/** The five about the idea. @returns {Question[]} */
export function ideas(id) {
  return IDEAS.map(({ id: name, ask, options, why, link, look }) => {
    const [right, ...wrong] = options.map((option) => [option]);
    return question(dice(`${id} ${name}`), name, false, [ask], right, wrong, [why], link, look);
  });
}

/** Those about the sentence. @returns {Question[]} */
export function live(trace) {
  const made = [];
  for (const make of MAKERS) {
    const one = make(trace, dice(`${trace.id} ${make.name}`));
    if (one) made.push(one);
    if (made.length === ENOUGH) break;
  }
  return made;
}

/** The whole quiz of a trace. @returns {Question[]} */
export function quiz(trace) {
  return [...ideas(trace?.id ?? ""), ...(trace ? live(trace) : [])];
}
