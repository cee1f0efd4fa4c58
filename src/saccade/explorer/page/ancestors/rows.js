/** The rows of the comparison: what is asked of every model, and how its answer is shown. */
import { alignment, hasSource, influence, shares, words } from "page/ancestors/columns";
import { drawStates, grain, shelf } from "page/ancestors/drawing";
import { WORDS } from "page/ancestors/words";
import { matrix } from "page/drawing/matrix";
import { layout } from "page/drawing/matrix-drawing";
import { CanvasSurface } from "page/drawing/surface";
import { h, word } from "page/elements/dom";
import { digits, entropy, extent, percent, short } from "page/numbers/numbers";
import { plainName } from "page/trace/plain-names";
import { role } from "page/trace/trace";

/** @import { Column } from "page/ancestors/columns" */
/** @import { ChosenWords } from "page/ancestors/path-row" */
/** @import { Block, Context, Surface, Tensor, Theme, Token, Trace } from "page/types" */

/**
 * What a row is drawn with.
 * @typedef {object} Drawn
 * @property {Context} context
 * @property {number} width
 * @property {Theme} theme
 * @property {number} dot  pixels of one number
 * @property {number} cell
 * @property {ChosenWords} chosen
 * @property {number | null} written
 */

/** @param {string} text */
export const said = (text) => h("p", { class: "said" }, text);

/** @param {string} text */
export const note = (text) => h("p", { class: "note" }, text);

/**
 * The names and shapes of tensors, for those who want to compute along.
 * @param {Context} context
 * @param {Trace} trace
 * @param {any} names
 */
function named(context, trace, names) {
  if (context.state.depth !== "tensors") return null;
  const held = names.filter((/** @type {string} */ name) => name && trace.tensors[name]);
  return held.length
    ? h(
        "p",
        { class: "note tensors" },
        held.map((/** @type {string} */ name) => h("code", {}, `${name} [${trace.tensors[name].shape.join(", ")}]`)),
      )
    : null;
}

/** @param {Context} context */
const wordsOnly = (context) => context.state.depth === "words";

/**
 * A picture that a surface draws.
 * @param {number} width
 * @param {number} height
 * @param {string} label
 * @param {any} draw
 */
export function drawing(width, height, label, draw) {
  const canvas = h("canvas", { role: "img", "aria-label": label });
  draw(new CanvasSurface(canvas, width, height));
  return canvas;
}

/** Pictures of states are many small squares, and the same until the sentence, the room or the theme is another. */
const kept = new WeakMap();

/** @param {Tensor} states @param {string} key @param {() => HTMLElement} make */
function keptDrawing(states, key, make) {
  if (!kept.has(states)) kept.set(states, new Map());
  const pictures = kept.get(states);
  if (!pictures.has(key)) pictures.set(key, make());
  return pictures.get(key);
}

/** @param {Column} context @param {Drawn} given */
export function translation({ trace }, { context }) {
  const { output } = trace;
  const steps = trace.steps.slice(output.unscored ?? 0);
  const total = steps.reduce((sum, step) => sum + step.logprob, 0);
  return [
    h("p", { class: "output", lang: trace.model.target_language }, word(output.text)),
    h(
      "p",
      { class: "note", dataset: { logprob: "" } },
      wordsOnly(context)
        ? WORDS.probable(percent(Math.exp(total)))
        : WORDS.logprob(digits(total, 2), digits(total / steps.length, 2), steps.length),
    ),
  ];
}

/** @param {Token} token @param {Context} context */
const pieceName = (token, context) =>
  wordsOnly(context) ? plainName(token.text || token.piece, token.special) : token.text || token.piece;

/**
 * What crosses, as numbers.
 * @param {Column} context
 * @param {Drawn} given
 */
export function memory({ trace }, { context, width, theme, dot }) {
  const handed = trace.memory;
  const states = role(trace, handed, "states");
  if (handed.kind === "none" || !hasSource(trace)) return [said(WORDS.noMemory)];
  const pieces = trace.axes.source.tokens.length;
  const [count, size] = states?.shape ?? [1, handed.numbers ?? 0];
  const total = handed.numbers ?? count * size;
  const text =
    handed.kind === "list"
      ? WORDS.list(count, size, total)
      : count > 1
        ? WORDS.several(count, total)
        : WORDS.vector(total);
  /** @type {(HTMLElement | null)[]} */
  const parts = [h("p", { class: "said", dataset: { numbers: total } }, text)];
  if (states) {
    const limit = extent(states.data) || 1;
    const labels = handed.kind === "list" ? trace.axes.source.tokens.map((token) => pieceName(token, context)) : [];
    const height = shelf(count, size, width, dot).height;
    const picture = () =>
      drawing(width, height, text, (/** @type {Surface} */ surface) =>
        drawStates(surface, states, labels, width, limit, theme, dot),
      );
    parts.push(
      keptDrawing(states, [width, theme, dot, text, context.state.depth].join("|"), picture),
      wordsOnly(context) ? null : note(WORDS.limit(short(limit))),
      named(context, trace, [handed.tensors.states]),
    );
  }
  if (handed.kind === "vector")
    parts.push(
      note(`${handed.stays === false ? WORDS.once : WORDS.stays} ${WORDS.perWord(digits(total / pieces, 0), pieces)}`),
    );
  return parts;
}

/** How large a number is drawn, so that the widest state of all models is still small. @param {Column[]} shown */
export function commonDot(shown) {
  return grain(Math.max(...shown.map(({ trace }) => (trace && role(trace, trace.memory, "states")?.shape[1]) || 1)));
}

/**
 * The cell size with which every picture of weights fits its column.
 * @param {Column[]} shown
 * @param {number} width
 */
export function commonCell(shown, width) {
  const fitting = shown
    .filter(({ trace }) => trace)
    .map(({ trace }) => layout(words(trace, "target"), words(trace, "source"), width).cell);
  return Math.min(28, ...fitting);
}

/**
 * The weights of attention, or what was measured in their place: every picture on one scale from 0 to 1.
 * @param {any} column
 * @param {Drawn} given
 */
export function looks(column, { context, width, cell }) {
  const { trace, name } = column;
  const asked = context.state.opinion;
  const weights = asked === "attention" ? alignment(trace) : null;
  const kind = asked === "gradient" ? "gradient" : "occlusion";
  const measured = weights ? null : influence(trace, kind);
  const silent = asked === "attention" && !weights;
  if (!hasSource(trace)) return [said(WORDS.noMemory)];
  if (!weights && !measured) return [said(silent ? WORDS.noAttentionNothing : WORDS.noInfluence)];
  const [rows, columns] = [words(trace, "target"), words(trace, "source")];
  const values = weights ?? (kind === "gradient" ? rowShares(measured) : lost(measured));
  /** @param {any[]} list @param {any} chosen */
  const place = (list, chosen) => (chosen === null ? null : Math.min(chosen, list.length - 1));
  const [row, at] = [place(rows, context.state.wt), place(columns, context.state.wa)];
  const parts = [
    matrix(context, {
      values,
      rows,
      columns,
      width,
      cell,
      legend: false,
      title: weights ? WORDS.alignmentTitle(name) : WORDS.measuredTitle[kind](name),
      name: `${weights ? "alignment" : kind}-${column.id}`,
      axes: [WORDS.axes.writes, WORDS.axes[weights ? "looks" : kind === "gradient" ? "moves" : "without"]],
      cursor: row === null || at === null ? null : { row, column: at },
      /** @param {number} q @param {number} k */
      onPick: (q, k) => context.set({ wt: q, wa: k }),
    }),
  ];
  if (silent) parts.unshift(said(WORDS.noAttention));
  parts.push(
    /** @type {any} */ (named(context, trace, weights ? [trace.alignment.tensor] : [trace.influence?.tensors[kind]])),
  );
  if (weights && !wordsOnly(context)) {
    parts.push(
      h(
        "p",
        { class: "note", dataset: { entropy: "" } },
        WORDS.sharp(digits(meanEntropy(weights), 2), digits(Math.log2(weights.columns), 2)),
      ),
    );
    if (
      trace.blocks.some((/** @type {Block} */ block) => trace.alignment.blocks.includes(block.id) && !block.sums_to_one)
    )
      parts.push(note(WORDS.notOne));
  }
  return parts;
}

/** Every row as the shares of its sum. @param {any} matrix_ */
function rowShares(matrix_) {
  const data = Array.from({ length: matrix_.rows }, (_, i) => [...shares(matrix_, i)]).flat();
  return { rows: matrix_.rows, columns: matrix_.columns, data: Float64Array.from(data) };
}

/**
 * What leaving a word out costs, never less than nothing and at most one: a probability's share that is lost.
 * @param {any} matrix
 */
function lost({ rows, columns, data }) {
  return { rows, columns, data: Float64Array.from(data, (value) => 1 - Math.exp(-Math.max(0, value))) };
}

/** The mean over rows of their entropy in bits; rows that do not sum to one are made to. @param {any} matrix_ */
export function meanEntropy(matrix_) {
  let total = 0;
  for (let i = 0; i < matrix_.rows; i++) total += entropy(shares(matrix_, i)) / matrix_.rows;
  return total;
}

/** The mean over rows of their largest number. @param {any} matrix */
export function meanLargest({ rows, columns, data }) {
  let total = 0;
  for (let i = 0; i < rows; i++) total += Math.max(...data.slice(i * columns, (i + 1) * columns)) / rows;
  return total;
}

/** @param {any} column @param {Drawn} given */
export function mattered(column, { context, width, written }) {
  const { trace, name } = column;
  const measures = ["gradient", "occlusion"]
    .map((kind) => ({ kind, found: influence(trace, kind) }))
    .filter(({ found }) => found);
  if (!hasSource(trace)) return [said(WORDS.noMemory)];
  if (!measures.length) return [said(WORDS.noInfluence)];
  const columns = words(trace, "source");
  const row = written === null ? null : Math.min(written, /** @type {any} */ (measures[0].found).rows - 1);
  const rows = measures.map(({ found }) => shares(found, row));
  const data = Float64Array.from(rows.flatMap((values) => [...values]));
  /** @param {any} found */
  const spread = (found) => (row === null ? meanEntropy(found) : entropy(shares(found, row)));
  const bits = Object.fromEntries(measures.map(({ kind, found }) => [kind, `${digits(spread(found), 2)} bits`]));
  return [
    matrix(context, {
      values: { rows: rows.length, columns: columns.length, data },
      rows: measures.map(({ kind }) => WORDS[/** @type {keyof typeof WORDS} */ (kind)]),
      columns,
      width,
      legend: false,
      title: WORDS.influenceTitle(name),
      name: `influence-${column.id}`,
      axes: [WORDS.axes.measure, WORDS.axes.source],
    }),
    h(
      "p",
      { class: "note", dataset: { bits: "" } },
      WORDS.influenceEntropy(
        row === null,
        bits.gradient ?? "–",
        bits.occlusion ?? "–",
        digits(Math.log2(columns.length), 2),
      ),
    ),
    named(
      context,
      trace,
      measures.map(({ kind }) => trace.influence.tensors[kind]),
    ),
  ];
}

/**
 * How far the gates of each recurrence of the reader were open at each word: the mean over all units.
 * @param {Column} column
 * @param {Drawn} given
 */
export function gates(column, { context, width }) {
  const { trace } = column;
  const found = (trace.recurrent?.layers ?? []).filter(
    (one) => one.stack === "encoder" && one.gates.length && role(trace, one, "gates"),
  );
  if (!found.length)
    return [said(trace.recurrent?.layers.some((one) => one.stack === "encoder") ? WORDS.noGates : WORDS.noRecurrence)];
  const columns = words(trace, "source");
  return found.map((one) => {
    const {
      shape: [count, places, units],
      data,
    } = /** @type {Tensor} */ (role(trace, one, "gates"));
    const order = one.order ?? Array.from({ length: places }, (_, i) => i);
    const means = Array.from({ length: count }, () => new Float64Array(places));
    for (let gate = 0; gate < count; gate++)
      for (let at = 0; at < places; at++)
        for (let unit = 0; unit < units; unit++)
          means[gate][order[at]] += data[(gate * places + at) * units + unit] / units;
    const values = means.flatMap((mean) =>
      columns.map(({ pieces }) => pieces.reduce((sum, piece) => sum + mean[piece], 0) / pieces.length),
    );
    return matrix(context, {
      values: { rows: count, columns: columns.length, data: Float64Array.from(values) },
      rows: one.gates.map((name) => WORDS.gateNames[/** @type {keyof typeof WORDS.gateNames} */ (name)] ?? name),
      columns,
      width,
      legend: false,
      title: WORDS.gatesTitle(order[0] > order[1]),
      name: `gates-${column.id}-${one.id}`,
      axes: ["gate", "word"],
    });
  });
}

/** @param {Column} context */
export function size({ trace }) {
  return [
    said(WORDS.pieces(trace.axes.source.tokens.length, trace.axes.target.tokens.length)),
    said(WORDS.parameters(trace.model.parameters)),
    trace.seconds === undefined || trace.seconds === null ? null : said(WORDS.seconds(digits(trace.seconds, 2))),
  ];
}
