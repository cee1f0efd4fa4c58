/**
 * The Transformer of 2017, small: an encoder that reads, a decoder that writes.
 *
 * Encoder and decoder rather than a decoder alone: cross-attention is then a picture of its own, a row for each symbol
 * that is written and a column for each that was read, and what copying and reversing learn shows in it as a diagonal.
 * In a decoder alone the same diagonal would be a corner of one larger triangle.
 */
import { crossEntropy } from "page/train/network/cross-entropy";
import { embed, sinusoids } from "page/train/network/embedding";
import { decode, decoderLayer, encode, encoderLayer } from "page/train/network/layers";
import { linear } from "page/train/network/linear";
import { Parameters } from "page/train/network/parameters";
import { add } from "page/train/network/sum";

/** @import { Line } from "page/train/network/attention" */

/**
 * @typedef {object} Sizes
 * @property {number} vocabulary
 * @property {number} width  d_model
 * @property {number} heads
 * @property {number} layers  of the encoder, and as many of the decoder
 * @property {boolean} positions  whether the sinusoids are added to the embeddings
 * @property {boolean} scaled  whether scores are divided by sqrt(d_k)
 */

/**
 * A line in tokens: what the encoder reads, what the decoder reads, and what it should write after each of them.
 * @typedef {{source: number[], reads: number[], writes: number[]}} Example
 */

/** Tokens of the longest line, its end included. */
const LONGEST = 16;

export class Transformer {
  /** @param {Sizes} sizes @param {() => number} random */
  constructor(sizes, random) {
    const { vocabulary, width, layers } = sizes;
    this.sizes = sizes;
    this.positions = sizes.positions ? sinusoids(LONGEST, width) : null;
    this.parameters = new Parameters(random);
    this.sourceTable = this.parameters.table("source.embedding", vocabulary, width);
    this.targetTable = this.parameters.table("target.embedding", vocabulary, width);
    const numbers = [...Array(layers).keys()];
    this.encoder = numbers.map((n) => encoderLayer(this.parameters, `enc.${n}`, width, 2 * width));
    this.decoder = numbers.map((n) => decoderLayer(this.parameters, `dec.${n}`, width, 2 * width));
    this.output = this.parameters.matrix("output", vocabulary, width);
    this.outputBias = this.parameters.vector("output.bias", vocabulary, 0);
  }

  /** The forward pass over a batch, up to the loss. @param {Example[]} batch */
  forward(batch) {
    const { width, heads, scaled } = this.sizes;
    const sources = batch.map(({ source }) => source);
    const targets = batch.map(({ reads }) => reads);
    const common = { width, heads, scaled };
    const options = {
      encoder: { ...common, causal: false, lines: rowsOf(sources, sources) },
      self: { ...common, causal: true, lines: rowsOf(targets, targets) },
      cross: { ...common, causal: false, lines: rowsOf(targets, sources) },
    };

    const read = embed(this.sourceTable, this.positions, sources);
    let memory = read.y;
    const encoded = this.encoder.map((layer) => {
      const pass = encode(layer, memory, options.encoder);
      memory = pass.y;
      return pass;
    });
    const reread = embed(this.targetTable, this.positions, targets);
    let states = reread.y;
    const decoded = this.decoder.map((layer) => {
      const pass = decode(layer, states, memory, options);
      states = pass.y;
      return pass;
    });
    const logits = linear(this.output, this.outputBias, states);
    const { loss, probabilities, backward } = crossEntropy(
      logits.y,
      batch.flatMap(({ writes }) => writes),
    );

    /** The same way in the opposite direction. */
    const back = () => {
      let dstates = logits.backward(backward());
      let dmemory = new Float32Array(memory.length);
      for (const pass of decoded.toReversed()) {
        const gradients = pass.backward(dstates);
        dstates = gradients.dx;
        dmemory = add(dmemory, gradients.dmemory); // every layer of the decoder looked at the memory
      }
      reread.backward(dstates);
      for (const pass of encoded.toReversed()) dmemory = pass.backward(dmemory);
      read.backward(dmemory);
    };
    const weights = {
      enc: encoded.map(({ self }) => self),
      dec: decoded.map(({ self }) => self),
      cross: decoded.map(({ cross }) => cross),
    };
    return { loss, probabilities, weights, backward: back };
  }
}

/**
 * Which rows belong to each line of a batch whose lines stand one below the other.
 * @param {number[][]} queries
 * @param {number[][]} keys
 * @returns {Line[]}
 */
function rowsOf(queries, keys) {
  let [query, key] = [0, 0];
  return queries.map((line, i) => {
    const rows = { query, queries: line.length, key, keys: keys[i].length };
    query += rows.queries;
    key += rows.keys;
    return rows;
  });
}
