/** What an architecture is, in a few words of the page's language. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/architectures";
import * as en from "page/words/en/architectures";
import * as es from "page/words/es/architectures";

const { SUMMARIES } = inLanguage({ en, de, es });

/** A summary; as the document has it for an architecture that the page does not know. @param {string} architecture @param {string} given */
export const summaryOf = (architecture, given) => SUMMARIES[architecture] ?? given;
