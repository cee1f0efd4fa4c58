/**
 * Questions out of a trace: the same trace always asks the same ones in the same order, and every right answer is read
 * from its tensors. A question that this trace cannot ask fairly (a tie, no attention, too few words) is left out.
 */

import { hidden, most, rowsum, spread, weight } from "page/quiz/attention-questions";
import { cells, doubt, memory, path, rounds, second, sure, threeScores, vocabulary } from "page/quiz/output-questions";
import { dice, question } from "page/quiz/question";
import { IDEAS } from "page/quiz/words";

/** @import { Question } from "page/quiz/question" */
/** @import { Trace } from "page/types" */

const MAKERS = [
  most,
  weight,
  hidden,
  rowsum,
  memory,
  sure,
  doubt,
  spread,
  cells,
  second,
  threeScores,
  rounds,
  path,
  vocabulary,
];

/** The place that shows each idea. @type {[keyof typeof IDEAS, Record<string, any>][]} */
const LINKS = [
  ["purpose", { view: "heat", kind: "cross" }],
  ["query", { view: "steps", at: 3 }],
  ["positions", { view: "position" }],
  ["score", { view: "steps", at: 4 }],
  ["output", { view: "steps", at: 8 }],
];

/** Questions about the sentence: no more than this many, the first makers first. */
const ENOUGH = 8;

/**
 * The five about the idea.
 * @param {string} id
 * @returns {Question[]}
 */
export function ideas(id) {
  return /** @type {Question[]} */ (
    LINKS.map(([name, link]) => {
      const { ask, options, why, look } = IDEAS[name];
      const [right, ...wrong] = options.map((option) => [option]);
      return question(dice(`${id} ${name}`), name, false, [ask], right, wrong, [why], link, look);
    })
  );
}

/**
 * Those about the sentence.
 * @param {Trace} trace
 * @returns {Question[]}
 */
export function live(trace) {
  const made = [];
  for (const make of MAKERS) {
    const one = make(trace, dice(`${trace.id} ${make.name}`));
    if (one) made.push(one);
    if (made.length === ENOUGH) break;
  }
  return made;
}

/**
 * The whole quiz of a trace.
 * @param {Trace} trace
 * @returns {Question[]}
 */
export function quiz(trace) {
  return [...ideas(trace?.id ?? ""), ...(trace ? live(trace) : [])];
}
