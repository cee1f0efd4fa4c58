// Made from tracing/schema.json by tests/unit/explorer/trace_types.py; what each part means stands there.

export interface Alignment {
  blocks: string[];
  tensor: string;
  best: BestHead | null;
}

export interface Axes {
  source: Axis;
  target: Axis;
  reads: Axis;
}

export interface Axis {
  tokens: Token[];
  words: Word[];
}

export interface Beam {
  k: number;
  alpha: number;
  coverage: number;
  penalty: "gnmt" | "power";
  limit: number;
  pruned_per_step: number;
  nodes: Node[];
  hypotheses: Hypothesis[];
  best: number;
}

export interface BestHead {
  block: string;
  head: number;
  agreement: number;
}

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

export interface Bracket {
  label: string;
  open: number;
  close: number;
  start: number;
  end: number;
}

export interface Candidate {
  id: number;
  piece: string;
  text: string;
  logit: number;
  p: number;
}

export interface Check {
  name: string;
  error: number;
  limit: number;
  holds: boolean;
}

export interface Convolution {
  kernel: number;
  before: number;
}

export interface Convolutions {
  kernel: number[];
  layers: number;
  stacks: Record<string, Convolution[]>;
}

export interface Embedding {
  scale: number;
  kind: string | null;
  tensors: Record<string, string>;
}

export interface Embeddings {
  source: Embedding | null;
  target: Embedding | null;
}

export interface Final {
  tensors: Record<string, string>;
}

export interface Hypothesis {
  node: number;
  length: number;
  cum: number;
  lp: number;
  score: number;
  text: string;
  finished: boolean;
}

export interface Influence {
  tensors: Record<string, string>;
}

export interface Layer {
  id: string;
  stack: "encoder" | "decoder";
  layer: number;
  kind: "ffn";
  axis: "source" | "reads";
  activation?: "relu" | "silu" | "gelu" | "quick_gelu";
  norm: "pre" | "post" | null;
  epsilon: number | null;
  tensors: Record<string, string>;
}

export interface Leaf {
  tag: string;
  step: number;
}

export interface Memory {
  kind: "list" | "vector" | "none";
  numbers: number;
  stays: boolean | null;
  tensors: Record<string, string>;
}

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

export interface Output {
  text: string;
  mode: "beam" | "forced";
  logprob: number;
  score: number | null;
  finished: boolean;
  unscored?: number;
}

export interface Recurrence {
  id: string;
  stack: "encoder" | "decoder";
  layer: number;
  axis: "source" | "reads";
  order: number[] | null;
  gates: string[];
  tensors: Record<string, string>;
}

export interface Recurrent {
  layers: Recurrence[];
  tensors: Record<string, string>;
}

export interface Shuffle {
  order: number[];
  with_positions: number | null;
  without_positions: number | null;
}

export interface Statistics {
  entropy: number[];
  distance: number[];
  special: number[];
  diagonal: number[];
}

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

export interface Tensor {
  dtype: "f32" | "f16" | "u8";
  shape: number[];
  dims: string[];
  data?: string;
  href?: string;
}

export interface Token {
  i: number;
  id: number;
  piece: string;
  text: string;
  word: number;
  special: "pad" | "eos" | "unk" | "bos" | "language" | null;
  span?: number[];
}

export interface Tool {
  name: string;
  version: string;
  torch: string;
  device: string;
  dtype: string;
}

export interface Tree {
  words: string[];
  brackets: Bracket[];
  leaves: Leaf[];
}

export interface Window {
  centre: number[];
  reach: number;
}

export interface Word {
  text: string;
  pieces: number[];
  special: "pad" | "eos" | "unk" | "bos" | "language" | null;
}

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
  tree?: Tree | null;
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
  remarks?: string[];
}
