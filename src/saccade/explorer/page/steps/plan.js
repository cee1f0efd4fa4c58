/**
 * Which of the thirteen steps a block has, and why others are missing.
 *
 * No system is named here: a step is there when the trace names the tensors it is made of.
 */
import { feedforwardOf, masksSomething, sideOf } from "page/steps/facts";
import { MISSING } from "page/steps/words";

/** @import { Block, Trace } from "page/types" */

/** @param {{tensors?: Record<string, string>} | null | undefined} owner @param {any} name */
const has = (owner, name) => Boolean(owner?.tensors?.[name]);

/** Whether scores are multiplied by something other than 1 / sqrt(d_k). @param {any} block */
const learnedFactor = (block) => Boolean(block) && (block.scale ?? 1) !== 1 && block.score !== "scaled-dot";

/**
 * @param {Trace} trace
 * @param {any} block
 * @returns {{id: string, missing: string | null}[]} thirteen, in the order of computation; `missing` says why one is
 *   not
 *   there
 */
export function plan(trace, block) {
  const side = trace.embedding?.[sideOf(block)];
  const projected = has(block, "w_q");
  /** @param {string} id @param {any} there @param {string} [reason] */
  const step = (id, there, reason = MISSING[/** @type {keyof typeof MISSING} */ (id)]) => ({
    id,
    missing: there ? null : reason,
  });
  return [
    step("tokens", true),
    step("embedding", has(side, "token")),
    step("position", has(side, "position"), trace.recurrent ? MISSING.position : MISSING.positionLearned),
    fourth(trace, block, projected, step),
    step("scores", has(block, "scores"), block ? MISSING.told : MISSING.scores),
    step(
      learnedFactor(block) ? "factor" : "scale",
      Boolean(block) && (block.scale ?? 1) !== 1,
      block ? MISSING.scale : MISSING.scores,
    ),
    step(
      "mask",
      Boolean(block) && (projected || block.causal || block.window || masksSomething(trace, block)),
      block ? MISSING.mask : MISSING.scores,
    ),
    step("softmax", Boolean(block)),
    step("values", has(block, "v"), block ? MISSING.told : MISSING.scores),
    step("concat", has(block, "w_o"), block ? (block.heads > 1 ? MISSING.apart : MISSING.concat) : MISSING.scores),
    step("norm", Boolean(block) && has(block, "resid_in"), block ? MISSING.norm : MISSING.scores),
    step("ffn", Boolean(feedforwardOf(trace, block))),
    step("output", Boolean(trace.steps?.length)),
  ];
}

/**
 * What is compared: queries and keys made by matrices, the states themselves, or nothing, where all is in one memory.
 * @param {Trace} trace
 * @param {Block | null} block
 * @param {boolean} projected
 * @param {any} step
 */
function fourth(trace, block, projected, step) {
  if (projected) return step("qkv", true);
  return block ? step("states", has(block, "q") || has(block, "k")) : step("memory", has(trace.memory, "states"));
}

/**
 * The steps that are there, with their places among the thirteen, and which of them a state points at. The place is the
 * same for all systems: one that lacks the step shows the next it has.
 * @param {Trace} trace
 * @param {Block | null} block
 * @param {any} wanted
 */
export function present(trace, block, wanted) {
  const steps = plan(trace, block)
    .map((step, place) => ({ ...step, place }))
    .filter((step) => step.missing === null);
  const found = steps.findIndex((step) => step.place >= wanted);
  return { steps, now: found < 0 ? steps.length - 1 : found };
}

/**
 * The details that hold every step of a block.
 * @param {Trace} trace
 * @param {Block | null} block
 */
export function everything(trace, block) {
  const layer = feedforwardOf(trace, block);
  return [
    block ? `block:${block.id}` : null,
    layer ? `block:${layer.id}` : null,
    "embedding",
    "memory",
    "final",
  ].filter(Boolean);
}

/**
 * What a step needs that a trace of weights alone does not hold, as details to ask for.
 * @param {Trace} trace
 * @param {any} block
 * @param {string} step
 */
export function details(trace, block, step) {
  const side = trace.embedding?.[sideOf(block)];
  const layer = feedforwardOf(trace, block);
  /** @param {any} owner @param {...any} names */
  const absent = (owner, ...names) =>
    names.some((name) => has(owner, name) && trace.tensors[owner.tensors[name]]?.data === undefined);
  const wanted = [];
  if (["embedding", "position"].includes(step) && absent(side, "token", "sum")) wanted.push("embedding");
  if (
    ["qkv", "states", "scores", "scale", "factor", "mask", "softmax", "values", "concat", "norm"].includes(step) &&
    absent(block, "q", "scores", "v", "w_q", "out")
  )
    wanted.push(`block:${block.id}`);
  if (step === "memory" && absent(trace.memory, "states")) wanted.push("memory");
  if (step === "qkv" && block?.kind === "cross" && absent(trace.memory, "states")) wanted.push("memory");
  if (step === "ffn" && absent(layer, "in", "hidden", "w_1"))
    wanted.push(`block:${/** @type {NonNullable<typeof layer>} */ (layer).id}`);
  if (step === "output" && absent(trace.final, "states", "rows")) wanted.push("final");
  return wanted;
}
