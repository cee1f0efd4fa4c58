// What a search did, as plain values: nodes by step and rank, paths, and the finished outputs under any alpha.
// Nothing here draws, and nothing needs the page.

/** @import { Scene } from "page/beam/drawing" */
/** @import { Beam } from "page/trace/schema" */
/** @import { Step, Token, Trace } from "page/types" */

/**
 * A search as the view shows it; without one, the path of the output.
 * @typedef {object} Search
 * @property {Trace} trace
 * @property {Beam | null} beam
 * @property {TreeNode[]} nodes
 * @property {Map<number, TreeNode>} index
 * @property {(number: number) => string} textAt
 */

/**
 * @typedef {{n: number, t: number, parent: number|null, id: number, piece: string, logp: number, cum: number,
 *   state: "root"|"kept"|"pruned"|"finished", rank?: number, score?: number, text?: string,
 *   place?: number | null}} TreeNode   rank: among all candidates of its step, from 0
 * @typedef {{node: number, length: number, cum: number, lp?: number, score?: number, finished: boolean, order: number}}
 *   End
 */

// The search compares scores on this grid, so that rounding errors order nothing: see decoding/ranking.py.
const STEPS_PER_NAT = 65536;

/** What is raised to alpha: by GNMT's rule (5 + |Y|) / 6, by that of Marian |Y| itself. @typedef {"gnmt" | "power"} Rule */

/**
 * (5 + |Y|) / 6 or |Y|, where |Y| counts the written tokens, the end mark included.
 * @param {number} length
 * @param {Rule} [rule]
 */
const base = (length, rule) => (rule === "power" ? length : (5 + length) / 6);

/**
 * lp(Y): the base to the power alpha.
 * @param {number} length
 * @param {any} alpha
 * @param {Rule} [rule]
 */
export function lengthPenalty(length, alpha, rule) {
  return base(length, rule) ** alpha;
}

/**
 * log P(Y | X) / lp(Y): what finished outputs are ordered by.
 * @param {number} cum
 * @param {number} length
 * @param {any} alpha
 * @param {Rule} [rule]
 */
export function scoreOf(cum, length, alpha, rule) {
  return cum / lengthPenalty(length, alpha, rule);
}

/** @param {number} score */
const onGrid = (score) => Math.round(score * STEPS_PER_NAT);

/** Nodes by their number. @param {any} nodes */
export function byNumber(nodes) {
  return new Map(nodes.map((/** @type {TreeNode} */ node) => [node.n, node]));
}

/**
 * The nodes from the first written token to this one; the root is no token and is left out.
 * @param {Map<number, TreeNode>} index
 * @param {number} number
 */
export function pathTo(index, number) {
  const path = [];
  for (
    let node = index.get(number);
    node && node.state !== "root";
    node = index.get(/** @type {NonNullable<typeof node.parent>} */ (node.parent))
  )
    path.push(node);
  return path.reverse();
}

/**
 * What pieces say when they are joined: the mark of a word's beginning becomes a space, pieces that stand for one byte
 * become characters, end marks are left out.
 * @param {TreeNode[]} path
 * @param {Set<number>} [ends]
 */
export function textOf(path, ends = new Set()) {
  const pieces = path.filter((node) => !ends.has(node.n)).map((node) => node.piece);
  return pieces
    .join("")
    .replace(/(?:<0x[0-9A-F]{2}>)+/g, spelled)
    .replaceAll("\u2581", " ")
    .trim();
}

/** @param {any} run */
function spelled(run) {
  const bytes = run.match(/[0-9A-F]{2}(?=>)/g).map((/** @type {any} */ byte) => parseInt(byte, 16));
  // A path that is not at its end may stop within a character: what is there of it is no text.
  return new TextDecoder().decode(Uint8Array.from(bytes)).replaceAll("\ufffd", "");
}

/**
 * The outputs the search may choose from: every node that ended, or where none did, the hypotheses it stopped with.
 * The search itself keeps only the best few of them; with another alpha one that it dropped may be the best.
 * @param {Beam} beam
 * @returns {End[]}
 */
export function ends(beam) {
  const finished = beam.nodes.filter((node) => node.state === "finished");
  if (finished.length) {
    return finished.map((node, order) => ({ node: node.n, length: node.t, cum: node.cum, finished: true, order }));
  }
  return (beam.hypotheses ?? []).map((each, order) => ({
    node: each.node,
    length: each.length,
    cum: each.cum,
    finished: false,
    order,
  }));
}

/**
 * The same outputs with penalty and score under this alpha, the best first; of equal ones the earlier comes first.
 * @param {End[]} outputs
 * @param {number | null} alpha
 * @param {Rule} [rule]
 */
export function ranked(outputs, alpha, rule) {
  return outputs
    .map((each) => {
      const lp = lengthPenalty(each.length, alpha, rule);
      return { ...each, lp, score: each.cum / lp };
    })
    .sort((a, b) => onGrid(b.score) - onGrid(a.score) || a.order - b.order);
}

/**
 * Which output wins for which alpha from 0 to `most`: a list of {from, to, node} that covers the range.
 * c1 / l1^a = c2 / l2^a has the one solution a = ln(c1 / c2) / ln(l1 / l2), so every change of the winner is at a
 * crossing of two outputs, and between two crossings nothing changes.
 * @param {End[]} outputs
 * @param {number} most
 * @param {Rule} [rule]
 */
export function winners(outputs, most, rule) {
  if (!outputs.length) return [];
  const crossings = new Set([0, most]);
  for (const a of outputs) {
    for (const b of outputs) {
      if (a.length >= b.length || a.cum >= 0 || b.cum >= 0) continue;
      const alpha = Math.log(a.cum / b.cum) / Math.log(base(a.length, rule) / base(b.length, rule));
      if (alpha > 0 && alpha < most) crossings.add(alpha);
    }
  }
  const marks = [...crossings].sort((a, b) => a - b);
  const ranges = [];
  for (let i = 0; i + 1 < marks.length; i++) {
    const node = ranked(outputs, (marks[i] + marks[i + 1]) / 2, rule)[0].node;
    /** @type {any} */
    const last = ranges[ranges.length - 1];
    if (last && last.node === node) last.to = marks[i + 1];
    else ranges.push({ from: marks[i], to: marks[i + 1], node });
  }
  return ranges;
}

/**
 * The grid of the picture: a column for each step, and in it the living and the finished nodes by their sum of log
 * probabilities, then the pruned ones (at most `pruned` of them, the best first).
 * @param {TreeNode[]} nodes
 * @param {number} pruned
 * @returns {{columns: TreeNode[][], hidden: number[], rows: number}}
 */
export function grid(nodes, pruned) {
  const steps = nodes.reduce((most, node) => Math.max(most, node.t), 0);
  /** @type {TreeNode[][]} */
  const columns = Array.from({ length: steps + 1 }, () => []);
  for (const node of nodes) columns[node.t].push(node);
  /** @type {number[]} */
  const hidden = [];
  const shown = columns.map((column, step) => {
    const best = [...column].sort((a, b) => b.cum - a.cum || a.n - b.n);
    const stay = best.filter((node) => node.state !== "pruned");
    const gone = best.filter((node) => node.state === "pruned");
    hidden[step] = Math.max(0, gone.length - pruned);
    return [...stay, ...gone.slice(0, pruned)];
  });
  return { columns: shown, hidden, rows: shown.reduce((most, column) => Math.max(most, column.length), 0) };
}

/**
 * Where a node stands in the grid: {column, row}, or null where it is not shown.
 * @param {Scene["layout"]} layout
 * @param {number} number
 */
export function placeOf(layout, number) {
  for (let column = 0; column < layout.columns.length; column++) {
    const row = layout.columns[column].findIndex((node) => node.n === number);
    if (row >= 0) return { column, row };
  }
  return null;
}

/**
 * How far the last of the kept ones of its step stands above a pruned node, in nats; null for others.
 * @param {TreeNode[]} nodes
 * @param {TreeNode} node
 */
export function shortOf(nodes, node) {
  if (node.state !== "pruned") return null;
  const kept = nodes.filter((each) => each.t === node.t && each.state === "kept").map((each) => each.cum);
  return kept.length ? Math.min(...kept) - node.cum : null;
}

/**
 * The one path of a trace without a search, with what else was likely at each step: nodes of the same form, whose
 * alternatives were never followed. `steps` is the trace's list, `pieces` the target tokens.
 * @param {Step[]} steps
 * @param {Token[]} target
 * @param {string} end
 */
export function pathOfSteps(steps, target, end) {
  /** @type {TreeNode[]} */
  const nodes = [{ n: 0, t: 0, parent: null, id: -1, piece: "", logp: 0, cum: 0, state: "root" }];
  let [parent, cum] = [0, 0];
  steps.forEach((step, place) => {
    const token = target[place];
    const before = cum;
    cum += step.logprob;
    const n = nodes.length;
    const last = place === steps.length - 1 && token.special === end;
    nodes.push({
      n,
      t: place + 1,
      parent,
      id: token.id,
      piece: token.piece,
      logp: step.logprob,
      cum,
      state: last ? "finished" : "kept",
    });
    for (const other of step.top ?? []) {
      if (other.id === token.id || !(other.p > 0)) continue;
      const logp = Math.log(other.p);
      nodes.push({
        n: nodes.length,
        t: place + 1,
        parent,
        id: other.id,
        piece: other.piece,
        logp,
        cum: before + logp,
        state: "pruned",
      });
    }
    parent = n;
  });
  return nodes;
}
