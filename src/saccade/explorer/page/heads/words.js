/** What the view Heads says, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/heads";
import * as en from "page/words/en/heads";
import * as es from "page/words/es/heads";

export const { heads } = inLanguage({ en, de, es });
