/** The keys of the state that only Position reads. */
import { wholeOrNull } from "page/state/key-types";

export const keys = {
  column: wholeOrNull("wave", { cursor: true }), // the column of the table that is shown, from 0
  pos: wholeOrNull("pos", { cursor: true }), // the position that is shown, from 0
};
