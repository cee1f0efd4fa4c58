/**
 * A model out of its description: the tree of its modules as Python has them, each by the name of its class.
 *
 * `saccade explore --live` writes for every module its type, the settings it was made with, its parts and the names of
 * its tensors. Here every type has a class of the same name that computes the same. A new architecture needs the
 * classes it has of its own, and nothing else of the page.
 */

import {
  Diagonal,
  Hard,
  LocalMonotonic,
  LocalPredictive,
  Reinforced,
  Sigmoid,
  Soft,
} from "page/engine/attention/alignment";
import { HeadScores } from "page/engine/attention/head-scores";
import { MultiHeadAttention } from "page/engine/attention/multihead";
import {
  ActivatedGeneral,
  Additive,
  Concat,
  Cosine,
  Dot,
  General,
  Indifferent,
  Location,
} from "page/engine/attention/scores";
import { Attention } from "page/engine/attention/single-query";
import { ReinforcedSubset, Sparsemax, TopK } from "page/engine/attention/sparse-alignment";
import { WindowAttention } from "page/engine/attention/window";
import { AffineProjection, BiasedProjection } from "page/engine/layers/biased-projection";
import { BahdanauGRU, ChoGRU, LSTMCell, ResetAfterGRU, TanhCell, TorchGRU } from "page/engine/layers/cells";
import { GatedConvolution, ShortConvolution } from "page/engine/layers/convolution";
import { ConvDecoder, ConvDecoderLayer, ConvEncoder, ConvEncoderLayer } from "page/engine/layers/convs2s-stacks";
import { Embedding } from "page/engine/layers/embedding";
import { FeedForward } from "page/engine/layers/feedforward";
import { Linear } from "page/engine/layers/linear";
import { DeepFusion, Reader, ShallowFusion, TapeLayer } from "page/engine/layers/lstmn-tape";
import { MaxoutOutput } from "page/engine/layers/maxout";
import { Hop } from "page/engine/layers/memory-hop";
import { GrowingKernels, InverseNgramModel, NgramModel, SentenceModel } from "page/engine/layers/ngram-convolutions";
import { FixedPositions, LearnedPositions } from "page/engine/layers/position";
import { Identity, LayerNorm, Plain, PostNorm, PreNorm, Residual } from "page/engine/layers/residual";
import { GRU, LSTM, RNN, RNNStack } from "page/engine/layers/rnn";
import { TTTLinear } from "page/engine/layers/ttt-linear";
import { NormalisedLinear } from "page/engine/layers/weight-normalisation";
import { ConvS2S } from "page/engine/models/convs2s";
import { AttentiveReading, KeyValuePredict, NgramReading } from "page/engine/models/key-value-predict";
import { LSTMN, LSTMNDecoder, LSTMNEncoder } from "page/engine/models/lstmn";
import { LSTMNLanguageModel } from "page/engine/models/lstmn-language-model";
import { Luong } from "page/engine/models/luong";
import { MemoryNetwork } from "page/engine/models/memory-network";
import { NeuralProbabilistic } from "page/engine/models/neural-probabilistic";
import { NGram } from "page/engine/models/ngram";
import { NoSource, RCTM, SourceAsNgrams, SourceAsSentence } from "page/engine/models/rctm";
import { RNNEncoderDecoder } from "page/engine/models/rnn-encoder-decoder";
import { RNNLanguageModel } from "page/engine/models/rnn-language-model";
import { RNNsearch } from "page/engine/models/rnnsearch";
import { Annotation, SelfAttentive } from "page/engine/models/self-attentive";
import { Sutskever } from "page/engine/models/seq2seq";
import { ListState, StateLanguageModel, StateLayer, VectorState } from "page/engine/models/state-language-model";
import { Decoder, DecoderLayer, Encoder, Transformer } from "page/engine/models/transformer";
import { TransformerClassifier } from "page/engine/models/transformer-classifier";
import { TransformerLanguageModel } from "page/engine/models/transformer-language-model";
import { SelfAttentionLayer, SelfAttentionStack } from "page/engine/models/transformer-stacks";

/**
 * What a module is made of: its name in the model, and what its class in Python has under the same names.
 * @typedef {object} Description
 * @property {string} name
 * @property {Record<string, any>} settings
 * @property {Record<string, any>} parts
 * @property {Record<string, any>} tensors
 */

/**
 * A module as the exporter writes it.
 * @typedef {object} ModuleNode
 * @property {string} type
 * @property {Record<string, any>} settings
 * @property {Record<string, ModuleNode>} parts
 * @property {Record<string, string>} tensors  the name that each is stored under
 */

/** A list: the layers of a stack, or tables of weights. */
class List extends Array {
  /** @param {Description} description */
  constructor({ parts, tensors }) {
    super();
    this.push(...Object.values(parts), ...Object.values(tensors));
  }

  /** What `map` makes is a plain list. */
  static get [Symbol.species]() {
    return Array;
  }
}

class ModuleList extends List {}

class ParameterList extends List {}

/** @type {Record<string, new (description: Description) => any>} */
const TYPES = {
  ActivatedGeneral,
  Additive,
  AffineProjection,
  Annotation,
  Attention,
  AttentiveReading,
  BahdanauGRU,
  BiasedProjection,
  ChoGRU,
  Concat,
  ConvDecoder,
  ConvDecoderLayer,
  ConvEncoder,
  ConvEncoderLayer,
  ConvS2S,
  Cosine,
  Decoder,
  DecoderLayer,
  DeepFusion,
  Diagonal,
  Dot,
  Embedding,
  Encoder,
  FeedForward,
  FixedPositions,
  GRU,
  GatedConvolution,
  General,
  GrowingKernels,
  Hard,
  HeadScores,
  Hop,
  Identity,
  Indifferent,
  InverseNgramModel,
  KeyValuePredict,
  LSTM,
  LSTMCell,
  LSTMN,
  LSTMNDecoder,
  LSTMNEncoder,
  LSTMNLanguageModel,
  LayerNorm,
  LearnedPositions,
  Linear,
  ListState,
  LocalMonotonic,
  LocalPredictive,
  Location,
  Luong,
  MaxoutOutput,
  MemoryNetwork,
  ModuleList,
  MultiHeadAttention,
  NGram,
  NeuralProbabilistic,
  NgramModel,
  NgramReading,
  NoSource,
  NormalisedLinear,
  ParameterList,
  Plain,
  PostNorm,
  PreNorm,
  RCTM,
  RNN,
  RNNEncoderDecoder,
  RNNLanguageModel,
  RNNStack,
  RNNsearch,
  Reader,
  Reinforced,
  ReinforcedSubset,
  ResetAfterGRU,
  Residual,
  SelfAttentionLayer,
  SelfAttentionStack,
  SelfAttentive,
  SentenceModel,
  ShallowFusion,
  ShortConvolution,
  Sigmoid,
  Soft,
  SourceAsNgrams,
  SourceAsSentence,
  Sparsemax,
  StateLanguageModel,
  StateLayer,
  Sutskever,
  TTTLinear,
  TanhCell,
  TapeLayer,
  TopK,
  TorchGRU,
  Transformer,
  TransformerClassifier,
  TransformerLanguageModel,
  VectorState,
  WindowAttention,
};

/**
 * The module of a node, its parts first. A what-if puts another module in the place of some.
 * @param {ModuleNode} node
 * @param {Map<string, any>} weights
 * @param {(module: any) => any} [change]
 * @param {string} [name]
 */
export function build(node, weights, change = (module) => module, name = "") {
  /** @type {Record<string, any>} */
  const parts = {};
  for (const [key, part] of Object.entries(node.parts))
    parts[key] = build(part, weights, change, name ? `${name}.${key}` : key);
  /** @type {Record<string, any>} */
  const tensors = {};
  for (const [key, stored] of Object.entries(node.tensors)) tensors[key] = weights.get(stored);
  return change(new TYPES[node.type]({ name, settings: node.settings, parts, tensors }));
}
