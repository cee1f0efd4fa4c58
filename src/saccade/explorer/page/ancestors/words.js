/** What the view Ancestors says, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/ancestors";
import * as en from "page/words/en/ancestors";
import * as es from "page/words/es/ancestors";

export const { WORDS } = inLanguage({ en, de, es });
