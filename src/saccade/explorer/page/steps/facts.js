/**
 * What the Steps view talks about: the chosen block, head, query, key and number, always ones that exist, and the facts
 * its texts are bound to. Everything comes out of the trace; a fact whose tensor is not there is null.
 */
import { argmax, digits, percent } from "page/numbers/numbers";
import { apart, row, softmax, spread } from "page/steps/arithmetic";
import { SCORE_SENTENCE, UNKNOWN_SCORE } from "page/steps/words";
import { namedFor } from "page/trace/plain-names";
import { axis, blocks, chosen, role, rowAxis } from "page/trace/trace";

/** @import { Picture } from "page/steps/scene-pictures" */
/** @import { AxisEntry, Block, Changes, Kind, State, Tensor, Trace } from "page/types" */

/**
 * What the texts of the view are bound to, by name; null where the trace does not hold it. @typedef {Record<string,
 * any>} Facts
 */

/** Scores that are products of query and key and nothing else. */
const PRODUCTS = ["scaled-dot", "dot"];

/**
 * @typedef {object} Choice
 * @property {Kind | null} kind  "enc", "dec", "cross"; null where the model has no attention
 * @property {any} block
 * @property {number} head  from 0
 * @property {number} q  a piece of the query axis
 * @property {number} k  a piece of the key axis
 * @property {number} d  a place in a vector
 * @property {AxisEntry[]} rows  the query axis in pieces
 * @property {AxisEntry[]} columns  the key axis in pieces
 * @property {{rows: AxisEntry[], columns: AxisEntry[]} | null} inWords  both axes in words, where places are words
 */

/**
 * The choice of a state, made to fit the trace.
 * @param {Trace} trace
 * @param {State} state
 * @returns {Choice}
 */
export function choose(trace, state) {
  const { kind, block, head } = chosen(trace, { ...state, layer: state.layer ?? known(trace, state.kind) });
  const [queries, keys] = [block?.query_axis ?? readAxis(trace), block?.key_axis ?? readAxis(trace)];
  const rows = namedFor(axis(trace, queries, "piece"), state.depth);
  const columns = namedFor(axis(trace, keys, "piece"), state.depth);
  const [rowsShown, columnsShown] = [rowAxis(trace, queries, state.unit, state.shift), axis(trace, keys, state.unit)];
  const q = place(rowsShown, state.q) ?? firstWord(rows);
  const k = place(columnsShown, state.k);
  const inWords = state.depth === "words" && state.unit === "word" ? { rows: rowsShown, columns: columnsShown } : null;
  const choice = {
    kind,
    block,
    head: head === "mean" ? 0 : head,
    q,
    k: k ?? 0,
    d: state.dimension,
    rows,
    columns,
    inWords,
  };
  if (k === null && block) choice.k = argmax(row(weightsOf(trace, choice), columns.length, q));
  return choice;
}

/**
 * Where no layer is chosen: the one that aligns words if its numbers are here, else the last one whose numbers are,
 * since a file may hold those of one block only.
 * @param {Trace} trace
 * @param {Kind} kind
 */
function known(trace, kind) {
  const here = blocks(trace, kind).filter((block) => role(trace, block, "q"));
  return (here.find((block) => trace.alignment?.blocks.includes(block.id)) ?? here.at(-1))?.layer ?? null;
}

/**
 * What a model reads before it writes: a source, or where that is nothing but its end mark, what it wrote itself.
 * @param {Trace} trace
 */
export const readAxis = (trace) => (trace.axes.source?.tokens?.some((token) => !token.special) ? "source" : "reads");

/**
 * A place in the state as a piece: over words, the first piece of the word.
 * @param {AxisEntry[]} entries
 * @param {number | null} at
 */
function place(entries, at) {
  return at === null ? null : (entries[at]?.pieces[0] ?? null);
}

/** @param {AxisEntry[]} entries */
const firstWord = (entries) =>
  Math.max(
    0,
    entries.findIndex((entry) => !entry.special),
  );

/**
 * The state that points at a piece: from here on the page speaks of pieces. Where a reader wants words it points at the
 * word that the piece belongs to.
 * @param {Choice} choice
 * @param {Changes} changes
 * @returns {Changes}
 */
export function pointing(choice, changes) {
  const place = { q: choice.q, k: choice.k, head: choice.head, ...changes };
  if (!choice.inWords) return { unit: "piece", ...place };
  const { rows, columns } = choice.inWords;
  return { unit: "word", ...place, q: wordAt(rows, place.q), k: wordAt(columns, place.k) };
}

/** @param {AxisEntry[]} entries @param {number | null} piece */
export const wordAt = (entries, piece) =>
  Math.max(
    0,
    entries.findIndex(({ pieces }) => piece !== null && pieces.includes(piece)),
  );

/**
 * The weights of the chosen head, [query, key].
 * @param {Trace} trace
 * @param {Choice} choice
 */
export function weightsOf(trace, { block, head }) {
  return headOf(role(trace, block, "weights"), head);
}

/**
 * One head of a [head, ...] tensor as a flat matrix.
 * @param {Tensor | null} found
 * @param {number} head
 */
export function headOf(found, head) {
  if (!found) return null;
  const size = found.shape[1] * found.shape[2];
  return found.data.subarray(head * size, (head + 1) * size);
}

/** "source" or "target": which embedding the queries come from. @param {Block | null} block */
export const sideOf = (block) => (block?.query_axis === "reads" ? "target" : "source");

/**
 * The feed-forward layer above a block: the one of its own layer.
 * @param {Trace} trace
 * @param {Block | null} block
 */
export function feedforwardOf(trace, block) {
  return block
    ? ((trace.layers ?? []).find(
        (layer) => layer.kind === "ffn" && layer.stack === block.stack && layer.layer === block.layer,
      ) ?? null)
    : null;
}

/**
 * How a block is wired into the stream: what its config says, or else what its tensors show.
 * @param {Trace} trace
 * @param {Block | null} block
 */
export function wiringOf(trace, block) {
  const named = block?.norm ?? trace.model.config?.norm;
  if (["post", "pre", "residual", "plain"].includes(named)) return named;
  /** @param {string} name */
  const has = (name) => Boolean(block?.tensors?.[name]);
  if (!has("resid_sum")) return "plain";
  return has("norm_out") ? "post" : "residual";
}

/**
 * What a block's projections read: in a pre-norm model the normalised states, else what came in.
 * @param {Trace} trace
 * @param {Block | null} block
 */
export function inputOf(trace, block) {
  return wiringOf(trace, block) === "pre" ? block?.tensors?.norm_out : block?.tensors?.resid_in;
}

/** A token as it is called in a sentence. @param {{label: string} | null | undefined} entry */
export const nameOf = (entry) => (entry ? entry.label.replace(/^▁/, "") || entry.label : "");

/**
 * Everything the texts need.
 * @param {Trace} trace
 * @param {Choice} choice
 * @param {number | null} [step]
 * @param {State["depth"]} [depth]
 * @returns {Facts}
 */
export function facts(trace, choice, step = 0, depth = "numbers") {
  const { block, q, k, rows, columns } = choice;
  const side = trace.embedding?.[sideOf(block)] ?? null;
  const token = role(trace, side, "token");
  const memory = role(trace, trace.memory, "states");
  const told = {
    inWords: depth === "words",
    /** @param {number} value @param {number} places */
    amount: (value, places) => (depth === "words" && Number.isFinite(value) ? percent(value) : digits(value, places)),
    pieces: trace.axes[readAxis(trace)].tokens.length,
    memoryNumbers: memory ? memory.data.length : null,
    memoryStays: trace.memory?.stays ?? null,
    query: nameOf(rows[q]),
    key: nameOf(columns[k]),
    q,
    k,
    keys: columns.length,
    width: token?.shape[1] ?? trace.model.letters?.d_model ?? null,
    scaled: side?.scale !== undefined && side?.scale !== null && side.scale !== 1,
    embeddingScale: side?.scale ?? 1,
    positions: Boolean(side?.tensors?.position),
    positionKind: side?.kind ?? null,
    wiring: wiringOf(trace, block),
    bias: Boolean(trace.final?.tensors?.bias),
    multihead: Boolean(block?.tensors?.w_q),
    ...outputFacts(trace, choice, step),
  };
  return block ? { ...told, ...attentionFacts(trace, choice), ...ffnFacts(trace, choice) } : told;
}

/** @param {Trace} trace @param {Choice} choice */
function attentionFacts(trace, choice) {
  const { block, head, q, k, columns } = choice;
  const weights = row(weightsOf(trace, choice), columns.length, q);
  const scores = headOf(role(trace, block, "scores"), head);
  const allowed = allowedOf(trace, choice);
  const best = argmax(weights);
  const keys = role(trace, block, "k");
  const values = role(trace, block, "v");
  const each = trace.model.letters ?? {};
  return {
    heads: block.heads,
    head: head + 1,
    layer: block.layer + 1,
    cross: block.kind === "cross",
    causal: Boolean(block.causal),
    querySide: block.query_axis,
    window: Boolean(block.window),
    centre: block.window?.centre?.[q] ?? null,
    reach: block.window?.reach ?? null,
    blank: blankWeight(trace, choice),
    masked: allowed !== null && masksSomething(trace, block),
    allowed: allowed
      ? allowed.reduce((/** @type {any} */ sum, /** @type {Picture} */ one) => sum + one, 0)
      : columns.length,
    seen: allowed ? Boolean(allowed[k]) : true,
    dk: keys?.shape[2] ?? each.d_k ?? null,
    dv: values?.shape[2] ?? each.d_v ?? null,
    scale: block.scale ?? 1,
    scoreName: block.score,
    alignment: block.alignment ?? "soft",
    dotted: PRODUCTS.includes(block.score),
    scoreSentence: SCORE_SENTENCE[/** @type {keyof typeof SCORE_SENTENCE} */ (block.score)] ?? UNKNOWN_SCORE,
    recurrentQuery: Boolean(trace.recurrent) && block.kind === "cross",
    oneVector: keys && values && keys.data.length === values.data.length ? apart(keys.data, values.data) === 0 : null,
    score: scores ? scores[q * columns.length + k] : null,
    scaledScore: scores ? scores[q * columns.length + k] * (block.scale ?? 1) : null,
    weight: weights[k],
    best: nameOf(columns[best]),
    bestAt: best,
    bestWeight: weights[best],
    ...otherThan(choice, weights, best),
    rowSum: weights.reduce((/** @type {any} */ sum, /** @type {number} */ weight) => sum + weight, 0),
    ...spread(weights),
  };
}

/**
 * The key to name beside the strongest: the chosen one, or the second strongest where they are the same.
 * @param {Choice} choice
 * @param {ArrayLike<number>} weights
 * @param {number} best
 */
function otherThan({ k, columns }, weights, best) {
  const rest = Array.from(weights, (weight, i) => (i === best ? -1 : weight));
  const other = k === best && columns.length > 1 ? argmax(rest) : k;
  return { other: nameOf(columns[other]), otherWeight: weights[other] };
}

/**
 * The row of the mask that belongs to the query, or null where the block has no mask.
 * @param {Trace} trace
 * @param {Choice} choice
 */
export function allowedOf(trace, { block, q, columns }) {
  const found = role(trace, block, "mask");
  return found ? row(found.data, columns.length, q) : null;
}

/** @param {Trace} trace @param {Block | null} block */
export function masksSomething(trace, block) {
  const found = role(trace, block, "mask");
  return Boolean(found) && /** @type {NonNullable<typeof found>} */ (found).data.some((one) => one === 0);
}

/** @param {Trace} trace @param {Choice} choice */
function ffnFacts(trace, { block, q }) {
  const layer = feedforwardOf(trace, block);
  const hidden = role(trace, layer, "hidden");
  const activation = layer?.activation ?? "relu";
  if (!hidden) return { activation, inner: trace.model.letters?.d_ff ?? null, active: null };
  const inner = hidden.shape[1];
  return {
    activation,
    inner,
    active: row(hidden.data, inner, q).reduce(
      (/** @type {any} */ sum, /** @type {number} */ value) => sum + (value > 0 ? 1 : 0),
      0,
    ),
  };
}

/**
 * The round of the decoder the output step shows.
 * @param {Trace} trace
 * @param {Choice} choice
 * @param {any} step
 */
export function roundOf(trace, choice, step) {
  const last = (trace.steps?.length ?? 1) - 1;
  return Math.min(Math.max(0, choice.block?.query_axis === "reads" ? choice.q : (step ?? 0)), Math.max(0, last));
}

/** @param {Trace} trace @param {Choice} choice @param {any} step */
function outputFacts(trace, choice, step) {
  const round = roundOf(trace, choice, step);
  const one = trace.steps?.[round];
  const reads = axis(trace, "reads", "piece");
  return {
    round,
    reads: nameOf(reads[round]),
    candidate: one?.top?.[0] ? one.top[0].text || one.top[0].piece : "",
    probability: one?.top?.[0]?.p ?? null,
  };
}

/**
 * The chosen head's whole row of softmax, from stored scores; null where they are not stored. A tape has a blank slot
 * that is no token: its power is part of the sum.
 * @param {Trace} trace
 * @param {Choice} choice
 */
export function softmaxOf(trace, choice) {
  const { block, head, q, columns } = choice;
  const scores = headOf(role(trace, block, "scores"), head);
  if (!scores) return null;
  const blank = role(trace, block, "blank_scores");
  const mine = Array.from(row(scores, columns.length, q));
  const allowed = Array.from(allowedOf(trace, choice) ?? mine.map(() => 1));
  if (!blank) return { ...softmax(mine, { scale: block.scale ?? 1, allowed }), blank: null };
  const made = softmax([...mine, blank.data[head * blank.shape[1] + q]], {
    scale: block.scale ?? 1,
    allowed: [...allowed, 1],
  });
  /** @param {any} values */
  const without = (values) => values.slice(0, -1);
  return {
    ...made,
    scaled: without(made.scaled),
    exponentials: without(made.exponentials),
    weights: without(made.weights),
    blank: made.exponentials.at(-1),
  };
}

/**
 * What a query pays to the blank slot of a tape; null where there is none.
 * @param {Trace} trace
 * @param {Choice} choice
 */
export function blankWeight(trace, { block, head, q }) {
  const found = role(trace, block, "blank");
  return found ? found.data[head * found.shape[1] + q] : null;
}
