/**
 * A beam search that keeps its whole tree: tracing/beam_tree.py, which finds what decoding/beam.py finds.
 *
 * Each step extends every hypothesis by every token. Of the best 2 * size candidates, those that end are finished and
 * the first `size` others stay alive. The search stops when nothing alive can still score better than what it will
 * return. A node is a token after those of its parent:
 *
 *     cum = cum(parent) + log p(token)            score = cum / lp(length)            lp(n) = ((5 + n) / 6)^alpha
 */

import { BOS, EOS, PAD } from "page/engine/data/tokenizer";
import { bestFirst, bestTokens, onGrid } from "page/engine/decoding/ranking";

/** @import { Matrix } from "page/engine/arithmetic/matrix" */
/** @import { SequenceModel } from "page/engine/live-model" */

/**
 * How to search: the fields of decoding/beam.py's BeamConfig that a page has.
 * @typedef {{ size: number, alpha: number, extra_length: number, length_rule: "gnmt" | "power" }} Search
 */

/**
 * A token that was considered. `rank` is its place among all candidates of its step, `place` its row in the beam.
 * @typedef {object} SearchNode
 * @property {number} number
 * @property {SearchNode | null} parent
 * @property {number} token
 * @property {number} logProbability
 * @property {number} total
 * @property {number} length
 * @property {number} rank
 * @property {number | null} place
 * @property {"root" | "kept" | "pruned" | "finished"} state
 */

/**
 * Which tokens may follow what is written, when so many more may be, EOS included.
 * @typedef {(written: number[], left: number) => (token: number) => boolean} Rules
 */

/** How many pruned candidates of each step the tree holds. */
export const PRUNED = 20;

/** What log P of an output of this length is divided by. @param {number} length @param {Search} search */
export function penalty(length, { alpha, length_rule }) {
  return (length_rule === "power" ? length : (5 + length) / 6) ** alpha;
}

/** What a node is ranked by once it is finished. @param {SearchNode} node @param {Search} search */
export const scoreOf = (node, search) => node.total / penalty(Math.max(node.length, 1), search);

/** The tokens from the beginning up to a node. @param {SearchNode} node @returns {number[]} */
export const tokensOf = (node) => (node.parent ? [...tokensOf(node.parent), node.token] : []);

/**
 * Searches for the best output of one source.
 * @param {SequenceModel} model
 * @param {number[]} source
 * @param {number[]} prefix  how the output must begin
 * @param {Search} search
 * @param {(written: number) => Promise<void>} breathe  called before each step; it may throw, to stop
 * @param {Rules | null} [rules]  what outputs must keep to
 */
export async function beamSearch(model, source, prefix, search, breathe, rules = null) {
  const longest = Math.max(source.length, prefix.length + 1) + search.extra_length;
  const limit = Math.min(longest, model.maximumLength);
  let state = model.start(model.encode(source));
  /** @type {SearchNode} */
  const root = {
    number: 0,
    parent: null,
    token: BOS,
    logProbability: 0,
    total: 0,
    length: 0,
    rank: 0,
    place: 0,
    state: "root",
  };
  const nodes = [root];
  let alive = [root];
  /** @type {SearchNode[]} */
  let ended = [];
  for (let length = 1; length <= limit; length++) {
    await breathe(length - 1);
    const stepped = model.step(
      alive.map((node) => node.token),
      state,
    );
    const may = rules && alive.map((node) => rules(tokensOf(node), limit - (length - 1)));
    const candidates = candidatesOf(alive, stepped.logits, prefix[length - 1], may, search, nodes.length);
    nodes.push(...candidates);
    alive = candidates.filter((node) => node.state === "kept");
    ended = ranked([...ended, ...candidates.filter((node) => node.state === "finished")], search);
    if (!alive.length || settled(alive, ended, limit, search)) break;
    state = model.select(
      stepped.state,
      alive.map((node) => /** @type {number} */ (node.parent?.place)),
    );
  }
  return { limit, nodes, ended: ended.length ? ended : ranked(alive, search) };
}

/**
 * The best continuations, best first; of equal ones that of the earlier parent, then of the smaller token.
 * @param {SearchNode[]} alive
 * @param {Matrix} logits
 * @param {number | undefined} forced  the token that must come next
 * @param {((token: number) => boolean)[] | null} may  which may follow each hypothesis
 * @param {Search} search
 * @param {number} number  of the first of them
 */
function candidatesOf(alive, logits, forced, may, { size }, number) {
  const count = 2 * size + PRUNED;
  const all = alive.flatMap((parent, row) => {
    const own = logits.row(row);
    const normaliser = logNormaliser(own);
    const found = bestTokens(allowed(own, forced, may?.[row] ?? null), normaliser, parent.total, count);
    return found.sort((one, other) => one.token - other.token).map((each) => ({ ...each, parent }));
  });
  /** @type {SearchNode[]} */
  const found = [];
  let [kept, pruned] = [0, 0];
  bestFirst(all, (one) => one.parent.total + one.added)
    .slice(0, count)
    .forEach(({ parent, token, added }, rank) => {
      /** @type {SearchNode["state"]} */
      let state = "pruned";
      let place = null;
      if (rank < 2 * size && token === EOS) state = "finished";
      else if (rank < 2 * size && kept < size && token !== EOS) [state, place] = ["kept", kept++];
      else if (pruned++ >= PRUNED) return;
      const total = parent.total + added;
      found.push({
        number: number + found.length,
        parent,
        token,
        logProbability: added,
        total,
        length: parent.length + 1,
        rank,
        place,
        state,
      });
    });
  return found;
}

/** log of the sum of exp over all tokens: log P of a token is its logit less this. @param {Float32Array} logits */
export function logNormaliser(logits) {
  let highest = -Infinity;
  for (let token = 0; token < logits.length; token++) if (logits[token] > highest) highest = logits[token];
  let total = 0;
  for (let token = 0; token < logits.length; token++) total += Math.exp(logits[token] - highest);
  return highest + Math.log(total);
}

/**
 * Logits where PAD and BOS cannot be written, nor anything but a token that is forced, nor what breaks the rules.
 * @param {Float32Array} logits
 * @param {number | undefined} forced
 * @param {((token: number) => boolean) | null} may
 */
function allowed(logits, forced, may) {
  logits[PAD] = logits[BOS] = -Infinity;
  if (forced === undefined && !may) return logits;
  return logits.map((value, token) => ((forced ?? token) === token && (may?.(token) ?? true) ? value : -Infinity));
}

/** Best first by score; of equal ones the earlier. @param {SearchNode[]} nodes @param {Search} search */
const ranked = (nodes, search) => bestFirst(nodes, (node) => scoreOf(node, search));

/**
 * Whether nothing alive can still displace the best: no descendant scores above log P / lp(limit).
 * @param {SearchNode[]} alive
 * @param {SearchNode[]} ended
 * @param {number} limit
 * @param {Search} search
 */
function settled(alive, ended, limit, search) {
  const bound = Math.max(...alive.map((node) => node.total)) / penalty(limit, search);
  return ended.length > 0 && onGrid(scoreOf(ended[0], search)) >= onGrid(bound);
}
