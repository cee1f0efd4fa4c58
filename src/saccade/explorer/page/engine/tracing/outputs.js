/** The prediction at each decoding step, and the search as a trace holds it: tracing/outputs.py, tracing/beam_tree.py. */

import { EOS, SPACE } from "page/engine/data/tokenizer";
import { PRUNED, penalty, scoreOf, tokensOf } from "page/engine/decoding/beam";

/** @import { Matrix } from "page/engine/arithmetic/matrix" */
/** @import { Tokenizer } from "page/engine/data/tokenizer" */
/** @import { Search, SearchNode } from "page/engine/decoding/beam" */
/** @import { Beam, Step } from "page/trace/schema" */

const CANDIDATES = 5;

/** The tokens with the largest logits of a row, the largest first. @param {Float32Array} logits */
export function largest(logits) {
  /** @type {number[]} */
  const best = [];
  for (let token = 0; token < logits.length; token++) {
    let place = best.length;
    while (place > 0 && logits[best[place - 1]] < logits[token]) place--;
    if (place < CANDIDATES) best.splice(place, 0, token);
    if (best.length > CANDIDATES) best.pop();
  }
  return best;
}

/**
 * One entry for each target token, from the logits of the pass over all of them.
 * @param {Matrix} logits
 * @param {number[]} target
 * @param {Tokenizer} tokenizer
 * @returns {Step[]}
 */
export function steps(logits, target, tokenizer) {
  return target.map((token, place) => {
    const row = logits.row(place);
    const highest = row.reduce((one, other) => Math.max(one, other), -Infinity);
    const normaliser = highest + Math.log(row.reduce((sum, logit) => sum + Math.exp(logit - highest), 0));
    return {
      t: place,
      reads: place,
      predicts: place,
      logprob: row[token] - normaliser,
      logit: row[token],
      entropy: -row.reduce((sum, logit) => sum + Math.exp(logit - normaliser) * (logit - normaliser), 0),
      rank: 1 + row.reduce((count, logit) => count + (logit > row[token] ? 1 : 0), 0),
      log_normaliser: normaliser,
      top: largest(row).map((id) => ({
        id,
        ...written(tokenizer, id),
        logit: row[id],
        p: Math.exp(row[id] - normaliser),
      })),
    };
  });
}

/** @param {Tokenizer} tokenizer @param {number} token */
function written(tokenizer, token) {
  const piece = tokenizer.piece(token);
  return { piece, text: piece.replaceAll(SPACE, "") };
}

/**
 * The search as a trace holds it.
 * @param {{ limit: number, nodes: SearchNode[], ended: SearchNode[] }} tree
 * @param {Search} search
 * @param {Tokenizer} tokenizer
 * @returns {Beam}
 */
export function beam({ limit, nodes, ended }, search, tokenizer) {
  return {
    k: search.size,
    alpha: search.alpha,
    coverage: 0,
    penalty: search.length_rule,
    limit,
    pruned_per_step: PRUNED,
    nodes: nodes.map((node) => ({
      n: node.number,
      t: node.length,
      parent: node.parent?.number ?? null,
      id: node.token,
      ...written(tokenizer, node.token),
      logp: node.logProbability,
      cum: node.total,
      score: scoreOf(node, search),
      rank: node.rank,
      place: node.place,
      state: node.state,
    })),
    hypotheses: ended.map((node) => ({
      node: node.number,
      length: node.length,
      cum: node.total,
      lp: penalty(node.length, search),
      score: scoreOf(node, search),
      text: tokenizer.decode(tokensOf(node)),
      finished: node.token === EOS,
    })),
    best: 0,
  };
}
