/** The heads of a trace by kind of attention, each with its numbers. */
import { factsOf, peak } from "page/heads/statistics";
import { heads as words } from "page/heads/words";
import { axis, blocks, kinds, tensor, weights } from "page/trace/trace";

/** What the agreement is measured against: values by [reads, source], or null where the trace has none. */
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

/** The panels of a trace: for each kind its blocks, and each of their heads with its numbers; counted once. */
export function panelsOf(trace, { against }) {
  const reference = referenceOf(trace, against);
  if (!counted.has(trace)) counted.set(trace, new Map());
  const known = counted.get(trace);
  const key = reference ? against : "none";
  if (!known.has(key))
    known.set(
      key,
      kinds(trace).map((kind) => panelFor(trace, kind, kind === "cross" ? reference : null)),
    );
  return known.get(key);
}

function panelFor(trace, kind, reference) {
  const found = blocks(trace, kind);
  const special = axis(trace, found[0].key_axis, "piece").flatMap((entry, i) => (entry.special ? [i] : []));
  const heads = found.flatMap((block) =>
    Array.from({ length: block.heads }, (_, head) => headOf(trace, block, head, special, reference)),
  );
  heads.forEach((head, place) => Object.assign(head, { place }));
  return { kind, blocks: found, heads };
}

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
