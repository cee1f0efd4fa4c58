/**
 * How a model moves information, read off what its modules told while they ran: attention blocks, windows, recurrent
 * states. No system is known by name here.
 */
import { role } from "x/trace";

/** @param {any} trace @returns {import("x/ancestors-path").Shape} */
export function shapeOf(trace) {
  const { memory } = trace;
  const cross = trace.blocks.filter((block) => block.kind === "cross");
  const bridge = cross.length ? "looks" : memory.kind === "list" ? "places" : "vector";
  return {
    reading: side(trace, "encoder"),
    writing: side(trace, "decoder"),
    bridge,
    always: memory.stays ?? true,
    carries: Boolean(memory.carries),
    window: windowOf(trace, cross),
  };
}

/** @returns {import("x/ancestors-path").Side} */
function side(trace, stack) {
  const { config } = trace.model;
  const reads = trace.axes[stack === "encoder" ? "source" : "reads"].tokens.length;
  const self = trace.blocks.filter((block) => block.stack === stack && block.kind === "self");
  const kernels = (trace.conv?.[stack] ?? []).map((one) => one.kernel);
  const waits = Boolean(trace.recurrent?.tensors?.[stack]);
  const common = { kernels: [], centred: true, reach: null, both: false, reversed: false, feeds: false };
  if (self.length) {
    const reach = self[0].window?.reach ?? config.attention_window ?? null;
    return { ...common, moves: "looks", layers: self.length, waits, reach: reach !== null && reach < reads ? reach : null, both: !self[0].causal };
  }
  if (kernels.length) return { ...common, moves: "windows", layers: kernels.length, waits: false, kernels, centred: trace.conv[stack].every((one) => one.centred) };
  return {
    ...common,
    moves: "steps",
    layers: config.layers ?? 1,
    waits: true,
    both: stack === "encoder" && Boolean(trace.recurrent?.both),
    reversed: stack === "encoder" && Boolean(config.reverse_source),
    feeds: stack === "decoder" && Boolean(config.input_feeding),
  };
}

/** The places a look may see at each word: those its mask allows, in the block that sees most. */
function windowOf(trace, cross) {
  if (!cross.length || cross.some((block) => !block.window)) return null;
  const masks = cross.map((block) => role(trace, block, "mask")).filter(Boolean);
  if (!masks.length) return null;
  return (target) => {
    const places = masks.flatMap(({ shape, data }) => Array.from({ length: shape[1] }, (_, i) => i).filter((i) => data[target * shape[1] + i]));
    return [Math.min(...places), Math.max(...places)];
  };
}
