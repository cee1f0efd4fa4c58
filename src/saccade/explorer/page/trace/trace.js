/**
 * A trace as views read it: tensors decoded when first asked for, blocks by kind and layer, axes by words or pieces.
 *
 * A row of a decoder block is the query made from `reads[t]`, and predicts `target[t]`.
 */

/** @import * as schema from "page/trace/schema" */
/** @import { AxisEntry, AxisName, Block, Head, Kind, Matrix, State, Tensor, Token, Trace, Unit } from "page/types" */

/** @type {Record<string, (view: DataView, at: number) => number>} */
const READERS = {
  f32: (view, at) => view.getFloat32(4 * at, true),
  f16: (view, at) => half(view.getUint16(2 * at, true)),
  f64: (view, at) => view.getFloat64(8 * at, true),
  i32: (view, at) => view.getInt32(4 * at, true),
  i64: (view, at) => Number(view.getBigInt64(8 * at, true)),
  u8: (view, at) => view.getUint8(at),
};
/** @type {Record<string, number>} */
const WIDTHS = { f32: 4, f16: 2, f64: 8, i32: 4, i64: 8, u8: 1 };
/** @type {Record<string, Float32ArrayConstructor | Float64ArrayConstructor | Uint8ArrayConstructor>} */
const ARRAYS = { f32: Float32Array, f64: Float64Array, u8: Uint8Array };
const LITTLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** @type {WeakMap<object, Tensor>} */
const decoded = new WeakMap();

/**
 * Bytes out of base64. Browsers of 2025 and later have a method for it. For the others a plain loop, because
 * `Uint8Array.from` takes ten times as long and a file may hold 30 MB.
 * @param {string} base64
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function bytesOf(base64) {
  const direct = /** @type {any} */ (Uint8Array).fromBase64;
  if (direct) return direct(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/**
 * Numbers out of base64, little endian.
 * @param {schema.Tensor} stored
 * @returns {Tensor}
 */
export function decode(stored) {
  const bytes = bytesOf(stored.data ?? "");
  const count = stored.shape.reduce((product, size) => product * size, 1);
  if (!(stored.dtype in READERS)) throw new Error(`a tensor of type “${stored.dtype}” is not one this page reads`);
  if (bytes.length !== count * WIDTHS[stored.dtype])
    throw new Error(`a tensor has ${bytes.length} bytes, but its shape says ${count * WIDTHS[stored.dtype]}`);
  const { dtype, shape, dims } = stored;
  if (LITTLE && dtype in ARRAYS) return { dtype, shape, dims, data: new ARRAYS[dtype](bytes.buffer) };
  const view = new DataView(bytes.buffer);
  const data = new Float64Array(count);
  for (let at = 0; at < count; at++) data[at] = READERS[dtype](view, at);
  return { dtype, shape, dims, data };
}

/** @param {number} bits */
function half(bits) {
  const [sign, power, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (power === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (power - 15);
}

/**
 * A tensor of the trace by its name, or null where the trace does not hold its numbers.
 * @param {Trace} trace
 * @param {string | null | undefined} name
 * @returns {Tensor | null}
 */
export function tensor(trace, name) {
  const stored = name ? trace.tensors[name] : null;
  if (!stored || stored.data === undefined) return null;
  const known = decoded.get(stored) ?? decode(stored);
  decoded.set(stored, known);
  return known;
}

/**
 * A tensor of a block, layer, embedding ... by its role there: `role(trace, block, "scores")`.
 * @param {Trace} trace
 * @param {{tensors?: Record<string, string>} | null | undefined} owner
 * @param {string} name
 */
export function role(trace, owner, name) {
  return tensor(trace, owner?.tensors?.[name]);
}

/** @type {Record<Kind, (block: Block) => boolean>} */
const KINDS = {
  /** @param {Block} block */
  enc: (block) => block.stack === "encoder",
  /** @param {Block} block */
  dec: (block) => block.stack === "decoder" && block.kind === "self",
  /** @param {Block} block */
  cross: (block) => block.kind === "cross",
};

/**
 * The blocks of a kind from the first layer on: "enc" encoder self, "dec" decoder self, "cross".
 * @param {Trace} trace
 * @param {Kind} kind
 */
export function blocks(trace, kind) {
  return trace.blocks.filter((block) => KINDS[kind](block)).sort((a, b) => a.layer - b.layer);
}

/** The kinds of attention this model has, in reading order. @param {Trace} trace */
export function kinds(trace) {
  return /** @type {Kind[]} */ (["enc", "dec", "cross"]).filter((kind) => blocks(trace, kind).length > 0);
}

/**
 * One block; a layer of null or beyond the last is the one by which the model aligns words, else the last. Null where
 * the model has none of this kind.
 * @param {Trace} trace
 * @param {Kind} kind
 * @param {number | null} [layer]
 */
export function block(trace, kind, layer = null) {
  const found = blocks(trace, kind);
  const aligned = trace.alignment?.blocks ?? [];
  return (
    found.find((one) => one.layer === layer) ?? found.find((one) => aligned.includes(one.id)) ?? found.at(-1) ?? null
  );
}

/**
 * The block and head the state points at, always ones that exist; `head` is a number or "mean".
 * @param {Trace} trace
 * @param {Pick<State, "kind" | "layer" | "head">} state
 * @returns {{kind: Kind, block: Block, head: Head} | {kind: null, block: null, head: "mean"}}
 */
export function chosen(trace, state) {
  const kind = blocks(trace, state.kind).length ? state.kind : kinds(trace)[0];
  const found = kind ? block(trace, kind, state.layer) : null;
  if (!found) return { kind: null, block: null, head: "mean" };
  return { kind, block: found, head: state.head === "mean" || state.head >= found.heads ? "mean" : state.head };
}

/**
 * The weights of one head, or their mean over the heads.
 * @param {Trace} trace
 * @param {Block} one
 * @param {Head} head
 * @returns {Matrix}
 */
export function weights(trace, one, head) {
  return slice(/** @type {Tensor} */ (role(trace, one, "weights")), head);
}

/**
 * One head of a [head, rows, columns] tensor, or the mean.
 * @param {Tensor} tensor
 * @param {Head} head
 * @returns {Matrix}
 */
export function slice({ shape, data }, head) {
  const [heads, rows, columns] = shape;
  const size = rows * columns;
  if (head !== "mean") return { rows, columns, data: data.subarray(head * size, (head + 1) * size) };
  const mean = new Float64Array(size);
  for (let at = 0; at < data.length; at++) mean[at % size] += data[at] / heads;
  return { rows, columns, data: mean };
}

/**
 * Which keys each query may see, 1 or 0, or null where all may.
 * @param {Trace} trace
 * @param {Block} one
 */
export function mask(trace, one) {
  const found = role(trace, one, "mask");
  return found ? { rows: found.shape[0], columns: found.shape[1], data: found.data } : null;
}

/**
 * An axis as it is shown: a label each, the pieces behind it, and whether it is a special token.
 * @param {Trace} trace
 * @param {AxisName} name
 * @param {Unit} unit
 * @returns {AxisEntry[]}
 */
export function axis(trace, name, unit) {
  const { tokens, words } = trace.axes[name];
  if (unit === "piece")
    return tokens.map((token, i) =>
      entry(token.special ? token.piece : (token.piece ?? token.text), [i], token.special),
    );
  return (words?.length ? words : grouped(tokens)).map((word) =>
    entry(word.text, word.pieces, word.special ?? special(tokens, word)),
  );
}

/** @param {Token[]} tokens @param {{pieces: number[]}} word */
const special = (tokens, word) => (word.pieces.length === 1 ? (tokens[word.pieces[0]].special ?? null) : null);

/** @param {string} label @param {number[]} pieces @param {string | null | undefined} name */
const entry = (label, pieces, name) => ({ label: String(label), full: String(label), pieces, special: name ?? null });

/** Words out of tokens that say which word they belong to. @param {Token[]} tokens */
function grouped(tokens) {
  /** @type {{word: number | null, text: string, pieces: number[], special: string | null}[]} */
  const words = [];
  tokens.forEach((token, i) => {
    const last = words.at(-1);
    if (last && !token.special && token.word !== undefined && token.word === last.word) {
      last.pieces.push(i);
      last.text += token.text ?? token.piece;
    } else
      words.push({
        word: token.special ? null : token.word,
        text: token.special ? token.piece : (token.text ?? token.piece),
        pieces: [i],
        special: token.special,
      });
  });
  return words;
}

/**
 * A matrix over pieces as one over words: a row is the mean of its pieces' rows, a column the sum of its pieces'
 * columns, so that rows which summed to one still do. Over pieces it is the matrix itself.
 * @param {Matrix} matrix
 * @param {AxisEntry[]} rowAxis
 * @param {AxisEntry[]} columnAxis
 */
export function aggregate({ columns, data }, rowAxis, columnAxis) {
  const out = new Float64Array(rowAxis.length * columnAxis.length);
  rowAxis.forEach((row, i) =>
    columnAxis.forEach((column, j) => {
      let total = 0;
      for (const r of row.pieces) for (const c of column.pieces) total += data[r * columns + c];
      out[i * columnAxis.length + j] = total / row.pieces.length;
    }),
  );
  return { rows: rowAxis.length, columns: columnAxis.length, data: out };
}

/**
 * A mask over words: allowed where any of the pieces is.
 * @param {Matrix | null} given
 * @param {AxisEntry[]} rowAxis
 * @param {AxisEntry[]} columnAxis
 */
export function aggregateMask(given, rowAxis, columnAxis) {
  if (!given) return null;
  const out = new Uint8Array(rowAxis.length * columnAxis.length);
  rowAxis.forEach((row, i) =>
    columnAxis.forEach((column, j) => {
      out[i * columnAxis.length + j] = row.pieces.some((r) =>
        column.pieces.some((c) => given.data[r * given.columns + c]),
      )
        ? 1
        : 0;
    }),
  );
  return { rows: rowAxis.length, columns: columnAxis.length, data: out };
}

/**
 * The rows of a block. A decoder's row is made from what was read and decides what is written; `shift` names and groups
 * rows by the word they write.
 * @param {Trace} trace
 * @param {AxisName} name
 * @param {Unit} unit
 * @param {boolean} shift
 */
export function rowAxis(trace, name, unit, shift) {
  return axis(trace, name === "reads" && shift ? "target" : name, unit);
}

/**
 * Everything about one picture of attention: axes, weights and mask in the unit the state asks for.
 * @param {Trace} trace
 * @param {Block} one
 * @param {Head} head
 * @param {Unit} unit
 * @param {boolean} [shift]
 */
export function picture(trace, one, head, unit, shift = false) {
  const rows = rowAxis(trace, one.query_axis, unit, shift);
  const columns = axis(trace, one.key_axis, unit);
  return {
    rows,
    columns,
    weights: aggregate(weights(trace, one, head), rows, columns),
    mask: aggregateMask(mask(trace, one), rows, columns),
  };
}

/**
 * The detail a block needs that the trace does not hold yet: ["block:dec.0.cross"] or nothing.
 * @param {Trace} trace
 * @param {Block | null | undefined} one
 * @param {string[]} roles
 */
export function missing(trace, one, roles) {
  return one && roles.some((name) => !role(trace, one, name)) ? [`block:${one.id}`] : [];
}
