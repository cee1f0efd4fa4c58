/** The equations of the view Steps as they are read aloud, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/steps-formulas";
import * as en from "page/words/en/steps-formulas";
import * as es from "page/words/es/steps-formulas";

export const { SPOKEN } = inLanguage({ en, de, es });
