/** The keys of the state that only Train reads: what is learned, by which network, and what is shown of it. */
import { among, flag, text, whole, wholeOrNull } from "page/state/key-types";

export const keys = {
  task: among("task", ["copy", "reverse", "article", "addition"], "reverse"),
  trainHeads: among("heads", ["1", "2", "4"], "2"),
  trainWidth: among("width", ["16", "32", "64"], "32"),
  trainLayers: among("layers", ["1", "2"], "1"),
  unordered: flag("nopos"), // no positions are added
  unscaled: flag("noscale"), // scores are not divided by sqrt(d_k)
  rate: among("lr", ["0.001", "0.003", "0.007", "0.02", "0.05"], "0.007"),
  seed: whole("seed", 1),
  line: text("line"), // the line that is shown; empty: the task's own
  moment: wholeOrNull("after", { cursor: true }), // the step that is shown; null: the newest
};
