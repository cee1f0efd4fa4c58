/** What to look for in the sentences to try, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/examples";
import * as en from "page/words/en/examples";
import * as es from "page/words/es/examples";

export const { LOOK_FOR } = inLanguage({ en, de, es });
