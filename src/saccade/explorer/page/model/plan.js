/**
 * What a model is made of, read from the trace: two columns of boxes from the bottom up. No model is known by name
 * here; a stack is what its blocks and layers say, and where there are none, what the encoder handed over and how.
 */

import { MODEL } from "page/model/words";
import { role } from "page/trace/trace";

/** @import { Block, Layer, Trace } from "page/types" */

/** @typedef {{encoder: Group[] | null, decoder: Group[], memory: Box | null}} Plan */

/**
 * @typedef {object} Box
 * @property {string} kind  words, embedding, position, self, cross, ffn, recurrent, convolution, memory, output
 * @property {string} label
 * @property {string} [detail]
 * @property {boolean} [residual]  what comes in is added to what goes out
 * @property {"pre" | "post" | null} [norm]
 * @property {Record<string, any>} [link]  a state that shows it
 * @property {boolean} [dropout]
 */
/** @typedef {{times: number, boxes: Box[]}} Group  boxes that are repeated so often */

const { boxes: B } = MODEL;
const VIEW = { self: { encoder: "enc", decoder: "dec" }, cross: { encoder: "cross", decoder: "cross" } };

/** @param {Trace} trace @returns {{encoder: Group[] | null, decoder: Group[], memory: Box | null}} */
export function plan(trace) {
  const source = hasSource(trace);
  const encoder = source ? [single(entry(trace, "source")), ...stack(trace, "encoder")] : null;
  // A model that learned no number has counted: it has no vectors at all.
  if (!trace.model.parameters)
    return {
      encoder: null,
      decoder: [
        single([
          { kind: "words", label: B.written },
          { kind: "ffn", label: B.counts },
          { kind: "output", label: B.shares },
        ]),
      ],
      memory: null,
    };
  const decoder = [single(entry(trace, "target")), ...stack(trace, "decoder"), single([output(trace)])];
  return { encoder, decoder, memory: source ? memory(trace) : null };
}

/** @param {any} boxes */
const single = (boxes) => ({ times: 1, boxes: boxes.filter(Boolean) });

/** A language model reads nothing but what it has written. @param {Trace} trace */
const hasSource = (trace) => (trace.axes.source?.tokens.length ?? 0) > 1 || (trace.memory?.kind ?? "none") !== "none";

/** Whether sub-layers told of the sums around them: then it is known where dropout acts. @param {Trace} trace */
export const wired = (trace) => trace.blocks.some((block) => block.tensors?.resid_sum);

/** @param {Trace} trace @param {"source" | "target"} side */
function entry(trace, side) {
  const found = trace.embedding?.[side];
  const words = { kind: "words", label: side === "source" ? B.words : B.written, link: { view: "translate" } };
  const scale = found?.scale ?? 1;
  const dropout = wired(trace) && Boolean(trace.model.letters?.P_drop);
  return [
    words,
    {
      kind: "embedding",
      label: B.embedding(scale),
      detail: width(trace, side),
      link: { view: "steps", at: 1 },
      dropout: dropout && !found?.kind,
    },
    found?.kind ? { kind: "position", label: B.position(found.kind), link: { view: "position" }, dropout } : null,
  ];
}

/**
 * Rows and numbers of the embeddings: as they were told, else from the size of the table.
 * @param {Trace} trace
 * @param {"source" | "target"} side
 */
function width(trace, side) {
  const found = role(trace, trace.embedding?.[side], "token");
  const rows = (side === "source" ? trace.axes.source : trace.axes.reads)?.tokens.length;
  const each = (trace.counts?.[`${side}_embedding`] ?? NaN) / trace.model[`${side}_vocabulary`];
  const wide = found?.shape[1] ?? (Number.isInteger(each) ? each : null);
  return rows && wide ? `${rows} × ${wide}` : undefined;
}

/**
 * The layers of a stack, equal ones together.
 * @param {Trace} trace
 * @param {any} side
 */
function stack(trace, side) {
  const found = [...trace.blocks, ...(trace.layers ?? [])].filter((one) => one.stack === side);
  const groups = [];
  const before = body(trace, side);
  if (before) groups.push(before);
  const numbers = [...new Set(found.map((one) => one.layer))].sort((a, b) => a - b);
  for (const layer of numbers) {
    const boxes = found.filter((one) => one.layer === layer).map((one) => box(trace, one));
    /** @type {any} */
    const last = groups.at(-1);
    const looks = boxes.map((one) => one.label + one.detail).join();
    if (last?.looks === looks) last.times += 1;
    else groups.push({ times: 1, boxes, looks });
  }
  // Where every sub-layer is normed before it, the stream itself is normed once, above the last one.
  if (found.length && found.every((one) => one.norm === "pre")) groups.push(single([{ kind: "norm", label: B.norm }]));
  return groups;
}

/**
 * What a stack told besides attention: convolutions, recurrent layers, or both.
 * @param {Trace} trace
 * @param {"encoder" | "decoder"} side
 */
function body(trace, side) {
  const windows = trace.conv?.stacks?.[side] ?? [];
  const recurrent = (trace.recurrent?.layers ?? []).filter((layer) => layer.stack === side);
  const boxes = [];
  if (windows.length) {
    const kernels = windows.map(({ kernel }) => kernel);
    const equal = kernels.every((kernel) => kernel === kernels[0]);
    boxes.push({
      kind: "convolution",
      label: B.convolution(equal ? kernels[0] : kernels.join(", ")),
      detail: B.layers(kernels.length),
      link: { view: "ancestors" },
    });
  }
  /** @param {any} layer */
  const backwards = (layer) => layer.order?.length > 1 && layer.order[0] > layer.order[1];
  const gates = recurrent[0]?.gates?.length ? B.gates(recurrent[0].gates) : B.noGates;
  if (recurrent.length === 2 && backwards(recurrent[0]) !== backwards(recurrent[1]))
    boxes.push({ kind: "recurrent", label: B.bothWays, detail: gates, link: { view: "ancestors" } });
  else
    for (const layer of recurrent)
      boxes.push({
        kind: "recurrent",
        label: backwards(layer) ? B.backwards : B.recurrent,
        detail: gates,
        link: { view: "ancestors" },
      });
  return boxes.length ? { times: 1, boxes } : null;
}

/** @param {Trace} trace @param {Block | Layer} one */
function box(trace, one) {
  const { letters = {} } = trace.model;
  const dropout = wired(trace) && Boolean(letters.P_drop);
  const wiring = { residual: Boolean(one.tensors?.resid_sum), norm: one.norm ?? null, dropout };
  if (one.kind === "ffn")
    return {
      kind: "ffn",
      label: B.ffn,
      detail: letters.d_ff ? B.inner(letters.d_model, letters.d_ff) : undefined,
      link: { view: "steps", at: 11 },
      ...wiring,
    };
  const kind = VIEW[one.kind][one.stack];
  const detail = B.heads(one.heads, one.heads > 1 ? letters.d_k : null);
  return {
    kind: one.kind,
    label: one.kind === "cross" ? B.cross : B.self(one.causal),
    detail,
    link: { view: "heat", kind, layer: one.layer },
    ...wiring,
  };
}

/** @param {Trace} trace */
function memory(trace) {
  const states = role(trace, trace.memory, "states");
  const kind = trace.memory?.kind ?? "none";
  if (kind === "none") return null;
  const rows = trace.axes.source.tokens.length;
  const wide = states?.shape.at(-1) ?? trace.model.letters?.d_model;
  return {
    kind: "memory",
    label: kind === "list" ? B.list(rows, wide) : B.vector(trace.memory.numbers ?? states?.data.length ?? wide),
    link: { view: "ancestors" },
  };
}

/** @param {Trace} trace */
const output = (trace) => ({
  kind: "output",
  label: B.output,
  detail: trace.model.target_vocabulary ? B.choices(trace.model.target_vocabulary) : undefined,
  link: { view: "steps", at: 12 },
});
