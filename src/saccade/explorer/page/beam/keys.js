/** The keys of the state that only Beam reads. */
import { among, numberOrNull, wholeOrNull } from "page/state/key-types";

export const keys = {
  hyp: wholeOrNull("hyp", { cursor: true }), // the chosen node
  alpha: numberOrNull("alpha", { cursor: true }), // the length penalty outputs are ranked with; null: as searched
  pruned: among("pruned", ["none", "few", "all"], "few"), // nodes shown that were not kept
};
