/** The key of the state that only Model reads. */
import { wholeOrNull } from "page/state/key-types";

export const keys = {
  swap: wholeOrNull("swap", { cursor: true }), // the token that is replaced, from 0
};
