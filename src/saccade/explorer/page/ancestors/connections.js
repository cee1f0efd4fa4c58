/**
 * How a model moves information, read off what its modules told while they ran: attention blocks, windows, recurrences.
 * No system is known by name here.
 */
import { role } from "page/trace/trace";

/** @import { Shape } from "page/ancestors/signal-path" */
/** @import { Block, Tensor, Trace } from "page/types" */

/** @param {Trace} trace @returns {import("page/ancestors/signal-path").Shape} */
export function shapeOf(trace) {
  const { memory } = trace;
  const cross = trace.blocks.filter((/** @type {Block} */ block) => block.kind === "cross");
  const states = role(trace, memory, "states");
  return {
    reading: side(trace, "encoder"),
    writing: side(trace, "decoder"),
    bridge: cross.length ? "looks" : memory.kind === "list" ? "places" : "vector",
    always: memory.stays !== false,
    // Besides a list of states there may be one to begin with.
    carries: cross.length > 0 && states !== null && memory.numbers > states.data.length,
    window: /** @type {Shape["window"]} */ (windowOf(trace, cross)),
  };
}

/** @param {Trace} trace @param {"encoder" | "decoder"} stack @returns {import("page/ancestors/signal-path").Side} */
function side(trace, stack) {
  const { config } = trace.model;
  const places = trace.axes[stack === "encoder" ? "source" : "reads"].tokens.length;
  const self = trace.blocks.filter((block) => block.stack === stack && block.kind === "self");
  const windows = trace.conv?.stacks?.[stack] ?? [];
  const recurrences = (trace.recurrent?.layers ?? []).filter((one) => one.stack === stack);
  const common = { waits: false, kernels: [], centred: true, reach: null, both: false, orders: [], feeds: false };
  if (self.length) {
    const reach = config.attention_window ?? null;
    return {
      ...common,
      moves: "looks",
      layers: self.length,
      both: !self[0].causal,
      waits: recurrences.length > 0 || self.some((block) => "blank" in block.tensors),
      reach: reach !== null && reach < places ? reach : null,
    };
  }
  if (windows.length && !(stack === "decoder" && recurrences.length)) {
    // A window that sees nothing before its place makes columns fewer. Where they are a list again, they were
    // unfolded by
    // the same windows backwards.
    const fewer = windows.some((one) => one.kernel > 1 && one.before === 0);
    const folding = windows.map((one) => one.kernel);
    const kernels = fewer && trace.memory.kind === "list" ? [...folding, ...[...folding].reverse()] : folding;
    return { ...common, moves: "windows", layers: kernels.length, kernels, centred: !fewer };
  }
  const all = Array.from({ length: places }, (_, i) => i);
  return {
    ...common,
    moves: "steps",
    layers: config.layers ?? 1,
    waits: true,
    orders: recurrences.map((one) => one.order ?? all),
    feeds: stack === "decoder" && Boolean(config.input_feeding),
  };
}

/**
 * The places a look may see at each word: those its mask allows, in the blocks together.
 * @param {Trace} trace
 * @param {Block[]} cross
 */
function windowOf(trace, cross) {
  if (!cross.length || cross.some((block) => !block.window)) return null;
  const masks = cross.map((block) => role(trace, block, "mask")).filter(Boolean);
  if (!masks.length) return null;
  return (/** @type {number} */ target) => {
    const places = /** @type {Tensor[]} */ (masks).flatMap(({ shape, data }) =>
      Array.from({ length: shape[1] }, (_, i) => i).filter((i) => data[target * shape[1] + i]),
    );
    return places.length ? [Math.min(...places), Math.max(...places)] : [1, 0];
  };
}
