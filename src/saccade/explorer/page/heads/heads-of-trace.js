/** The heads of a trace by kind of attention, each with its numbers. */
import { factsOf, peak } from "page/heads/statistics";
import { heads as words } from "page/heads/words";
import { aggregate, axis, blocks, kinds, picture, tensor } from "page/trace/trace";

/** @import { Reference } from "page/heads/statistics" */
/** @import { Block, Kind, State, Trace } from "page/types" */

/** @typedef {ReturnType<typeof headOf> & {place?: number}} PanelHead */
/** The heads of one kind of attention. @typedef {{kind: Kind, blocks: Block[], heads: PanelHead[]}} Panel */

/**
 * What the agreement is measured against: values by [written, source] in the unit shown, or null where the trace has
 * none.
 * @param {Trace} trace
 * @param {Pick<State, "against" | "unit" | "shift">} given
 */
export function referenceOf(trace, { against, unit, shift }) {
  const name = against === "own" ? trace.alignment?.tensor : trace.influence?.tensors?.[against];
  const found = tensor(trace, name);
  if (!found) return null;
  const [rows, columns] = [axis(trace, shift ? "target" : "reads", unit), axis(trace, "source", unit)];
  const { data } = aggregate({ rows: found.shape[0], columns: found.shape[1], data: found.data }, rows, columns);
  return {
    rows: rows.length,
    columns: columns.length,
    values: data,
    groups: axis(trace, "source", "word").map((entry, word) => (unit === "word" ? [word] : entry.pieces)),
  };
}

/** @type {WeakMap<object, Map<string, any[]>>} */
const counted = new WeakMap();

/**
 * The panels of a trace: for each kind its blocks, and each of their heads with its numbers; counted once.
 * @param {Trace} trace
 * @param {State} state
 */
export function panelsOf(trace, state) {
  const reference = referenceOf(trace, state);
  if (!counted.has(trace)) counted.set(trace, new Map());
  const known = counted.get(trace);
  const key = `${reference ? state.against : "none"} ${state.unit} ${state.shift}`;
  if (!(/** @type {NonNullable<typeof known>} */ (known).has(key)))
    /** @type {NonNullable<typeof known>} */ (known).set(
      key,
      kinds(trace).map((kind) => panelFor(trace, kind, state, kind === "cross" ? reference : null)),
    );
  return /** @type {NonNullable<typeof known>} */ (known).get(key);
}

/** @param {Trace} trace @param {Kind} kind @param {State} state @param {Reference | null} reference */
function panelFor(trace, kind, state, reference) {
  const found = blocks(trace, kind);
  const heads = found.flatMap((block) =>
    Array.from({ length: block.heads }, (_, head) => headOf(trace, block, head, state, reference)),
  );
  heads.forEach((head, place) => Object.assign(head, { place }));
  return { kind, blocks: found, heads };
}

/**
 * @param {Trace} trace
 * @param {Block} block
 * @param {number} head
 * @param {State} state
 * @param {Reference | null} reference
 */
function headOf(trace, block, head, { unit, shift }, reference) {
  const shown = picture(trace, block, head, unit, shift);
  const { rows, columns, data } = shown.weights;
  const facts = factsOf(
    data,
    rows,
    columns,
    shown.columns.flatMap((entry, k) => (entry.special ? [k] : [])),
    reference,
  );
  const most = peak(data, rows, columns);
  const [query, key] = [shown.rows[most.q].full, shown.columns[most.k].full];
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
