/** What pictures say of themselves, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/drawing";
import * as en from "page/words/en/drawing";
import * as es from "page/words/es/drawing";

export const { DRAWING } = inLanguage({ en, de, es });
