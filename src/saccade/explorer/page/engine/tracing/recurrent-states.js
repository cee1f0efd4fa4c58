/** What a model has besides attention, states of recurrent layers and windows of convolutions: tracing/recurrent_states.py. */

import { byHead } from "page/engine/tracing/tensors";

/** @import { Told } from "page/engine/attention/recording" */
/** @import { ModuleRecord } from "page/engine/tracing/blocks" */
/** @import { TraceTensors } from "page/engine/tracing/tensors" */

/**
 * Rows are in the order of reading; `order` gives their positions in the source unless that is left to right.
 * @param {ModuleRecord[]} records
 * @param {TraceTensors} tensors
 */
export function recurrent(records, tensors) {
  /** @type {Record<string, string>} */
  const first = {};
  const layers = records.map(({ stack, layer, what }) => {
    const owner = `recurrent.${stack}.${layer}`;
    const names = what.gate_names;
    const gates = names.length ? () => byHead(what.gates, names.length) : null;
    const held = {
      ...tensors.put(owner, "states", what.states, "position width"),
      ...tensors.put(owner, "gates", gates, "gate position width"),
    };
    first[stack] ??= held.states;
    return {
      id: `${stack.slice(0, 3)}.${layer}.rnn`,
      stack,
      layer,
      axis: /** @type {"source" | "reads"} */ (stack === "encoder" ? "source" : "reads"),
      order: what.order ?? null,
      gates: names,
      tensors: held,
    };
  });
  return layers.length ? { layers, tensors: first } : null;
}

/**
 * The kernel width of each convolution, layer by layer, and how many of its positions come before the current.
 * @param {Told[]} encoder
 * @param {Told[]} decoder
 */
export function convolutions(encoder, decoder) {
  /** @type {Record<string, { kernel: number, before: number }[]>} */
  const stacks = {};
  for (const [stack, told] of Object.entries({ encoder, decoder })) {
    const found = told.filter(({ what }) => "kernel" in what);
    if (found.length) stacks[stack] = found.map(({ what }) => ({ kernel: what.kernel, before: what.reaches_back }));
  }
  const [first] = Object.values(stacks);
  return first ? { kernel: first.map(({ kernel }) => kernel), layers: first.length, stacks } : null;
}
