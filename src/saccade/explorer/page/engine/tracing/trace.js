/**
 * One sentence on its way through a model, as the document that every view reads: tracing/trace.py.
 *
 * Row t of a decoder block is the query made from input token t, and predicts token t of the target. All tensors come
 * from one pass through the target, which a beam search found or the reader gave.
 */

import { Matrix } from "page/engine/arithmetic/matrix";
import { exactly } from "page/engine/arithmetic/precision";
import { tracing } from "page/engine/attention/recording";
import { BOS, EOS, normalise } from "page/engine/data/tokenizer";
import { beamSearch, scoreOf, tokensOf } from "page/engine/decoding/beam";
import { TreeOutputs } from "page/engine/decoding/tree-outputs";
import { EngineProblem } from "page/engine/problem";
import { axis, unknownCharacters } from "page/engine/tracing/axes";
import { block, identity, layer, records } from "page/engine/tracing/blocks";
import { bestHead, occlusion } from "page/engine/tracing/influence";
import { beam, largest, steps } from "page/engine/tracing/outputs";
import { convolutions, recurrent } from "page/engine/tracing/recurrent-states";
import { TraceTensors } from "page/engine/tracing/tensors";
import { changedModel, looksAhead, withoutPositions, written } from "page/engine/tracing/what-if";
import { shuffled } from "page/engine/tracing/word-order";

/** @import { Told } from "page/engine/attention/recording" */
/** @import { Tokenizer } from "page/engine/data/tokenizer" */
/** @import { Rules, Search } from "page/engine/decoding/beam" */
/** @import { LiveModel, SequenceModel } from "page/engine/live-model" */
/** @import { ModuleRecord } from "page/engine/tracing/blocks" */
/** @import { WhatIf } from "page/engine/tracing/what-if" */
/** @import { Axes, Embedding, Trace, Tree } from "page/trace/schema" */

/**
 * What is asked for: the body of POST /api/trace.
 * @typedef {object} TraceRequest
 * @property {string} text
 * @property {{ size: number | null, alpha: number | null }} decode
 * @property {string | null} force
 * @property {string | null} prefix
 * @property {WhatIf | null} what_if
 * @property {string[]} detail
 */

/** Tokens on either side: more could neither be read nor made quickly. */
const LONGEST = 256;
const LARGEST_BEAM = 64;
/** Rows of the position table that a trace shows. */
const POSITIONS = 64;

/**
 * The document of one sentence.
 * @param {LiveModel} live
 * @param {TraceRequest} asked
 * @param {(written: number, share?: number) => Promise<void>} breathe  called before each step of the search, and with the
 *   share that is done while words are left out; it may throw, to stop
 * @returns {Promise<Trace>}
 */
export async function trace(live, asked, breathe) {
  const { exported, source: sourceTokenizer, target: tokenizer } = live;
  const trees = exported.leaves && new TreeOutputs(tokenizer, exported.leaves);
  const read = trees ? trees.words(asked.text).join(" ") : normalise(asked.text);
  const { text, request } = exported.has_source ? { text: read, request: asked } : continued(asked, read);
  const source = fitting([...sourceTokenizer.encode(text), EOS], live.model.maximumLength, "The sentence");
  if (exported.has_source && source.length === 1)
    throw new EngineProblem("There is no word in this sentence.", "Type one.");
  const { what_if: whatIf } = request;
  const { model, change } = whatIf ? changedModel(live, whatIf, source) : unchanged(live);
  const writes = trees ? treesOver(trees, text.split(" ")) : plainText(tokenizer);
  const found = await outputOf(live, model, source, writes, request, breathe);
  const { target } = found;

  const encoding = exactly(() => tracing(() => model.encode(source)));
  const reads = [BOS, ...target.slice(0, -1)];
  const decoding = exactly(() => tracing(() => model.states(reads, encoding.result)));
  const logits = exactly(() => model.logits(decoding.result));
  const modules = records(encoding.told, decoding.told);
  const tensors = new TraceTensors();
  const axes = {
    source: axis(sourceTokenizer, source, text),
    target: axis(tokenizer, target),
    reads: axis(tokenizer, reads),
  };
  const listed = [...modules.values()];
  const remembered = model.remembered(encoding.result);
  /** @type {Matrix | null} */
  const table = [...encoding.told, ...decoding.told].find(({ what }) => "position" in what)?.what.table ?? null;
  const predicted = steps(logits, target, tokenizer);
  /** @param {string[]} details */
  const includes = (...details) => ["all", ...details].some((detail) => request.detail.includes(detail));
  const lost =
    exported.has_source && includes("influence") ? await occlusion(model, source, target, axes.source, breathe) : null;
  const documented = {
    blocks: listed.filter(({ kind }) => kind === "self" || kind === "cross").map((one) => block(one, axes, tensors)),
    layers: listed.filter((one) => one.kind === "ffn").map((one) => layer(one, tensors)),
    embedding: {
      source: embedding(encoding.told, "embedding.source", tensors),
      target: embedding(decoding.told, "embedding.target", tensors),
    },
    final: { tensors: final(model, decoding.result, logits, tensors) },
    alignment: alignment(live, modules, axes, lost && bestHead(listed, lost, axes.source), tensors),
    memory: {
      kind: remembered.kind,
      numbers: remembered.numbers,
      stays: remembered.stays,
      tensors: tensors.put("memory", "states", remembered.states, "place width"),
    },
    recurrent: recurrent(
      listed.filter((one) => one.kind === "rnn"),
      tensors,
    ),
    influence: lost && { tensors: tensors.put("influence", "occlusion", lost, "reads source") },
    positions_table: tensors.put("positions", "table", table && firstRows(table), "position width").table ?? null,
  };
  return {
    schema: "explore-trace/1",
    id: idOf(live, request),
    tool: exported.tool,
    model: exported.description,
    options: { ...request },
    source_text: text,
    unknown: unknownCharacters(sourceTokenizer, text || request.prefix || ""),
    axes,
    output: { ...found.output, logprob: found.output.logprob ?? sum(predicted.map((step) => step.logprob)) },
    tree: writes.tree(target),
    steps: predicted,
    ...documented,
    conv: convolutions(encoding.told, decoding.told),
    beam: found.beam,
    shuffle:
      table && includes("shuffle", "positions")
        ? shuffled(model, () => live.changed((module) => withoutPositions(change(module))), source)
        : null,
    counts: exported.counts,
    tied: exported.tied,
    what_if: whatIf && written(whatIf, source.length),
    base_id: whatIf && idOf(live, { ...request, what_if: null }),
    tensors: tensors.written(request.detail),
    checks: [],
  };
}

/** A language model has no source: it goes on with the text. @param {TraceRequest} asked @param {string} begun */
function continued(asked, begun) {
  return { text: "", request: { ...asked, prefix: `${asked.prefix ?? ""} ${begun}`.trim() || null } };
}

/**
 * What outputs are: the text of some tokens, the text to cut where an output is given, the tree that a parser wrote, and
 * what a search must keep to.
 * @typedef {object} Writing
 * @property {(tokens: number[]) => string} text
 * @property {(given: string) => string} given
 * @property {(tokens: number[]) => Tree | null} tree
 * @property {Rules | null} rules
 */

/** @param {Tokenizer} tokenizer @returns {Writing} */
const plainText = (tokenizer) => ({
  text: (tokens) => tokenizer.decode(tokens),
  given: (given) => given,
  tree: () => null,
  rules: null,
});

/** @param {TreeOutputs} trees @param {string[]} words @returns {Writing} */
const treesOver = (trees, words) => ({
  text: (tokens) => trees.text(tokens, words),
  given: (given) => trees.given(given, words),
  tree: (tokens) => trees.constituents(tokens, words),
  rules: trees.rules(words),
});

/** @param {LiveModel} live */
const unchanged = (live) => ({ model: live.model, change: (/** @type {any} */ module) => module });

/** The same request has the same id. @param {LiveModel} live @param {TraceRequest} request */
const idOf = ({ exported }, request) => `live:${JSON.stringify([exported.description.sha256, request])}`;

/** @param {number[]} tokens @param {number} longest @param {string} what */
function fitting(tokens, longest, what) {
  const limit = Math.min(LONGEST, longest);
  if (tokens.length <= limit) return tokens;
  throw new EngineProblem(
    `${what} has ${tokens.length} tokens, and at most ${limit} can be shown.`,
    "Give one sentence at a time.",
  );
}

/**
 * The tokens of the output, searched for or given.
 * @param {LiveModel} live
 * @param {SequenceModel} model
 * @param {number[]} source
 * @param {Writing} writes
 * @param {TraceRequest} request
 * @param {(written: number) => Promise<void>} breathe
 */
async function outputOf(live, model, source, writes, { force, prefix, decode, what_if: whatIf }, breathe) {
  const { exported, target: tokenizer } = live;
  if (force !== null) {
    const target = fitting([...tokenizer.encode(writes.given(force)), EOS], model.maximumLength, "The translation");
    return given(target, writes.text(target));
  }
  const saved = exported.search;
  /** @type {Search} */
  const search = { ...saved, size: decode.size ?? saved.size, alpha: decode.alpha ?? saved.alpha };
  if (search.size < 1 || search.size > LARGEST_BEAM)
    throw new EngineProblem(`A beam has from 1 to ${LARGEST_BEAM} hypotheses, not ${search.size}.`, "The paper has 4.");
  const begun = fitting(tokenizer.encode(prefix ?? ""), model.maximumLength - 1, "The beginning");
  // Decoding step by step has nothing ahead to see, so a model that looks ahead would find what the original finds.
  const ahead = looksAhead(whatIf);
  const tree = await beamSearch(ahead ? live.model : model, source, begun, search, breathe, writes.rules);
  if (!tree.ended.length) throw new EngineProblem("No output can begin so.", "Leave the beginning out.");
  const best = tree.ended[0];
  const target = tokensOf(best);
  if (ahead) return given(target, writes.text(target));
  const output = {
    text: writes.text(target),
    mode: /** @type {const} */ ("beam"),
    logprob: best.total,
    score: scoreOf(best, search),
    finished: best.token === EOS,
  };
  return { target, output, beam: beam(tree, search, tokenizer) };
}

/** An output that this model did not search for. @param {number[]} target @param {string} text */
function given(target, text) {
  const output = { mode: /** @type {const} */ ("forced"), logprob: null, score: null, finished: true };
  return { target, beam: null, output: { text, ...output } };
}

/** @param {Told[]} told @param {string} owner @param {TraceTensors} tensors @returns {Embedding | null} */
function embedding(told, owner, tensors) {
  const found = told.find(({ what }) => "token" in what)?.what;
  if (!found) return null;
  const names = ["token", "position", "sum"].map((role) => tensors.put(owner, role, found[role], "token width"));
  return { scale: found.scale, kind: found.kind, tensors: Object.assign({}, ...names) };
}

/**
 * The decoder's states, and where there is one output matrix, its rows whose products with them are the candidates'
 * logits.
 * @param {SequenceModel} model
 * @param {Matrix} states
 * @param {Matrix} logits
 * @param {TraceTensors} tensors
 */
function final(model, states, logits, tensors) {
  const shown = tensors.put("final", "states", states, "reads width");
  const { projection, outputBias: bias } = model;
  if (!projection) return shown;
  const best = logits.list().map(largest);
  const rows = () => {
    const { columns } = projection;
    const data = new Float32Array(best.length * best[0].length * columns);
    best.flat().forEach((token, at) => {
      data.set(projection.row(token), at * columns);
    });
    return { shape: [best.length, best[0].length, columns], data };
  };
  const biases = bias && {
    shape: [best.length, best[0].length],
    data: Float32Array.from(best.flat(), (token) => bias[token]),
  };
  return {
    ...shown,
    ...tensors.put("final", "rows", rows, "reads top width"),
    ...tensors.put("final", "bias", biases, "reads top"),
  };
}

/**
 * How much each target position attended to each source position: the mean over the heads of the blocks that align.
 * @param {LiveModel} live
 * @param {Map<string, ModuleRecord>} modules
 * @param {Axes} axes
 * @param {ReturnType<typeof bestHead>} best
 * @param {TraceTensors} tensors
 */
function alignment({ exported }, modules, axes, best, tensors) {
  const blocks = exported.alignment_blocks.map((name) => /** @type {ModuleRecord} */ (modules.get(name)));
  if (!blocks.length) return null;
  const mean = new Matrix(axes.reads.tokens.length, axes.source.tokens.length);
  for (const { what } of blocks)
    for (let at = 0; at < what.weights.length; at++)
      mean.data[at % mean.data.length] += what.weights[at] / what.heads / blocks.length;
  const tensor = tensors.put("alignment", "weights", mean, "reads source").weights;
  return { blocks: blocks.map(identity), tensor, best };
}

/** @param {Matrix} table */
function firstRows({ rows, columns, data }) {
  const shown = Math.min(POSITIONS, rows);
  return new Matrix(shown, columns, data.slice(0, shown * columns));
}

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);
