/** A model that travels in the page, out of what `saccade explore --live` wrote: weights, tokenizers, search settings. */

import { heldWeights, readTensors } from "page/engine/arithmetic/weights";
import { SentencePieceModel } from "page/engine/data/sentencepiece-model";
import { Tokenizer } from "page/engine/data/tokenizer";
import { build } from "page/engine/interpreter";
import { bytesOf } from "page/trace/trace";

/** @import { Matrix } from "page/engine/arithmetic/matrix" */
/** @import { Products, Weight } from "page/engine/arithmetic/weights" */
/** @import { Leaves } from "page/engine/data/trees" */
/** @import { Search } from "page/engine/decoding/beam" */
/** @import { ModuleNode } from "page/engine/interpreter" */
/** @import { Model, Tool } from "page/trace/schema" */

/**
 * What a decoder gets of a source: a "list" with a row for each place, "vector"s whose number does not depend on the
 * source, which it may still hold after the first step or not, or "none". There may be more numbers than these.
 * @typedef {{ kind: "list" | "vector" | "none", states: Matrix | null, numbers: number, stays: boolean | null }} Remembered
 */

/**
 * What a search and a trace ask of a model, whatever it is made of. What it remembers of a source, and the state of the
 * hypotheses that it writes, are its own.
 * @typedef {object} SequenceModel
 * @property {number} maximumLength  the most tokens on either side
 * @property {Weight | null} projection  the matrix that makes logits of states, where one alone does
 * @property {Float32Array | null} outputBias
 * @property {(source: number[]) => any} encode
 * @property {(memory: any) => Remembered} remembered
 * @property {(reads: number[], memory: any) => Matrix} states  of all positions of a target
 * @property {(states: Matrix) => Matrix} logits
 * @property {(memory: any) => any} start
 * @property {(tokens: number[], state: any) => { logits: Matrix, state: any }} step
 * @property {(state: any, places: number[]) => any} select
 */

/**
 * What the file holds of a model (explorer/live_model.py). Bytes are in base64, weights compressed as well.
 * @typedef {object} Exported
 * @property {ModuleNode} modules
 * @property {string} weights
 * @property {{ source: string, target: string | null }} tokenizers  null: both sides have the same
 * @property {Search} search
 * @property {boolean} has_source  a language model has none, and goes on with the text that it is given
 * @property {Leaves | null} leaves  what a parser writes for each word; null for every other model
 * @property {string[]} alignment_blocks
 * @property {Model} description
 * @property {Tool} tool
 * @property {Record<string, number>} counts
 * @property {string[][]} tied
 */

export class LiveModel {
  /** @param {Exported} exported @param {Map<string, any>} weights */
  constructor(exported, weights) {
    this.exported = exported;
    this.weights = weights;
    this.model = this.changed((module) => module);
    const { source, target } = exported.tokenizers;
    this.source = tokenizerOf(source);
    this.target = target === null ? this.source : tokenizerOf(target);
  }

  /** The same model with other modules in the place of some; the weights are shared. @param {(module: any) => any} change */
  changed(change) {
    return /** @type {SequenceModel} */ (build(this.exported.modules, this.weights, change));
  }
}

/** @param {Exported} exported @param {() => Promise<Products>} products */
export async function loadModel(exported, products) {
  const packed = new Blob([bytesOf(exported.weights)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const file = await new Response(packed).arrayBuffer();
  return new LiveModel(exported, heldWeights(readTensors(file), await products()));
}

/** @param {string} base64 */
const tokenizerOf = (base64) => new Tokenizer(new SentencePieceModel(bytesOf(base64)));
