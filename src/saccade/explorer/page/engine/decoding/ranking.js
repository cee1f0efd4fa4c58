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
  const floor = floorOf(logits, count) - 2 / STEPS_PER_NAT; // below this the grid makes nothing one of the best
  const found = [];
  for (let token = 0; token < logits.length; token++) {
    if (logits[token] === -Infinity || logits[token] < floor) continue;
    found.push({ token, added: Math.fround(logits[token] - normaliser) });
  }
  return bestFirst(found, ({ added }) => total + added).slice(0, count);
}

/**
 * A number that the `count` best all reach: of as many stretches, each has a best, and this is the least of those.
 * @param {Float32Array} logits
 * @param {number} count
 */
function floorOf(logits, count) {
  const stretch = Math.ceil(logits.length / count);
  let floor = Infinity;
  for (let start = 0; start < logits.length; start += stretch) {
    const end = Math.min(start + stretch, logits.length);
    let highest = -Infinity;
    for (let token = start; token < end; token++) if (logits[token] > highest) highest = logits[token];
    if (highest < floor) floor = highest;
  }
  return floor;
}
