/** The analogies of the view Steps, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/steps-analogies";
import * as en from "page/words/en/steps-analogies";
import * as es from "page/words/es/steps-analogies";

/** @import { Facts } from "page/steps/facts" */

const { ANALOGIES, TOLD } = inLanguage({ en, de, es });

export { ANALOGIES };

/**
 * The caption of a step in an analogy, or null where the analogy says nothing.
 * @param {string} analogy
 * @param {any} step
 * @param {Facts} facts
 */
export function caption(analogy, step, facts) {
  const told = /** @type {any} */ (TOLD[/** @type {keyof typeof TOLD} */ (analogy)])?.[step];
  return told ? told(facts) : null;
}
