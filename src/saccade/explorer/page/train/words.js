/** What the view Train says, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/train";
import * as en from "page/words/en/train";
import * as es from "page/words/es/train";

export const { TRAIN } = inLanguage({ en, de, es });
