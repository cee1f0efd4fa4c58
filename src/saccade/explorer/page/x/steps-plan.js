/**
 * Which of the thirteen steps a block has, and why others are missing.
 *
 * No system is named here: a step is there when the trace names the tensors it is made of.
 */
import { feedforwardOf, masksSomething, sideOf } from "x/steps-facts";
import { MISSING } from "x/words-steps";

const has = (owner, name) => Boolean(owner?.tensors?.[name]);

/** Whether scores are multiplied by something other than 1 / sqrt(d_k). */
const learnedFactor = (block) => Boolean(block) && (block.scale ?? 1) !== 1 && block.score !== "scaled-dot";

/**
 * @returns {{id: string, missing: string | null}[]} in the order of computation; `missing` says why a step is not there
 */
export function plan(trace, block) {
  const side = trace.embedding?.[sideOf(block)];
  const projected = has(block, "w_q");
  const step = (id, there, reason = MISSING[id]) => ({ id, missing: there ? null : reason });
  return [
    step("tokens", true),
    step("embedding", has(side, "token")),
    step("position", has(side, "position"), trace.recurrent ? MISSING.position : MISSING.positionLearned),
    ...(block ? [] : [step("memory", has(trace.memory, "states"), MISSING.memory)]),
    projected ? step("qkv", true) : step("states", has(block, "q") || has(block, "k"), block ? MISSING.states : MISSING.scores),
    step("scores", has(block, "scores"), block ? MISSING.told : MISSING.scores),
    step(learnedFactor(block) ? "factor" : "scale", Boolean(block) && (block.scale ?? 1) !== 1, block ? MISSING.scale : MISSING.scores),
    step("mask", Boolean(block) && (projected || block.causal || block.window || masksSomething(trace, block)), block ? MISSING.mask : MISSING.scores),
    step("softmax", Boolean(block)),
    step("values", has(block, "v"), block ? MISSING.told : MISSING.scores),
    step("concat", has(block, "w_o"), block ? (block.heads > 1 ? MISSING.apart : MISSING.concat) : MISSING.scores),
    step("norm", Boolean(block) && has(block, "resid_in"), block ? MISSING.norm : MISSING.scores),
    step("ffn", Boolean(feedforwardOf(trace, block))),
    step("output", Boolean(trace.steps?.length)),
  ];
}

/** The steps that are there. */
export const present = (trace, block) => plan(trace, block).filter((step) => step.missing === null);

/** What a step needs that a trace of weights alone does not hold, as details to ask for. */
export function details(trace, block, step) {
  const side = trace.embedding?.[sideOf(block)];
  const layer = feedforwardOf(trace, block);
  const absent = (owner, ...names) => names.some((name) => has(owner, name) && trace.tensors[owner.tensors[name]]?.data === undefined);
  const wanted = [];
  if (["embedding", "position"].includes(step) && absent(side, "token", "sum")) wanted.push("embedding");
  if (["qkv", "states", "scores", "scale", "factor", "mask", "softmax", "values", "concat", "norm"].includes(step) && absent(block, "q", "scores", "v", "w_q", "out")) wanted.push(`block:${block.id}`);
  if (step === "memory" && absent(trace.memory, "states")) wanted.push("memory");
  if (step === "qkv" && block?.kind === "cross" && absent(trace.memory, "states")) wanted.push("memory");
  if (step === "ffn" && absent(layer, "in", "hidden", "w_1")) wanted.push(`block:${layer.id}`);
  if (step === "output" && absent(trace.final, "states", "rows")) wanted.push("final");
  return wanted;
}
