/** What the frame and more than one view say, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/app";
import * as en from "page/words/en/app";
import * as es from "page/words/es/app";

export const { KIND_NAMES, words } = inLanguage({ en, de, es });
