// What every model has, whatever its layers (models/contract.py): settings, named parts, and a longest sequence.

/** @import { Description } from "page/engine/interpreter" */

export class Transducer {
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
