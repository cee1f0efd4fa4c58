/**
 * Ranking by a rule that rounding errors rarely affect: decoding/ranking.py.
 *
 * Scores are rounded to a grid that is much coarser than the noise of arithmetic and much finer than any difference
 * that matters. Candidates at the same grid point keep their order. So a page finds what Python finds, though neither
 * adds its numbers in the order of the other.
 */

const STEPS_PER_NAT = 2 ** 16;

/** A score rounded to whole grid steps; halves to the even one, as torch rounds. @param {number} score */
export function onGrid(score) {
  const steps = score * STEPS_PER_NAT;
  const below = Math.floor(steps);
  const above = steps - below;
  if (above === 0.5) return below % 2 === 0 ? below : below + 1;
  return Math.round(steps);
}

/**
 * The items with the best scores first; ties keep their order.
 * @template Item
 * @param {Item[]} items
 * @param {(item: Item) => number} score
 * @returns {Item[]}
 */
export function bestFirst(items, score) {
  const graded = items.map((item) => ({ item, grade: onGrid(score(item)) }));
  // Two scores of minus infinity are equal, though their difference is no number.
  graded.sort((one, other) => (one.grade === other.grade ? 0 : other.grade - one.grade));
  return graded.map(({ item }) => item);
}

/**
 * The `count` best continuations of one hypothesis, best first; of equal ones that with the smaller token.
 * @param {Float32Array} logits  of every token
 * @param {number} normaliser  what log P of a token is less than its logit
 * @param {number} total  log P of the hypothesis so far
 * @param {number} count
 */
export function bestTokens(logits, normaliser, total, count) {
  /** @type {{ token: number, added: number, grade: number }[]} */
  const best = [];
  let floor = -Infinity; // below this nothing can be among the best, whatever the grid makes of it
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token];
    if (logit === -Infinity || logit < floor) continue;
    const added = Math.fround(logit - normaliser);
    const grade = onGrid(total + added);
    if (best.length === count && grade <= best[count - 1].grade) continue;
    let place = best.length;
    while (place > 0 && best[place - 1].grade < grade) place--;
    best.splice(place, 0, { token, added, grade });
    if (best.length > count) best.pop();
    if (best.length === count) floor = best[count - 1].added + normaliser - 2 / STEPS_PER_NAT;
  }
  return best;
}
