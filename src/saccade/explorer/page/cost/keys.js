/** The keys of the state that only Cost reads: the letters of Table 1. Null is the sentence's or the model's own. */
import { positiveOrNull } from "page/state/key-types";

export const keys = {
  n: positiveOrNull("n", { cursor: true }), // tokens
  width: positiveOrNull("dm", { cursor: true }), // numbers of a token
  kernel: positiveOrNull("kw", { cursor: true }), // positions a convolution sees
  reach: positiveOrNull("r", { cursor: true }), // positions a restricted attention sees
};
