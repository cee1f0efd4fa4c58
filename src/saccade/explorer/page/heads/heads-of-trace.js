/** The heads of a trace by kind of attention, each with its numbers. */
import { factsOf, peak } from "page/heads/statistics";
import { heads as words } from "page/heads/words";
import { axis, blocks, kinds, tensor, weights } from "page/trace/trace";

/** @import { Reference } from "page/heads/statistics" */
/** @import { Block, Kind, State, Trace } from "page/types" */

/** @typedef {ReturnType<typeof headOf> & {place?: number}} PanelHead */
/** The heads of one kind of attention. @typedef {{kind: Kind, blocks: Block[], heads: PanelHead[]}} Panel */

/**
 * What the agreement is measured against: values by [reads, source], or null where the trace has none.
 * @param {Trace} trace
 * @param {State["against"]} against
 */
export function referenceOf(trace, against) {
  const name = against === "own" ? trace.alignment?.tensor : trace.influence?.tensors?.[against];
  const found = tensor(trace, name);
  if (!found) return null;
  return {
    rows: found.shape[0],
    columns: found.shape[1],
    values: found.data,
    groups: axis(trace, "source", "word").map((entry) => entry.pieces),
  };
}

/** @type {WeakMap<object, Map<string, any[]>>} */
const counted = new WeakMap();

/**
 * The panels of a trace: for each kind its blocks, and each of their heads with its numbers; counted once.
 * @param {Trace} trace
 * @param {State} given
 */
export function panelsOf(trace, { against }) {
  const reference = referenceOf(trace, against);
  if (!counted.has(trace)) counted.set(trace, new Map());
  const known = counted.get(trace);
  const key = reference ? against : "none";
  if (!(/** @type {NonNullable<typeof known>} */ (known).has(key)))
    /** @type {NonNullable<typeof known>} */ (known).set(
      key,
      kinds(trace).map((kind) => panelFor(trace, kind, kind === "cross" ? reference : null)),
    );
  return /** @type {NonNullable<typeof known>} */ (known).get(key);
}

/** @param {Trace} trace @param {Kind} kind @param {Reference | null} reference */
function panelFor(trace, kind, reference) {
  const found = blocks(trace, kind);
  const special = axis(trace, found[0].key_axis, "piece").flatMap((entry, i) => (entry.special ? [i] : []));
  const heads = found.flatMap((block) =>
    Array.from({ length: block.heads }, (_, head) => headOf(trace, block, head, special, reference)),
  );
  heads.forEach((head, place) => Object.assign(head, { place }));
  return { kind, blocks: found, heads };
}

/**
 * @param {Trace} trace
 * @param {Block} block
 * @param {number} head
 * @param {number[]} special
 * @param {Reference | null} reference
 */
function headOf(trace, block, head, special, reference) {
  const { rows, columns, data } = weights(trace, block, head);
  const facts = factsOf(
    data,
    rows,
    columns,
    special.filter((k) => k < columns),
    reference,
  );
  const most = peak(data, rows, columns);
  const [query, key] = [
    axis(trace, block.query_axis, "piece")[most.q].full,
    axis(trace, block.key_axis, "piece")[most.k].full,
  ];
  const numbers = words.numbers(facts, words.badge.format, words.badge.names);
  return {
    block,
    head,
    queries: rows,
    keys: columns,
    facts,
    query,
    key,
    weight: most.weight,
    sentence: words.cell(block.layer + 1, head + 1, numbers, query, key, most.weight),
  };
}
