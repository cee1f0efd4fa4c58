/** A model that travels in the page, out of what `saccade explore --live` wrote: weights, tokenizers, search settings. */

import { heldWeights, readTensors } from "page/engine/arithmetic/weights";
import { SentencePieceModel } from "page/engine/data/sentencepiece-model";
import { Tokenizer } from "page/engine/data/tokenizer";
import { build } from "page/engine/interpreter";
import { bytesOf } from "page/trace/trace";

/** @import { Products } from "page/engine/arithmetic/weights" */
/** @import { Search } from "page/engine/decoding/beam" */
/** @import { ModuleNode } from "page/engine/interpreter" */
/** @import { Transformer } from "page/engine/models/transformer" */
/** @import { Model, Tool } from "page/trace/schema" */

/**
 * What the file holds of a model (explorer/live_model.py). Bytes are in base64, weights compressed as well.
 * @typedef {object} Exported
 * @property {ModuleNode} modules
 * @property {string} weights
 * @property {{ source: string, target: string | null }} tokenizers  null: both sides have the same
 * @property {Search} search
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
    return /** @type {Transformer} */ (build(this.exported.modules, this.weights, change));
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
