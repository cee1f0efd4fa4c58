/** What the view Translate says, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/translate";
import * as en from "page/words/en/translate";
import * as es from "page/words/es/translate";

export const { TRANSLATE } = inLanguage({ en, de, es });
