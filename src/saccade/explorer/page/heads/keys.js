/** The keys of the state that only Heads reads. */
import { among, flag, numberOrNull } from "page/state/key-types";

export const keys = {
  badge: among("badge", ["entropy", "distance", "special", "diagonal", "agreement"], "entropy"), // the number of a head
  against: among("against", ["own", "occlusion", "gradient"], "own"), // what heads must agree with
  order: among("order", ["grid", "high", "low"], "grid"), // by layer, or by the number
  limit: numberOrNull("limit"), // heads below it (lowest first: above it) are left out
  one: flag("one"), // one word through all heads
  opens: among("opens", ["heat", "steps"], "heat"), // where a head opens
};
