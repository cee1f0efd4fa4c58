/** The keys of the state that only Steps reads. */
import { among, text, whole } from "page/state/key-types";

export const keys = {
  analogy: among("a", ["cafeteria", "search", "dictionary", "filter", "none"], "cafeteria"),
  at: whole("at", 0, { cursor: true }), // the step shown, from 0
  dimension: whole("dim", 0, { cursor: true }), // which number of a vector is spelled out
  whatifBeside: text("suppose"), // a what-if shown beside the original: "no-scale"
  claim: text("claim", { cursor: true }), // the checked claim that is open
};
