/** What an exported page holds of each trace, from little to much. */

import { choose } from "page/steps/facts";
import { everything } from "page/steps/plan";

/** @import { State, Trace } from "page/types" */

/** What the views need besides weights and the numbers of one block. */
const VIEWS = ["beam", "embedding", "final", "influence", "memory", "positions", "recurrent", "shuffle"];

/**
 * The details of a trace in a file of this size. A supposition keeps what it was asked for: it stands beside the
 * original.
 * @param {Trace} trace
 * @param {State} state
 * @param {string} size
 */
export function exportDetails(trace, state, size) {
  const held = trace.options.detail ?? [];
  if (size === "seen" || trace.what_if) return held;
  const block = everything(trace, choose(trace, state).block);
  return [...new Set([...held, ...VIEWS, ...block, ...(size === "all" ? ["all"] : [])])];
}
