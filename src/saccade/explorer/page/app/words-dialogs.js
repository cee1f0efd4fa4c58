/** What the dialogs say, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/dialogs";
import * as en from "page/words/en/dialogs";
import * as es from "page/words/es/dialogs";

export const { DIALOGS } = inLanguage({ en, de, es });
