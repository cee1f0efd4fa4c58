/** Every sentence of the view Position. */
import { digits, short } from "page/numbers/numbers";
import { MADE_BY } from "page/position/made-by";

/** @import { Child } from "page/types" */

export const POSITION = {
  title: "Where a word stands",
  lede:
    "Attention adds up values, and a sum does not know the order of its terms. So every word gets a second " +
    "vector that says only where it stands, added to the one that says what it is.",
  kinds: {
    sinusoidal: "These positions are computed: sines and cosines of ever longer waves, and nothing to learn.",
    halves: "These positions are computed: the paper's sines and cosines, all sines first, then all cosines.",
    tensor2tensor: "These positions are computed as in the authors' own code: all sines first, then all cosines.",
    learned:
      "These positions were learned, like the vectors of words: there is no formula, only what training " +
      "left. Rows a model hardly met stay close to where they began.",
  },
  /** @param {string} kind */
  other: (kind) => `This model's positions are of the kind “${kind}”.`,
  heat: "The table of positions",
  /** @param {number} rows @param {number} width @param {number} pos @param {number} dim */
  heatLabel: (rows, width, pos, dim) =>
    `${rows} positions by ${width} places of the vector, from -1 blue to 1 orange. Chosen: position ` +
    `${pos}, place ${dim}.`,
  rows: "position",
  columns: "place in the vector",
  pos: "position",
  dim: "place in the vector",
  /** @param {number} dim */
  wave: (dim) => `The wave at place ${dim}`,
  /** @param {number} dim @param {any} length */
  waveLabel: (dim, length) =>
    `How place ${dim} changes from position to position${length ? `: a wave of ${length} positions` : ""}. ` +
    "Dots are the model's table.",
  /** @param {number} dim */
  learnedWave: (dim) => `Place ${dim} from position to position`,
  /** @param {number} length @param {number} rows */
  length: (length, rows) =>
    length > rows
      ? `One wave takes ${short(length)} positions: over this table it hardly bends.`
      : `One wave takes ${short(length)} positions.`,
  /** @param {number} pos @param {number} dim @param {string} inside @param {string} name @param {Child} value */
  spelled: (pos, dim, inside, name, value) => ["PE(", pos, ", ", dim, ") = ", name, "(", inside, ") = ", value],
  /** @param {number} rows @param {number} width @param {number} error */
  agrees: (rows, width, error) =>
    `Computed again here: all ${rows} × ${width} numbers of the model's table agree with the formula to ` +
    `${short(error)}.`,
  exactly: "Computed again here: every number agrees.",
  dots: "How alike two positions are",
  dotsLead: "The dot product of two rows of the table. A query that carries its position can find a key by it.",
  dotsTitle: "Dot products between positions",
  distance: "Dot product against distance",
  /** @param {string} first @param {string} last @param {number} far */
  distanceLabel: (first, last, far) => `From ${first} at distance 0 to ${last} at distance ${far}.`,
  /** @param {number} spread */
  steady: (spread) =>
    `Pairs equally far apart have the same product wherever they stand, to ${short(spread)}: with these ` +
    "waves a position is known by distance.",
  /** @param {number} spread */
  unsteady: (spread) =>
    `Pairs equally far apart differ by up to ${short(spread)}: a learned table owes nothing to distance.`,
  axes: { pos: "position", value: "number in the table", distance: "positions apart", product: "dot product" },
  table: "table",
  formula: "formula",
  /** @param {string} name @param {number} rows @param {number} width @param {string} kind */
  code: (name, rows, width, kind) =>
    kind === "learned"
      ? `${name} [${rows}, ${width}] = the first ${rows} rows of saccade.layers.position.LearnedPositions.table`
      : `${name} [${rows}, ${width}] = ` +
        `saccade.layers.position.${MADE_BY[/** @type {keyof typeof MADE_BY} */ (kind)]}(${rows}, ${width})`,
  shuffle: "The shuffle test",
  shuffleLead:
    "The words are put into another order, and the encoder reads them again. If order did not matter, " +
    "every word would get the same vector as before, only elsewhere.",
  before: "as written",
  after: "shuffled",
  without: "without positions",
  with: "with positions",
  difference: "largest difference of any number that the encoder hands on",
  /** @param {any} without @param {any} withPositions */
  verdict: (without, withPositions) =>
    `Without positions nothing changes but rounding (${short(without)}); with them the vectors move by up ` +
    `to ${digits(withPositions, 3)}. Order enters through the positions alone.`,
  /** @param {any} without */
  ordered: (without) =>
    `Even without positions the vectors move by up to ${digits(without, 3)}: this encoder knows order by itself.`,
  untested: "The test has not been made for this sentence.",
  noOrder: "One piece has only one order: take a longer sentence.",
  untestable: "No vectors of positions can be left out of this model, so there is nothing to compare.",
  noEncoder:
    "This model has no encoder. It reads its own words one after the other, and none of them sees a later one: " +
    "that alone tells it something about their order.",
  unavailable:
    "This file does not hold the shuffle test. saccade explore MODEL makes it on request; an export with " +
    "--detail all contains it.",
  missing:
    "This file does not hold the table of positions. Open the model with saccade explore MODEL, or export " +
    "with --detail all.",
  none: "This model has no vectors for positions",
  why: {
    recurrent:
      "It does not need them: it reads one word after the other, and what it carries from step to step has " +
      "met the words in that order. Put them into another order and every state is another one.",
    convolution:
      "A convolution sees its neighbours at fixed places of its window, left and right apart. Order is in " +
      "the weights of the window.",
    attention:
      "Attention alone could not tell one order of the words from another; here order comes in some other " +
      "way, or not at all.",
    other: "What it knows of order, it knows by the way it is built.",
  },
};
