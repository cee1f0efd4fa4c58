/** The keys of the state that only Ancestors reads. */
import { among, flag, text, wholeOrNull } from "page/state/key-types";

export const keys = {
  part: among("part", ["models", "papers", "words"], "models"), // which of its parts is shown
  forced: flag("forced"), // all models read the first one's translation
  path: among("path", ["inside", "across"], "inside"), // which signal path is drawn
  wa: wholeOrNull("wa", { cursor: true }), // the ends of the path: two words of the source, one of the target
  wb: wholeOrNull("wb", { cursor: true }),
  wt: wholeOrNull("wt", { cursor: true }),
  card: text("card", { cursor: true }), // the paper whose card is open
  cmp: text("cmp"), // another sentence to compare with
  cw: wholeOrNull("cw", { cursor: true }), // the word compared in both; null: the one whose attention moved most
};
