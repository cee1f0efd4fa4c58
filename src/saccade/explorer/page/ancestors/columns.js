/**
 * Which models stand side by side, with which traces, and which words of theirs are the same word.
 * Tokenizers differ from model to model; words, and where they stand in the text, are what models have in common.
 */
import { axis, tensor } from "page/trace/trace";

/** @import { Problem } from "page/trace/server" */
/** @import { AxisEntry, Context, Model, Trace } from "page/types" */

/**
 * A model of the comparison.
 * @typedef {object} Column
 * @property {string} id
 * @property {string} name
 * @property {number | null} year
 * @property {Model} model
 * @property {Trace} trace  null while it is not here
 * @property {boolean} waits
 * @property {Problem | null} failed
 * @property {boolean} [inAdvance]  its trace came with the page
 */
/**
 * A word with the characters of the text it stands for. @typedef {AxisEntry & {span: [number, number] | null}}
 * WordEntry
 */

const DETAILS = ["memory", "recurrent", "influence"];

/**
 * What of a state asks for a model's own translation of the sentence, and nothing else.
 * @param {string} model
 * @param {string} [force]
 */
const plain = (model, force = "") => ({ model, force, prefix: "", whatif: "", size: null, penalty: null });

/**
 * The models of the page in the order given: those the server has, or those the document has traces of.
 * @param {Context} context
 */
export function models(context) {
  const { document } = context;
  const found = new Map(document.models.map((one) => [one.id, one]));
  for (const { model } of document.traces) if (!found.has(model.id)) found.set(model.id, model);
  return [...found.values()];
}

/**
 * A column for each model, the oldest system first.
 * @param {Context} context
 * @returns {Column[]}
 */
export function columns(context) {
  const given = models(context);
  if (!context.state.sentence.trim() || !given.length) return [];
  const first = given[0];
  const leading = context.want(plain(first.id), DETAILS);
  const force = context.state.forced && leading ? leading.output.text : "";
  const made = given.map((model) => {
    const wanted = model.id === first.id ? plain(model.id) : plain(model.id, force);
    const trace = context.state.forced && !leading ? null : context.want(wanted, DETAILS);
    const known = trace?.model ?? model;
    return {
      id: model.id,
      name: known.name ?? model.id,
      year: known.year ?? null,
      model: known,
      trace,
      waits: context.waits(wanted),
      failed: context.failed(wanted),
    };
  });
  // Its own translation is all that there is of what was traced in advance.
  const traced = context.state.forced ? [] : inAdvance(context);
  for (const trace of traced) if (sameSentence(trace, context.state.sentence)) made.push(columnOf(trace));
  const order = (context.document.papers ?? []).flatMap((paper) =>
    paper.architectures.map((/** @type {any} */ one) => one.name),
  );
  /** @param {any} given */
  const age = ({ model }) => (order.includes(model.architecture) ? order.indexOf(model.architecture) : order.length);
  return /** @type {Column[]} */ (made).sort((a, b) => (a.year ?? 9999) - (b.year ?? 9999) || age(a) - age(b));
}

/**
 * The traces of an older system that came with the page, where no model of that system is here.
 * @param {Context} context
 */
export function inAdvance(context) {
  const here = new Set(models(context).map(({ architecture }) => architecture));
  return (context.document.ancestors ?? []).filter(({ model }) => !here.has(model.architecture));
}

/** @param {Trace} trace @param {string} sentence */
const sameSentence = (trace, sentence) => trace.source_text === sentence.trim();

/** @param {Trace} trace */
const columnOf = (trace) => ({
  id: trace.model.id,
  name: trace.model.name,
  year: trace.model.year,
  model: trace.model,
  trace,
  waits: false,
  failed: null,
  inAdvance: true,
});

/**
 * Why a model cannot be compared with the chosen one: it does something else, or between other languages. Null where it
 * can.
 * @param {Pick<Model, "task" | "source_language" | "target_language">} model
 * @param {Pick<Model, "task" | "source_language" | "target_language"> | undefined} chosen
 * @returns {"task" | "languages" | null}
 */
export function mismatch(model, chosen) {
  if (!chosen) return null;
  if (model.task !== chosen.task) return "task";
  return model.source_language === chosen.source_language && model.target_language === chosen.target_language
    ? null
    : "languages";
}

/**
 * A source word of one trace in another: at the same number where the words agree, else at the same place of the
 * text, else by its spelling. Null where the other has no such word.
 * @param {Trace} trace
 * @param {{label: string, special: string | null, span: [number, number] | null}} word @param {number} number
 * @returns {number | null} its number among the words of the trace
 */
export function sameWord(trace, word, number) {
  const found = words(trace, "source");
  /** @param {any} one */
  const equal = (one) => (one.special || word.special ? one.special === word.special : one.label === word.label);
  if (found[number] && equal(found[number])) return number;
  if (word.span) {
    const [from, to] = word.span;
    const place = found.findIndex((one) => one.span && one.span[0] < to && from < one.span[1]);
    if (place >= 0) return place;
  }
  const place = found.findIndex(equal);
  return place >= 0 ? place : null;
}

/** Whether a model read a source: a language model has none. @param {Trace} trace */
export const hasSource = (trace) => trace.axes.source.tokens.some((token) => !token.special);

/**
 * The words of a side, with the characters of the text they stand for.
 * @param {Trace} trace
 * @param {"source" | "target" | "reads"} side
 */
export function words(trace, side) {
  const { tokens } = trace.axes[side];
  return axis(trace, side, "word").map((one) => {
    const spans = one.pieces.map((piece) => tokens[piece].span).filter(Boolean);
    return {
      ...one,
      span: spans.length
        ? /** @type {[number, number]} */ ([/** @type {any} */ (spans[0])[0], /** @type {any} */ (spans.at(-1))[1]])
        : null,
    };
  });
}

/**
 * The first word that is no special token, from one end.
 * @param {WordEntry[]} found
 * @param {boolean} [fromEnd]
 */
export function ordinary(found, fromEnd = false) {
  const places = [...found.keys()].filter((place) => !found[place].special);
  return (fromEnd ? places.at(-1) : places[0]) ?? 0;
}

/**
 * A matrix [target pieces, source pieces or words] over words: mean over the pieces of a row, sum over those of a
 * column.
 * @param {Trace} trace @param {{shape: number[], data: ArrayLike<number>}} matrix
 */
export function overWords(trace, { shape, data }) {
  const rows = words(trace, "target");
  const across = words(trace, "source");
  const wholeWords = shape[1] === across.length && shape[1] !== trace.axes.source.tokens.length;
  const out = new Float64Array(rows.length * across.length);
  rows.forEach((row, i) =>
    across.forEach((column, j) => {
      let total = 0;
      for (const r of row.pieces) for (const c of wholeWords ? [j] : column.pieces) total += data[r * shape[1] + c];
      out[i * across.length + j] = total / row.pieces.length;
    }),
  );
  return { rows: rows.length, columns: across.length, data: out };
}

/** The alignment of a trace over words, or null where the model does not look at a source. @param {Trace} trace */
export function alignment(trace) {
  const weights = trace.alignment ? tensor(trace, trace.alignment.tensor) : null;
  return weights ? overWords(trace, weights) : null;
}

/**
 * One measure of influence over words, or null where the trace does not hold it.
 * @param {any} name
 * @param {Trace} trace
 */
export function influence(trace, name) {
  const measured = tensor(trace, trace.influence?.tensors?.[name]);
  return measured ? overWords(trace, measured) : null;
}

/**
 * What share of a row, or of the mean of all rows, each column has; what is below nothing counts as nothing.
 * @param {any} matrix @param {number | null} row
 */
export function shares({ rows, columns: count, data }, row) {
  /** @param {number} i */
  const of = (i) => {
    const part = Float64Array.from({ length: count }, (_, j) => Math.max(0, data[i * count + j]));
    const total = part.reduce((sum, value) => sum + value, 0);
    return total > 0 ? part.map((value) => value / total) : part;
  };
  if (row !== null) return of(row);
  const mean = new Float64Array(count);
  for (let i = 0; i < rows; i++)
    of(i).forEach((value, j) => {
      mean[j] += value / rows;
    });
  return mean;
}
