/** What the view Position says, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/position";
import * as en from "page/words/en/position";
import * as es from "page/words/es/position";

export const { POSITION } = inLanguage({ en, de, es });
