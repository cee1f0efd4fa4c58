/** The keys of the state that only Quiz reads. */
import { textLike, whole } from "page/state/key-types";

export const keys = {
  question: whole("qn", 0, { cursor: true }), // the question shown, from 0
  answers: textLike("ans", /^[a-d-]{0,32}$/, { cursor: true }), // a letter each
};
