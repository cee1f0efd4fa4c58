// What every translation model has, whatever its layers: settings, named parts, and a longest sequence.

/** @import { Description } from "page/engine/interpreter" */

export class TranslationModel {
  /** What is added to the scores of the vocabulary. @type {Float32Array | null} */
  outputBias = null;

  /** @param {Description} description */
  constructor({ settings, parts }) {
    this.settings = settings;
    this.parts = parts;
  }

  /** The most tokens on either side. @returns {number} */
  get maximumLength() {
    return this.settings.maximum_length;
  }
}
