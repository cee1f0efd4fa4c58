/** The claims that the view Steps checks, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/steps-claims";
import * as en from "page/words/en/steps-claims";
import * as es from "page/words/es/steps-claims";

export const { CHECK, CLAIMS, KIND_NAMES, PROPORTION } = inLanguage({ en, de, es });
