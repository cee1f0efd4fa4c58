/**
 * Whether a head that looks at a neighbour still does so late in a long sentence. What it looks at late was read less
 * often in training, or never: a model that was trained on short sentences loses its patterns where they ended.
 */
import { h } from "page/elements/dom";
import { heads as words } from "page/heads/words";
import { percent, sum } from "page/numbers/numbers";
import { blocks, weights } from "page/trace/trace";

/** @import { Matrix, Trace } from "page/types" */

/** Places that every training has seen, and how many pieces a sentence needs to have enough others. */
const [EARLY, LONG] = [20, 30];
/** The least share of its weight that a head must give to one neighbour, early on, to be one that looks at it. */
const CLEAR = 0.5;
const NEIGHBOURS = /** @type {const} */ ([-1, 0, 1]);

/** @typedef {{layer: number, head: number, neighbour: -1 | 0 | 1, early: number, late: number}} NeighbourHead */

/** The mean weight on a neighbour, of rows from one up to another. @param {Matrix} given @param {number} neighbour @param {number} from @param {number} to */
function share({ columns, data }, neighbour, from, to) {
  const rows = Array.from({ length: to - from }, (_, i) => from + i);
  return sum(rows.map((row) => data[row * columns + row + neighbour])) / rows.length;
}

/**
 * The head of the encoder that looks most at one neighbour in the first places, and how much it does so after them;
 * null where the sentence is short or no head does.
 * @param {Trace} trace
 * @returns {NeighbourHead | null}
 */
export function neighbourHead(trace) {
  const length = trace.axes.source.tokens.length;
  if (length < LONG) return null;
  const found = blocks(trace, "enc").flatMap((block) =>
    Array.from({ length: block.heads }, (_, head) => {
      const given = weights(trace, block, head);
      return NEIGHBOURS.map((neighbour) => ({
        layer: block.layer,
        head,
        neighbour,
        early: share(given, neighbour, 1, EARLY),
        late: share(given, neighbour, EARLY, length - 1),
      }));
    }).flat(),
  );
  const [clearest] = found.toSorted((a, b) => b.early - a.early);
  return clearest && clearest.early >= CLEAR ? clearest : null;
}

/** What can be learned from a long sentence. @param {Trace} trace */
export function lessonOfLength(trace) {
  const one = neighbourHead(trace);
  if (!one) return null;
  const { layer, head, neighbour, early, late } = one;
  const said = words.length.looks(layer + 1, head + 1, words.length.neighbours[neighbour], EARLY);
  return h(
    "p",
    { class: "heads-lesson" },
    said,
    " ",
    h("b", { class: "number" }, percent(early)),
    words.length.afterwards,
    h("b", { class: "number" }, percent(late)),
    ". ",
    late < early / 2 ? words.length.loses : words.length.keeps,
  );
}
