/** Questions whose answers stand in the attention weights. */
import { argmax, digits, sum } from "page/numbers/numbers";
import { named, pick, question, shuffled } from "page/quiz/question";
import { LIVE } from "page/quiz/words";
import { axis, blocks, kinds, picture, role } from "page/trace/trace";

/** @import { Question, Roll } from "page/quiz/question" */
/** @import { Head, Trace } from "page/types" */

/**
 * A block and head by chance, among those whose weights the trace holds, over words: rows still sum to one.
 * @param {Trace} trace
 * @param {Roll} roll
 */
function somewhere(trace, roll) {
  const found = blocksWithWeights(trace);
  if (!found.length) return null;
  const { kind, block } = pick(roll, found);
  const head = Math.floor(roll() * block.heads);
  const { rows, columns, weights, mask } = picture(trace, block, head, "word");
  const count = columns.length;
  const place =
    block.heads > 1
      ? LIVE.place(
          /** @type {any} */ (LIVE.kinds[/** @type {keyof typeof LIVE.kinds} */ (kind)]),
          block.layer + 1,
          head + 1,
        )
      : LIVE.headless(/** @type {any} */ (LIVE.kinds[/** @type {keyof typeof LIVE.kinds} */ (kind)]), block.layer + 1);
  const link = { ...HEAT, kind, layer: block.layer, head };
  /** @param {number} i */
  const row = (i) => weights.data.subarray(i * count, (i + 1) * count);
  /** @param {number} i @param {number} j */
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

/** @param {Trace} trace */
const blocksWithWeights = (trace) =>
  kinds(trace).flatMap((kind) =>
    blocks(trace, kind)
      .filter((block) => role(trace, block, "weights"))
      .map((block) => ({ kind, block })),
  );

/**
 * Tries several places until one makes a fair question.
 * @param {Trace} trace
 * @param {Roll} roll
 * @param {(place: NonNullable<ReturnType<typeof somewhere>>) => Question | null} make
 */
function tried(trace, roll, make) {
  for (let attempt = 0; attempt < 24; attempt++) {
    const at = somewhere(trace, roll);
    const made = at && make(at);
    if (made) return made;
  }
  return null;
}

/** @param {Trace} trace @param {Roll} roll */
export function most(trace, roll) {
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

/** @param {Trace} trace @param {Roll} roll */
export function weight(trace, roll) {
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

/** @param {Trace} trace @param {Roll} roll */
export function hidden(trace, roll) {
  const causal = blocks(trace, "dec").find(
    (block) => block.causal && block.query_axis === block.key_axis && role(trace, block, "weights"),
  );
  const labels = causal ? named(axis(trace, causal.query_axis, "word")) : [];
  if (labels.length < 4) return null;
  // Two words at least have been read, and one is still to come.
  const q = 2 + Math.floor(roll() * (labels.length - 3));
  const future = q + 1 + Math.floor(roll() * (labels.length - q - 1));
  const past = shuffled(roll, labels.slice(0, q + 1)).map((label) => [{ word: label }]);
  const link = {
    ...HEAT,
    kind: "dec",
    layer: /** @type {NonNullable<typeof causal>} */ (causal).layer,
    head: 0,
    q,
    k: future,
  };
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

/** @param {Trace} trace @param {Roll} roll */
export function rowsum(trace, roll) {
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

/** @param {Trace} trace @param {Roll} roll */
export function spread(trace, roll) {
  const found = blocksWithWeights(trace).filter(({ block }) => block.heads >= 3 && block.stats?.entropy);
  for (const { kind, block } of shuffled(roll, found)) {
    const order = block.stats.entropy
      .map((/** @type {any} */ nats, /** @type {Head} */ head) => ({ nats, head }))
      .sort(
        (/** @type {number} */ a, /** @type {number} */ b) => /** @type {any} */ (b).nats - /** @type {any} */ (a).nats,
      );
    if (order[0].nats - order[1].nats < 0.02) continue;
    const wrong = shuffled(roll, order.slice(1)).map(({ head }) => [LIVE.head(head + 1)]);
    const why = LIVE.spread.why(LIVE.head(order[0].head + 1), digits(order[0].nats / Math.LN2, 2));
    const place = LIVE.headless(
      /** @type {any} */ (LIVE.kinds[/** @type {keyof typeof LIVE.kinds} */ (kind)]),
      block.layer + 1,
    );
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
