// Made from schema.json by tests/unit/explorer/trace_types.py; do not edit.

/** The blocks whose mean the model calls its alignment, and that mean [reads, source] as a tensor. */
export interface Alignment {
  blocks: string[];
  tensor: string;
  best: BestHead | null;
}

/** `reads` is BOS and then the target without its last token. */
export interface Axes {
  source: Axis;
  target: Axis;
  reads: Axis;
}

/** What stands along one side of a matrix. */
export interface Axis {
  tokens: Token[];
  words: Word[];
}

/**
 * A search: `hypotheses` best first by score, `best` the place of the one that was chosen.
 * That is the first, unless `coverage` is charged as well.
 */
export interface Beam {
  k: number;
  alpha: number;
  coverage: number;
  penalty: "gnmt";
  limit: number;
  pruned_per_step: number;
  nodes: Node[];
  hypotheses: Hypothesis[];
  best: number;
}

/** The single head whose weights correlate most with what leaving out a source word costs. */
export interface BestHead {
  block: string;
  head: number;
  agreement: number;
}

/**
 * An attention: queries along one axis, keys along another.
 * Tensors: weights [head, query, key], mask [query, key] with 1 where a key may be seen; q, k, v [head, token, d];
 * scores [head, query, key] before scaling and masking; head_out [head, query, d], concat [query, heads], out, and
 * resid_in, resid_sum, norm_out [query, width]; parameters w_q, w_k, w_v [width, heads], w_o [heads, width] and, where
 * there are, b_q, b_k, b_v, b_o; norm_gain, norm_shift [width]. `norm` is "post" where the sum is normalised, and
 * "pre" where what the sub-layer reads is. Heads that are `off` put out zeros, whatever their weights.
 * Scores with parameters of their own show what is inside them: q_hidden [head, query, hidden], k_hidden [head, key,
 * hidden] and a vector [hidden], where score = vector . tanh(q_hidden + k_hidden); without a vector it is their
 * product. A tape has a slot before its first position: blank and blank_scores [head, query] belong to that, and
 * make rows of weights sum to one.
 */
export interface Block {
  id: string;
  stack: "encoder" | "decoder";
  layer: number;
  kind: "self" | "cross";
  score: string;
  alignment: string;
  query_axis: "source" | "reads";
  key_axis: "source" | "reads";
  heads: number;
  scale: number;
  causal: boolean;
  sums_to_one: boolean;
  off: number[];
  window: Window | null;
  norm: "pre" | "post" | null;
  epsilon: number | null;
  tensors: Record<string, string>;
  stats: Statistics;
}

/** A token the model considered. */
export interface Candidate {
  id: number;
  piece: string;
  text: string;
  logit: number;
  p: number;
}

/** Something that must hold, and how far it does; invariants.py says which. */
export interface Check {
  name: string;
  error: number;
  limit: number;
  holds: boolean;
}

/** How many positions a convolution sees, and how many of them before the present one. */
export interface Convolution {
  kernel: number;
  before: number;
}

/** Layer by layer in each stack; `kernel` and `layers` are those of the first. */
export interface Convolutions {
  kernel: number[];
  layers: number;
  stacks: Record<string, Convolution[]>;
}

/** What the first layer reads: token (scaled already) + position = sum, all [token, width]. */
export interface Embedding {
  scale: number;
  kind: string | null;
  tensors: Record<string, string>;
}

/** Of both sides; None where a model tells of none. */
export interface Embeddings {
  source: Embedding | null;
  target: Embedding | null;
}

/** States [reads, width] and the output rows [reads, top, width] whose products with them are the top logits. */
export interface Final {
  tensors: Record<string, string>;
}

/** What a search may end with: score = cum / lp, and lp = ((5 + length) / 6) ** alpha. */
export interface Hypothesis {
  node: number;
  length: number;
  cum: number;
  lp: number;
  score: number;
  text: string;
  finished: boolean;
}

/**
 * How much each source token mattered for each token written, [reads, source]: influence.py says how it is asked.
 * Tensors: gradient, a length; occlusion, the log-probability lost with a word, divided among the word's pieces.
 */
export interface Influence {
  tensors: Record<string, string>;
}

/** A feed-forward network: tensors in, out, resid_in, resid_sum, norm_out [query, width], hidden [query, inner]. */
export interface Layer {
  id: string;
  stack: "encoder" | "decoder";
  layer: number;
  kind: "ffn";
  axis: "source" | "reads";
  norm: "pre" | "post" | null;
  epsilon: number | null;
  tensors: Record<string, string>;
}

/** What the decoder gets (encoder_output.py): states [place, width], or a few vectors [part, width]. */
export interface Memory {
  kind: "list" | "vector" | "none";
  numbers: number;
  stays: boolean | null;
  tensors: Record<string, string>;
}

/** What was traced; `config` has the fields of the system's own configuration, `letters` those of Table 3. */
export interface Model {
  id: string;
  name: string;
  architecture: string;
  year: number;
  paper: string;
  title: string;
  summary: string;
  family: "attention" | "recurrent" | "convolution" | "other";
  task: string;
  config: Record<string, any>;
  letters: Record<string, number | null>;
  parameters: number;
  source_language: string | null;
  target_language: string | null;
  source_vocabulary: number;
  target_vocabulary: number;
  step: number | null;
  sha256: string | null;
}

/**
 * A token the search considered: cum = cum of the parent + logp, score = cum / lp(t).
 * `t` is how many tokens are written with it, `rank` its place among all candidates of its step, and `place` its row
 * in the beam if it was kept; both count from zero.
 */
export interface Node {
  n: number;
  t: number;
  parent: number | null;
  id: number;
  piece: string;
  text: string;
  logp: number;
  cum: number;
  score: number;
  rank: number;
  place: number | null;
  state: "root" | "kept" | "pruned" | "finished";
}

/** What was written; `score` is what the search ranked by, None for a target that was given. */
export interface Output {
  text: string;
  mode: "beam" | "forced";
  logprob: number;
  score: number | null;
  finished: boolean;
}

/**
 * States [position, width] and gates [gate, position, width] of a recurrence, in the order in which it read.
 * `order` has the places of the axis in that order; None is from left to right.
 */
export interface Recurrence {
  id: string;
  stack: "encoder" | "decoder";
  layer: number;
  axis: "source" | "reads";
  order: number[] | null;
  gates: string[];
  tensors: Record<string, string>;
}

/** All recurrences, and by stack the name of the first one's states. */
export interface Recurrent {
  layers: Recurrence[];
  tensors: Record<string, string>;
}

/** The largest difference between encoder states of words and of shuffled words, sorted back. */
export interface Shuffle {
  order: number[];
  with_positions: number | null;
  without_positions: number | null;
}

/** One number for each head; head_statistics.py says which. */
export interface Statistics {
  entropy: number[];
  distance: number[];
  special: number[];
  diagonal: number[];
}

/** Reads `reads[t]`, predicts `target[t]`; p = exp(logit - log_normaliser), rank counts from one. */
export interface Step {
  t: number;
  reads: number;
  predicts: number;
  logprob: number;
  logit: number;
  entropy: number;
  rank: number;
  log_normaliser: number;
  top: Candidate[];
}

/** Little endian, C order; `href` in place of `data` where it must be fetched. */
export interface Tensor {
  dtype: "f32" | "f16" | "u8";
  shape: number[];
  dims: string[];
  data?: string;
  href?: string;
}

/** A piece: `text` is without the mark of a space, `span` in characters of `source_text`, `word` its word. */
export interface Token {
  i: number;
  id: number;
  piece: string;
  text: string;
  word: number;
  special: "pad" | "eos" | "unk" | "bos" | null;
  span?: number[];
}

/** What made the document. */
export interface Tool {
  name: string;
  version: string;
  torch: string;
  device: string;
  dtype: string;
}

/** Each query sees only keys at most `reach` from its centre. */
export interface Window {
  centre: number[];
  reach: number;
}

/** A word as a person reads it, and the positions of its pieces. */
export interface Word {
  text: string;
  pieces: number[];
  special: "pad" | "eos" | "unk" | "bos" | null;
}

/** One sentence through one model. */
export interface Trace {
  schema: "explore-trace/1";
  id: string;
  tool: Tool;
  model: Model;
  options: Record<string, any>;
  source_text: string;
  unknown: string[];
  axes: Axes;
  output: Output;
  steps: Step[];
  blocks: Block[];
  layers: Layer[];
  embedding: Embeddings;
  final: Final;
  alignment: Alignment | null;
  memory: Memory;
  recurrent: Recurrent | null;
  conv: Convolutions | null;
  beam: Beam | null;
  influence: Influence | null;
  shuffle: Shuffle | null;
  positions_table: string | null;
  counts: Record<string, number>;
  tied: string[][];
  what_if: Record<string, any> | null;
  base_id: string | null;
  role?: "own" | "forced" | "what-if" | "compare";
  tensors: Record<string, Tensor>;
  checks: Check[];
  seconds?: number;
}
