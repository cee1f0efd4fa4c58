/** The what-ifs of the view Steps, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/steps-what-if";
import * as en from "page/words/en/steps-what-if";
import * as es from "page/words/es/steps-what-if";

export const { OFFERS, SUPPOSE } = inLanguage({ en, de, es });
