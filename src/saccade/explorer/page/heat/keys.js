/** The keys of the state that only Heat reads. */
import { flag } from "page/state/key-types";

export const keys = {
  links: flag("links"), // curves of one row instead of the matrix
  tune: flag("tune", { cursor: true }), // filters and colours are unfolded
};
